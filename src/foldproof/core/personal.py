"""Personal data in text, replaced by pseudonyms: the same value is the same pseudonym as long as the key is."""

from __future__ import annotations

import hashlib
import hmac
import importlib
import ipaddress
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from types import ModuleType
from typing import Any, Literal, get_args

from foldproof.core.errors import MissingExtraError, UsageError
from foldproof.core.secret_shapes import compiled
from foldproof.core.secrets import Redactor

PersonalKind = Literal["email", "phone", "iban", "card", "ip", "name", "user"]
PERSONAL_KINDS: tuple[PersonalKind, ...] = get_args(PersonalKind)
SHORTEST_KEY = 16
"""Bytes that a key has at least: a shorter one could be tried out, and with it every phone number."""
_LETTERS = "bcdfghjklmnpqrstvwxz"
_LENGTH = 12
_LABELS = {"name": "person"}
_EMAIL = r"[\p{L}\p{N}._%+'-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.)+\p{L}{2,63}"
_NUMBERS = r"[0-9](?:[ -]?[0-9]){12,}"
_DIGITS = re.compile(r"\d+")
_IBAN = r"(?i:\b[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]){11,30}\b)"
_DIAL = re.compile(r"\d[\d\s()./-]{5,}\d")
_IPV4 = r"\b[0-9]{1,3}(?:\.[0-9]{1,3}){3}\b"
_IPV6 = r"[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?:(?:\.[0-9]{1,3}){3})?"
_LEAST_DIGITS, _MOST_DIGITS, _FIRST_DIGITS = 13, 19, "23456"
_CARDS = re.compile(
    r"4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}"
    r"|3(?:0[0-5]|[68]\d)\d{11}|35\d{14}|6(?:011|5\d\d|4[4-9]\d)\d{12}|62\d{14,17}"
)
Found = tuple[int, int, str]
"""Where a value stands in a text, and its canonical form, which is the same however it is written."""


