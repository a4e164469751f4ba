"""What asks something, and what does not: each rule with the twin that must be kept."""

from __future__ import annotations

import pytest

from foldproof.logs.small_talk import why_dropped


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("hi", "greeting"),
        ("Hello there!", "greeting"),
        ("Hey, how are you?", "greeting"),
        ("what's up?", "greeting"),
        ("What’s up?", "greeting"),
        ("Guten Morgen!", "greeting"),
        ("Grüß Gott", "greeting"),
        ("Bonjour, ça va ?", "greeting"),
        ("¡Hola! ¿Qué tal?", "greeting"),
        ("thanks", "thanks"),
        ("Thank you so much!!", "thanks"),
        ("ok thanks", "go-ahead"),
        ("Perfect, thanks a lot.", "thanks"),
        ("Vielen Dank!", "thanks"),
        ("Merci beaucoup", "thanks"),
        ("Muchas gracias", "thanks"),
        ("yes please", "go-ahead"),
        ("continue", "go-ahead"),
        ("Mach weiter", "go-ahead"),
        ("vas-y", "go-ahead"),
        ("Sí, claro", "go-ahead"),
        ("/clear", "command"),
        ("/model small", "command"),
        ("!help", "command"),
        ("", "empty"),
        ("  \n", "empty"),
        ("👍", "empty"),
        ("...", "empty"),
        ("?", "empty"),
        ("<system-reminder>be quick</system-reminder>", "program text"),
        ('{"a": "b?"}', "program text"),
        ("The staging port is 8443.", "statement"),
        ("I moved to Tomar last week", "statement"),
        ("Ich bin umgezogen.", "statement"),
        ("Je préfère le thé.", "statement"),
        ("Prefiero el té.", "statement"),
    ],
)
def test_what_asks_nothing_is_dropped_with_its_reason(text, why):
    assert why_dropped(text) == why


@pytest.mark.parametrize(
    "text",
    [
        "Hi, which port is staging on?",
        "Hello there, tell me the gate code",
        "Thanks! And when is the flight?",
        "ok, what is next on the list?",
        "How are you getting to Lisbon?",
        "/etc/hosts has which entry?",
        "Is /clear safe?",
        "Remind me of the gate code",
        "what did I say about Ines",
        "Good morning. Show the list.",
        "Danke, wann ist der Flug?",
        "Sag mir den Code",
        "Rappelle-moi le code, quand est le vol",
        "Merci, quel est le code ?",
        "Dime el código",
        "¿Cuál es el código?",
        "コードは何？",
        "yes or no: is it 8443?",
        "Continue with what?",
        "<3 which one was it?",
    ],
)
def test_what_asks_is_kept(text):
    assert why_dropped(text) is None
