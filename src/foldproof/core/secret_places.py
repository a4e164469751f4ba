"""Whether what stands behind a name such as `password` is a secret: the word is ordinary, most values are too."""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any

from foldproof.core.secret_shapes import HEADS, NAME, PASSWORDS, VALUES, compiled

MARK = "[redacted]"
_ISSUERS = (b"sk-ant-", b"sk-proj-", b"sk-svcacct-", b"sk-or-", b"sk-lf-")
_GROUPS = ("double", "single", "tick", "nested", "brace", "plain")
_PLAIN = frozenset({
    "null", "none", "nil", "true", "false", "yes", "no", "on", "off", "empty", "undefined", "unset", "set", "missing",
    "required", "optional", "string", "str", "text", "bytes", "int", "number", "redacted", "masked", "hidden",
    "removed", "unknown", "incorrect", "correct", "invalid", "valid", "wrong", "expired", "changed", "unchanged",
    "reset", "same", "here", "now", "ok", "not", "n/a", "todo", "tbd", "any", "self",
})  # fmt: skip
"""Words that stand where a value would."""
_WORDY = re.compile(
    r"\d{1,3}[ -]?[a-z]+|(?:base|sha|md|utf|bcrypt|argon|oauth|pbkdf|aes|rsa|hmac)-?\d.*", re.IGNORECASE
)
_CODE = re.compile(r"[A-Za-z_]\w{0,99}(?:\.\w{1,99}){0,9}[(\[]|[A-Za-z_]+(?:\.[A-Za-z_]+)+$")
_ADDRESS = re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{1,64}$")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_PARTS = re.compile(r"[A-Za-z0-9]+")
_PAGES = re.compile(
    r"(?:page|next|continuation|cursor|prev|previous|sync|max|min|per|new|eos|bos|pad|unk)[_-]?token$", re.IGNORECASE
)
_STARTS_LINE = re.compile(r"(?:^|[\r\n]|\\[nr])[\s>*-]*(?:export )?\\?$")
_ENDS_LINE = re.compile(rb"[ \t]*(?:\\+[nr]|\r|\n|$)")
_ESCAPE = re.compile(r"\\+[nrt]")
"""The break of a line within JSON text: what follows it is the next line."""
_SCHEMES = re.compile(r"(?:bearer|basic|token|apikey|api-key|key|negotiate|ntlm|digest)\s+", re.IGNORECASE)
_HEADERS = frozenset({"authorization", "proxy-authorization", "cookie", "set-cookie"})


@cache
def _names() -> tuple[Any, Any]:
    return compiled(rf"(?i:[\w.-]*(?:{PASSWORDS}))"), compiled(rf"(?i:{NAME})")


@lru_cache(maxsize=4096)
def kind_of(name: str) -> str:
    """What a name says of its value: `password`, `token`, `header`, or nothing."""
    text = name.strip()
    plain = text.lower().rpartition(".")[2].replace("_", "-")
    if plain in _HEADERS:
        return "header"
    raw = text.encode("utf-8", "surrogatepass")
    passwords, all_names = _names()
    if passwords.fullmatch(raw):
        return "password"
    return "token" if all_names.fullmatch(raw) and not _PAGES.search(text) else ""


def named(name: str, value: str) -> str:
    """A value of an object that stands under a name: `[redacted]` where the name and the value say so."""
    kind = kind_of(name)
    if not kind or MARK in value or _harmless(value):
        return value
    if kind == "header":
        scheme = _SCHEMES.match(value)
        kept = scheme.group() if scheme else ""
        return f"{kept}{MARK}" if scheme or "=" in value or _random(value) else value
    if kind == "password":
        return MARK
    return MARK if _random(value) else value


def without_places(raw: bytes, name: str, head: Any, value: Any) -> bytes:  # noqa: ANN401  # google-re2 has no types
    """The text with the secrets behind one kind of head replaced."""
    judge = _JUDGES.get(name, _always)
    pieces: list[bytes] = []
    done = at = 0
    while found := head.search(raw, at):
        at = found.end()
        # A window: a text full of heads must not be read to its end for each of them, but what goes, goes whole.
        behind = value.match(raw, at, min(len(raw), at + _WINDOW))
        span = judge(raw, found, behind) if behind else None
        if span is not None:
            if span[1] >= at + _WINDOW - 1:
                span = judge(raw, found, value.match(raw, at)) or span
            pieces += [raw[done : span[0]], MARK.encode()]
            done = at = span[1]
    return b"".join([*pieces, raw[done:]]) if pieces else raw


_WINDOW = 400
Span = tuple[int, int]


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _span(found: Any, group: str) -> Span:  # noqa: ANN401  # google-re2 has no types
    start, end = found.span(found.re.groupindex[group])
    return start, end


def _always(raw: bytes, head: Any, behind: Any) -> Span | None:  # noqa: ANN401, ARG001  # one signature for all judges
    return None if behind["secret"] == MARK.encode() else _span(behind, "secret")


def _bearer(raw: bytes, head: Any, behind: Any) -> Span | None:  # noqa: ANN401, ARG001  # as above
    return _span(behind, "secret") if any(48 <= sign <= 57 for sign in behind["secret"]) else None


def _basic(raw: bytes, head: Any, behind: Any) -> Span | None:  # noqa: ANN401, ARG001  # as above
    try:
        told = b64decode(behind["secret"].rstrip(b"=") + b"==", altchars=b"-_" if b"-" in behind["secret"] else None)
    except (ValueError, binascii.Error):
        return None
    return _span(behind, "secret") if b":" in told and told.isascii() else None