class Pseudonyms:
    """Replaces personal data of the kinds that are asked for, each value by a pseudonym such as `email-bdkfzzqwplmn`.

    A pseudonym is a keyed hash (HMAC-SHA256): without the key nobody finds the value by trying all phone numbers. The
    same value gets the same pseudonym however it is written, so a fact about it can still be asked for. `names` are
    persons, each by the spellings that are theirs; a name that is not listed is not found. Numbers are checked by
    their check digits. What is no text (a number in JSON) stays. `counts` grows with what was replaced.

    Raises:
        UsageError: for a key that is too short.
        MissingExtraError: where phones, cards or IBANs are asked for and the extra `personal-data` is not installed.
    """

    def __init__(
        self,
        key: bytes,
        kinds: Sequence[PersonalKind],
        *,
        names: Sequence[Sequence[str]] = (),
        region: str = "",
    ) -> None:
        if len(key) < SHORTEST_KEY:
            raise UsageError(
                f"the key of the pseudonyms has {len(key)} bytes; at least {SHORTEST_KEY} are needed\n"
                "  let foldproof make a key file, or use a longer secret"
            )
        self.kinds, self.region = frozenset(kinds), region
        self.counts: Counter[str] = Counter()
        self._key = key
        self._persons = {spelling: persons[0] for persons in names for spelling in persons}
        if self.kinds & {"iban", "card"}:
            self._luhn, self._iban = _module("stdnum.luhn", "python-stdnum"), _module("stdnum.iban", "python-stdnum")
        if "phone" in self.kinds:
            self._phones = _module("phonenumbers", "phonenumbers")
            if region and region not in self._phones.SUPPORTED_REGIONS:
                raise UsageError(
                    f"'{region}' is no region of phone numbers\n  name one by its two letters: DE, FR, US, …"
                )

    def of(self, kind: PersonalKind, value: str) -> str:
        """The pseudonym of a value in its canonical form."""
        digest = hmac.new(self._key, f"{kind}\0{value}".encode("utf-8", "surrogatepass"), hashlib.sha256).digest()
        number = int.from_bytes(digest, "big")
        letters = []
        for _ in range(_LENGTH):
            number, place = divmod(number, len(_LETTERS))
            letters.append(_LETTERS[place])
        self.counts[kind] += 1
        return f"{_LABELS.get(kind, kind)}-{''.join(letters)}"

    def __call__(self, text: str) -> str:
        """The text with the values of all kinds but `user` replaced."""
        finders: tuple[tuple[PersonalKind, Callable[[str], Iterator[Found]], bool], ...] = (
            ("email", self._emails, "@" in text),
            ("iban", self._ibans, True),
            ("card", self._cards, True),
            ("phone", self._dialled, True),
            ("ip", self._addresses, True),
            ("name", self._named, True),
        )
        for kind, find, worth in finders:
            if worth and kind in self.kinds:
                text = self._replaced(text, kind, find)
        return text

    def _replaced(self, text: str, kind: PersonalKind, find: Callable[[str], Iterator[Found]]) -> str:
        pieces, done = [], 0
        for start, end, value in find(text):
            pieces += [text[done:start], self.of(kind, value)]
            done = end
        return "".join([*pieces, text[done:]]) if pieces else text

    def _emails(self, text: str) -> Iterator[Found]:
        for start, end, found in _matches(self._patterns["email"], text):
            if not found.startswith("git@"):  # the address of a repository
                yield start, end, found.lower()

    def _ibans(self, text: str) -> Iterator[Found]:
        for start, _, found in _matches(self._patterns["iban"], text):
            # What follows may look as if it belonged to it: the longest beginning that is one is taken.
            for length in range(len(found), 14, -1):
                if found[length - 1] != " " and self._iban.is_valid(found[:length]):
                    yield start, start + length, found[:length].replace(" ", "").upper()
                    break

    def _cards(self, text: str) -> Iterator[Found]:
        for start, _, found in _matches(self._patterns["card"], text):
            groups = [(start + group.start(), start + group.end()) for group in _DIGITS.finditer(found)]
            done = start
            for place, (first, _) in enumerate(groups):
                if text[first] not in _FIRST_DIGITS:
                    continue
                # Other numbers may stand beside it, a date or a check number: the longest card from here is taken.
                ends = (end for _, end in reversed(groups[place : place + _MOST_DIGITS]))
                found_end = next((end for end in ends if first >= done and self._is_card(text, first, end)), None)
                if found_end is not None:
                    yield first, found_end, _digits(text[first:found_end])
                    done = found_end

    def _is_card(self, text: str, start: int, end: int) -> bool:
        if not _LEAST_DIGITS <= end - start < 2 * _MOST_DIGITS or text[max(0, start - 1) : start].isalnum():
            return False
        digits = _digits(text[start:end])
        return not text[end : end + 1].isalnum() and bool(_CARDS.fullmatch(digits)) and self._luhn.is_valid(digits)

    def _dialled(self, text: str) -> Iterator[Found]:
        if not _DIAL.search(text):
            return
        phones = self._phones
        for found in phones.PhoneNumberMatcher(text, self.region or None):
            yield found.start, found.end, phones.format_number(found.number, phones.PhoneNumberFormat.E164)

    def _addresses(self, text: str) -> Iterator[Found]:
        for start, _, found in _matches(self._patterns["ip"], text):
            bare = found[:-1] if found.endswith(":") and not found.endswith("::") else found  # `fe80::1: no answer`
            try:
                address = ipaddress.ip_address(bare)
            except ValueError:
                continue
            if bare.count(":") == 2 and not _stands_alone(text, start, start + len(bare)):
                continue
            if not (address.is_loopback or address.is_unspecified):
                yield start, start + len(bare), address.compressed

    def _named(self, text: str) -> Iterator[Found]:
        if not self._persons:
            return
        for start, end, found in _matches(self._patterns["name"], text):
            if not (_joined(text, start) or _joined(text, end)):
                yield start, end, self._persons[found]

    @cached_property
    def _patterns(self) -> Mapping[str, Any]:
        names = "|".join(re.escape(name) for name in sorted(self._persons, key=len, reverse=True))
        return {
            "email": compiled(_EMAIL),
            "iban": compiled(_IBAN),
            "card": compiled(_NUMBERS),
            "ip": compiled(f"{_IPV4}|{_IPV6}"),
            "name": compiled(names),
        }


class PersonalRedactor(Redactor):
    """A redactor that replaces personal data too, after the secrets."""

    def __init__(self, pseudonyms: Pseudonyms, environ: Mapping[str, str] | None = None) -> None:
        super().__init__(environ)
        self.pseudonyms = pseudonyms

    def __call__(self, text: str) -> str:
        """The text without secrets, and with pseudonyms in the place of personal data."""
        return self.pseudonyms(super().__call__(text))


def _module(name: str, package: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError:
        what = "finding phone numbers" if package == "phonenumbers" else "finding IBANs and cards"
        raise MissingExtraError(what, package, "personal-data") from None


def _matches(pattern: Any, text: str) -> Iterator[Found]:  # noqa: ANN401  # google-re2 has no types
    """The matches with their places in the text, which need not be whole Unicode."""
    for found in pattern.finditer(text.encode("utf-8", "replace").decode()):
        yield found.start(), found.end(), found.group()


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether `fe80::1` is an address, and no name of a program such as `std::map` or `abc::Def`."""
    return not (text[max(0, start - 1) : start].isalnum() or text[end : end + 1].isalnum()) and bool(
        _DIGITS.search(text, start, end)
    )


def _digits(text: str) -> str:
    return text.replace(" ", "").replace("-", "")


def _joined(text: str, place: int) -> bool:
    """Whether a word of a script with spaces goes on at this place."""
    around = text[max(0, place - 1) : place + 1]
    return len(around) == 2 and place > 0 and all(sign.isalnum() and ord(sign) < 0x2E80 for sign in around)
