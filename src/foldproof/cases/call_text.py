"""A call as one line of text, `name(arg=value, …)`: read, and written so that it reads back the same.

The grammar stands in `docs/expectations.md`. Values are typed JSON; a bare word means what it means unquoted in the
file, so `15` is a number, `true` a truth value and `0123` a text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from foldproof.cases.faults import Fault, quoted
from foldproof.cases.nodes import DEEPEST, Plain, resolve, surrogate_in

_BLANK = re.compile(r"\s*")
_NAME = re.compile(r"[^\s()\[\]{},=\"']+")
_WORD = re.compile(r"[^,()\[\]{}\"'=]+")
_KEY = re.compile(r"[^,()\[\]{}\"'=:]+")
_TEXTS = {'"': re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL), "'": re.compile(r"'((?:[^'\\]|\\.)*)'", re.DOTALL)}
_UNLIKE_JSON = re.compile(r"\\.|\"", re.DOTALL)
_QUOTE = 'put a text with special characters in quotes: note="a, b"'
_LONGEST = 200


class _Reader:
    """One reading of one text; `at` is the place of the next character."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def fail(self, what: str, hint: str, at: int | None = None) -> NoReturn:
        place = (self.at if at is None else at) + 1
        raise Fault(f"cannot read the call {quoted(self.text)}: at character {place}, {what}", hint)

    def skip(self) -> str:
        """The next character that is no blank, or nothing."""
        found = _BLANK.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return self.text[self.at : self.at + 1]

    def found(self) -> str:
        """What stands at this place, for a message."""
        char = self.skip()
        return f"found '{char}'" if char else "the text ends"

    def call(self) -> tuple[str, dict[str, Any]]:
        self.skip()
        name = self.taken(_NAME)
        if not name:
            self.fail(f"the name of a tool is expected, {self.found()}", "write name(arg=value, …)")
        args: dict[str, Any] = {}
        if self.skip() == "(":
            self.at += 1
            if self.skip() == ")":
                self.at += 1
            else:
                self.arguments(args)
        if self.skip():
            hint = "write name(arg=value, …); a name with blanks or brackets stands under `name:`"
            self.fail(f"'{self.text[self.at :][:20]}' follows the end of the call", hint)
        return name, args

    def arguments(self, args: dict[str, Any]) -> None:
        while True:
            self.skip()
            start = self.at
            name = self.taken(_NAME)
            if not name:
                self.fail(f"the name of an argument is expected, {self.found()}", "write each argument as name=value")
            if self.skip() != "=":
                what = f"'=' is expected after the argument '{name}', {self.found()}"
                self.fail(what, "write each argument as name=value")
            if name in args:
                self.fail(f"the argument '{name}' stands twice", "keep one of the two", at=start)
            self.at += 1
            args[name] = self.value(1)
            if not self.more(")", "the bracket of the arguments"):
                return

    def more(self, closer: str, what: str) -> bool:
        """Whether another item follows."""
        char = self.skip()
        if not char:
            hint = f"close it with '{closer}'; a call that stands in a list in brackets needs quotes around it"
            self.fail(f"{what} is not closed", hint)
        if char not in {closer, ","}:
            self.fail(f"',' or '{closer}' is expected, {self.found()}", _QUOTE)
        self.at += 1
        return char == ","

    def value(self, depth: int) -> Any:  # noqa: ANN401  # any JSON value
        char = self.skip()
        if depth > DEEPEST:
            self.fail(f"lists and objects stand more than {DEEPEST} deep in each other", "make it flatter")
        if char in _TEXTS:
            return self.quoted(char)
        if char == "[":
            return self.items("]", lambda: self.value(depth + 1))
        if char == "{":
            return self.mapping(depth)
        word = self.taken(_WORD).rstrip()
        if not word:
            self.fail(f"a value is expected, {self.found()}", "write a text in quotes, a number, true, false or null")
        if word == "None":
            self.fail("'None' may be null or a text", 'write null, or "None" in quotes', at=self.at - len(word))
        return resolve(Plain(word))

    def items(self, closer: str, read: Callable[[], Any]) -> list[Any]:
        self.at += 1
        found: list[Any] = []
        if self.skip() == closer:
            self.at += 1
            return found
        found.append(read())
        while self.more(closer, f"the '{'[' if closer == ']' else '{'}'"):
            found.append(read())
        return found

    def mapping(self, depth: int) -> dict[str, Any]:
        made: dict[str, Any] = {}

        def pair() -> None:
            char = self.skip()
            start = self.at
            key = self.quoted(char) if char in _TEXTS else self.taken(_KEY).strip()
            if not key and char not in _TEXTS:
                self.fail(f"a key is expected, {self.found()}", "write key: value")
            if self.skip() != ":":
                self.fail(f"':' is expected after the key '{key}', {self.found()}", "write key: value")
            if key in made:
                self.fail(f"the key '{key}' stands twice", "keep one of the two", at=start)
            self.at += 1
            made[key] = self.value(depth + 1)

        self.items("}", pair)
        return made

    def taken(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.at)
        if match is None:
            return ""
        self.at = match.end()
        return match[0]

    def quoted(self, mark: str) -> str:
        start = self.at
        match = _TEXTS[mark].match(self.text, start)
        if match is None:
            self.fail("a text in quotes is not closed", f"close it with {mark}")
        self.at = match.end()
        body = match[1]
        if mark == "'":
            body = _UNLIKE_JSON.sub(lambda found: {"\\'": "'", '"': '\\"'}.get(found[0], found[0]), body)
        try:
            text: str = json.loads(f'"{body}"', strict=False)
        except json.JSONDecodeError:
            self.fail("a text has an escape that is none", r"allowed: those of JSON, such as \n, \t and \\", at=start)
        if surrogate_in(text):
            self.fail("a text holds half a character (a lone surrogate)", "write the character itself", at=start)
        return text


def read_call(text: str) -> tuple[str, dict[str, Any]]:
    """Name and arguments of a call; a name alone has none.

    Raises:
        Fault: with the place in the text, for what is no call.
    """
    return _Reader(text).call()


def written_call(name: str, args: Mapping[str, Any], written: Callable[[Any], str] | None = None) -> str:
    """A call as text; `written` says how a value stands in it."""
    values = (f"{key}={(written or value_text)(value)}" for key, value in args.items())
    return f"{name}({', '.join(values)})"


def value_text(value: Any) -> str:  # noqa: ANN401  # any JSON value
    """A value as it stands in a call: a text bare where it reads back as that text, the rest as JSON."""
    if isinstance(value, str) and _is_bare(value):
        return value
    return json_text(value)


def json_text(value: Any) -> str:  # noqa: ANN401  # any value
    """A value as JSON for a person; what is no JSON by its type alone."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return f"<{type(value).__name__}>"


def short(text: str) -> str:
    """A text as messages show it: cut where it is long."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _is_bare(text: str) -> bool:
    word = _WORD.fullmatch(text) and text == text.strip() and text.isprintable()
    return bool(word) and text != "None" and isinstance(resolve(Plain(text)), str)