def _authorization(raw: bytes, head: Any, behind: Any) -> Span | None:  # noqa: ANN401, ARG001  # as above
    secret = _text(behind["secret"])
    sure = bool(behind["scheme"]) and len(secret) >= 8 and (_random(secret) or not secret.isalpha() or len(secret) > 20)
    return _span(behind, "secret") if MARK not in secret and (sure or _random(secret)) else None


def _assigned(raw: bytes, head: Any, behind: Any) -> Span | None:  # noqa: ANN401  # as above
    group = next(name for name in _GROUPS if behind[name] is not None)
    start, end = _span(behind, group)
    value = _text(behind[group])
    kind = kind_of(_text(head["name"]))
    if group == "nested":
        end = _closed(raw, start, end)
        value = _text(raw[start:end])
    if not kind or value == MARK or value.startswith(MARK) or _harmless(value):
        return None
    if group != "plain":
        return (start, end) if kind == "password" or _random(value) else None
    kept = _ESCAPE.split(value, maxsplit=1)[0]
    kept = kept.rstrip(".)]}>\\") if MARK not in kept else kept
    end = start + len(kept.encode())
    if not kept or _harmless(kept) or _is_code(value):
        return None
    sure = _plain(kind, kept, head) or (kind == "password" and _alone(raw, head.start(), end, kept))
    return (start, end) if sure else None


def _closed(raw: bytes, start: int, end: int) -> int:
    """Where a text within JSON text ends: at the next quotation mark that is escaped no deeper than the first."""
    opener = raw[start - 1 : start]
    depth = _backslashes(raw, start - 1)
    at = raw.find(opener, start, end)
    while at >= 0:
        if (behind := _backslashes(raw, at)) <= depth:
            return at - behind
        at = raw.find(opener, at + 1, end)
    return end


def _backslashes(raw: bytes, end: int) -> int:
    return len(raw[:end]) - len(raw[max(0, end - 100) : end].rstrip(b"\\")) - max(0, end - 100)


def _plain(kind: str, value: str, head: Any) -> bool:  # noqa: ANN401  # google-re2 has no types
    """Whether a value without quotes is a secret; it may be the next word of a sentence."""
    groups: Mapping[str, bytes | None] = head.groupdict()
    if groups.get("says"):
        return _mixed(value) if kind == "password" else _random(value) and len(value) >= 12
    if kind == "token":
        return _random(value)
    sign = groups.get("sign")
    return sign is None or b"=" in sign or _mixed(value)


def _alone(raw: bytes, start: int, end: int, value: str) -> bool:
    """Whether `password: value` is a line of its own, as in a file of settings."""
    line = raw.rfind(b"\n", 0, start)
    before = _text(raw[max(line, start - 100, 0) : start])
    return (
        len(value) >= 6 and value.isascii() and bool(_STARTS_LINE.search(before)) and bool(_ENDS_LINE.match(raw, end))
    )


def _harmless(value: str) -> bool:
    """Whether it is a word that stands for a value, a place to fill, an address or a path."""
    plain = value.strip().lower()
    if not plain or plain in _PLAIN or plain.strip("*•x.-_") == "":
        return True
    if plain[0] in "$<%(=/~" and (plain[0] != "/" or plain.count("/") > 2 or "." in plain):
        return (
            plain[0] not in "$%=" or plain[:2] in {"${", "$(", "%(", "%s", "=="} or plain[1:].replace("_", "").isalpha()
        )
    return "://" in plain or bool(_WORDY.fullmatch(plain)) or bool(_ADDRESS.match(plain))


def _is_code(value: str) -> bool:
    """Whether it is an expression of a program: a call, an attribute, another name for a secret."""
    return bool(_CODE.match(value)) or value[0] in "{[(" or (value.isidentifier() and bool(kind_of(value)))


def _mixed(value: str) -> bool:
    """Whether it is no word of a sentence: letters with digits or signs within, or four digits and more."""
    if not value.isascii():
        return False
    inner = value[:-1]
    signs = any(sign in "!@#$%^&*~=" for sign in inner)
    letters, digits = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    return len(value) >= 4 and ((letters and digits) or (letters and signs) or value.isdigit())


def _random(value: str) -> bool:
    """Whether it looks like a key: long, of letters and digits, no date."""
    if len(value) < 8 or any(map(str.isspace, value)) or _DATE.match(value):
        return False
    letters, digits = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    if not digits:
        return len(value) >= 24 and value.isascii() and value != value.lower() and "." not in value and letters
    parts = _PARTS.findall(value)
    dense = any(len(part) >= 8 and not part.isalpha() and not part.isdigit() for part in parts)
    return dense or (len(value) >= 20 and letters)


def dashed(value: bytes) -> bool:
    """Whether `sk-…` is a key: one of its parts is long, and no part of a name of several words."""
    parts = [part for group in value.split(b"-") for part in group.split(b"_")]
    dense = any(len(part) >= 12 and not part.isalpha() for part in parts)
    return dense or (value.startswith(_ISSUERS) and max(map(len, parts)) >= 20)


_JUDGES: dict[str, Callable[[bytes, Any, Any], Span | None]] = {
    "assignment": _assigned,
    "flag": _assigned,
    "bearer": _bearer,
    "basic": _basic,
    "authorization": _authorization,
}
assert HEADS.keys() == VALUES.keys()  # noqa: S101  # one table in two parts
