"""Answers that are none (B59, B60): error texts are flagged, answers that speak of errors are not."""

import pytest

from foldproof.run.answers import answer_fault

ERRORS = """
Sorry, I ran into an error
I'm sorry, but I encountered an error while processing your request.
I’m sorry, something went wrong.
Oops! Something went wrong.
Sorry, it looks like something went wrong on our end.
Something went wrong. Please try again.
Something went wrong while generating the answer.
I apologize, but an error occurred.
An error occurred while processing your request.
An unexpected error has occurred.
An internal server error occurred
We're sorry, there was a problem with your request.
Sorry, there was an issue.
I'm having trouble connecting right now.
I'm experiencing technical difficulties at the moment.
I'm sorry, I'm having trouble answering right now.
We have encountered an issue processing this message
Internal Server Error
503 Service Unavailable
Service Temporarily Unavailable
502 Bad Gateway
504 Gateway Timeout
429 Too Many Requests
Error: 429 Too Many Requests
**Error:** 429 Too Many Requests
Rate limit exceeded, please try again later
Rate limit reached for gpt-4o in organization org-1 on tokens per min
Error code: 429 - {'error': {'message': 'rate limit'}}
openai.RateLimitError: Error code: 429 - {'error': {}}
HTTP Error 503: Service Unavailable
Error 500
{"error": "rate limit"}
{ "error" : {"message": "overloaded"}}
Traceback (most recent call last): File "x.py"
<html><head><title>502 Bad Gateway</title></head></html>
<!DOCTYPE html><html lang="en"><title>Error 503</title>
Es ist ein Fehler aufgetreten.
Entschuldigung, es ist ein unerwarteter Fehler aufgetreten!
Désolé, une erreur s'est produite.
Lo siento, ha ocurrido un error.
抱歉，发生错误。
申し訳ありません、エラーが発生しました。
""".strip().splitlines()

ANSWERS = """
Sorry to hear that your oven had a problem. Order #12 ships Monday.
I'm sorry to hear about the error on your invoice: the total is 1,234.50.
Sorry, there was an issue with your order #12: it ships Monday.
Sorry, I don't know.
I'm sorry, but I have no information about your oven.
An error occurred in the billing service on March 4.
Something went wrong with the oven on Tuesday, so you called Bosch.
Error 503 was what the gateway returned on Monday.
Service unavailable on Sundays.
Bad gateway was the cause of Tuesday's outage.
Rate limit exceeded was the alert you got on Friday.
The error was E42.
You ran into an error with Postgres 14 and moved to Postgres 15.
We ran into an issue with ORM latency: no ORM, raw SQL.
{"answer": "Postgres 15", "error": "none"}
{"error": null, "answer": "Postgres 15"}
{"error": "", "answer": "Postgres 15"}
KeyError: 'user_id', raised in billing.py
Oops, I meant Tuesday.
Error handling follows the Result pattern.
429 Elm Street
503 is the room.
Apologies for the delay: your flight leaves at 9.
There was an error budget of 0.1 % agreed in March.
There is an issue with the sourdough: too wet.
""".strip().splitlines()


@pytest.mark.parametrize("text", ERRORS)
def test_an_error_text_is_flagged_and_kept(text):
    fault = answer_fault(f"  {text}\n")
    assert fault is not None
    assert fault.kind == "error text"
    assert fault.message == f"the answer is an error message: {text}"


@pytest.mark.parametrize("text", ANSWERS)
def test_an_answer_that_speaks_of_errors_is_none(text):
    assert answer_fault(text) is None


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u3000"])
def test_an_empty_text_is_no_answer(text):
    assert answer_fault(text).kind == "empty"


@pytest.mark.parametrize("text", ["0", "?", "no"])
def test_a_short_text_is_an_answer(text):
    assert answer_fault(text) is None


def test_a_long_answer_that_opens_with_an_apology_is_an_answer():
    assert answer_fault("Sorry, I ran into an error. " + "Postgres 15 it is. " * 20) is None


@pytest.mark.parametrize(
    "opening", ["Traceback (most recent call last):\n", '{"error": {"message": "', "Error code: 500 - {'error': '"]
)
def test_what_a_machine_reports_is_flagged_at_any_length(opening):
    assert answer_fault(opening + "x" * 5000).kind == "error text"


def test_hostile_texts_take_no_time():
    for text in ("sorry " * 50, "an " * 100, " " * 100_000 + "x", "the error " * 29, "{" + " " * 100_000):
        answer_fault(text)
