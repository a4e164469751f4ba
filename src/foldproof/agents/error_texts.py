"""Error messages in the clothes of an answer."""

from __future__ import annotations

import re

_LONGEST = 300
_FAULT = (
    r"(?:(?:an?|the|some|unexpected|internal|unknown|technical|server)\s+)*"
    r"(?:error|exception|problem|issue|trouble|difficult(?:y|ie))s?"
)
_WORK = (
    r"(?:while|when|during|with|in)?\s*(?:I\s+was\s+|trying\s+to\s+|attempting\s+to\s+)?"
    r"(?:(?:the|your|this|that|my)\s+)?"
    r"(?:(?:process|generat|answer|respond|handl|fetch|retriev|complet|connect|reach|execut|understand)\w*"
    r"|requests?\b|end\b|responses?\b|repl(?:y|ies)\b|messages?\b)"
)
# An error message ends with its error, or goes on about the agent's own work; an answer goes on about the world.
_REST = (
    r"\s*(?:$|[.!,;:…(\[—–-]|(?:on|at)\s+(?:our|my)\s+(?:end|side)|again\b|right\s+now\b|at\s+the\s+moment\b"
    rf"|{_WORK})"
)
_APOLOGY = (
    r"(?:(?:(?:i\s+am|i'm|we\s+are|we're|i|we)\s+)?(?:(?:so|very|really)\s+)?(?:sorry|apologi[sz]e|apologies)\b"
    r"|oops|uh-oh|whoops)"
)
_HAPPENED = (
    rf"(?:there\s+(?:was|has\s+been|is|seems\s+to\s+(?:be|have\s+been))\s+{_FAULT}"
    rf"|{_FAULT}\s+(?:has\s+|have\s+)?occurr?ed"
    rf"|(?:I|we)(?:\s+have|'ve)?\s+(?:ran|run)\s+into\s+{_FAULT}"
    rf"|(?:I|we)(?:\s+have|'ve)?\s+(?:just\s+)?(?:encountered|hit|experienced|had|got)\s+{_FAULT}"
    rf"|(?:I|we)(?:\s+am|'m|\s+are|'re)\s+(?:currently\s+)?(?:having|experiencing)\s+{_FAULT}"
    r"|something\s+(?:has\s+gone|went|is)\s+wrong)"
)
_SAID = re.compile(
    rf"\W*(?:{_APOLOGY}\W+(?:(?:but|it\s+(?:looks|seems)\s+like|it\s+(?:seems|appears)(?:\s+that)?)\W+)?)?"
    rf"{_HAPPENED}{_REST}",
    re.IGNORECASE,
)
_FOREIGN = re.compile(
    r"\W*(?:(?:entschuldigung|tut mir leid|leider|désolée?|lo siento|mi dispiace|desculpe|sorry|抱歉|对不起"
    r"|申し訳(?:ありません|ございません)|すみません)\W*)?"
    r"(?:es ist ein (?:\w+ )?fehler aufgetreten|une erreur (?:\w+ )?(?:s'est produite|est survenue)"
    r"|(?:ha ocurrido|ocurrió|se produjo) un error|si è verificato un errore|ocorreu um erro"
    r"|er is een fout opgetreden|(?:发生|出现)了?(?:未知|内部)?(?:错误|异常)|(?:内部)?エラーが発生しました)"
    r"\s*(?:$|[.!,;:…(。！，：])",
    re.IGNORECASE,
)
_STATUS = re.compile(
    r"\W*(?:(?:http\s+)?(?:error\W+)?(?:[45]\d\d\s+)?"
    r"(?:internal server error|service (?:temporarily )?unavailable|too many requests|bad gateway|gateway time-?out"
    r"|rate limit (?:exceeded|reached))\s*(?:$|[.!,;:(\[{-]|for\b|please\b)"
    r"|(?:http\s+)?error\W+(?:code\W+)?[45]\d\d\s*(?:$|[:.(\[{-]))",
    re.IGNORECASE,
)
_MACHINE = re.compile(
    r"\s*(?:```\w*\s*)?(?:traceback \(most recent call last\)"
    r"|\{\s*\"error\"\s*:(?!\s*(?:null\b|false\b|\"\"|\{\s*\}|\[\s*\]))"
    r"|(?:[\w.]+(?:Error|Exception):\s+)?error code: [45]\d\d\s+-\s+\{"
    r"|(?:<!doctype html[^>]*>\s*)?<html[^>]*>\s*(?:<head[^>]*>\s*)?<title>\s*(?:error\s+)?[45]\d\d\b)",
    re.IGNORECASE,
)


def is_error_text(text: str) -> bool:
    """Whether a text is an error message and no answer.

    A text that opens as machines report errors is taken for one at any length; one that opens with a person's
    words for it only where it is short and speaks of nothing else, so an answer that speaks of errors is left
    alone.
    """
    spoken = text.replace("’", "'")
    short = len(text) <= _LONGEST and any(shape.match(spoken) for shape in (_SAID, _FOREIGN, _STATUS))
    return short or _MACHINE.match(text) is not None
