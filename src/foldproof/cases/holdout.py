"""The holdout: a second replay set with its histories, encrypted, of which only fingerprints can be seen."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import re
import secrets
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foldproof.cases.load import load_set
from foldproof.cases.nodes import read_bytes, shown
from foldproof.cases.records import Case, ReplaySet
from foldproof.core import FileError, MissingExtraError, Problem, UsageError, canonical_json
from foldproof.matching import MATCHER_VERSION, normalize

KEY_VARIABLE = "FOLDPROOF_HOLDOUT_KEY"
"""The environment variable that holds the key."""
FORMAT = "foldproof-holdout"
VERSION = 1
"""Of the sealed file; a newer one is refused."""
_KEY = re.compile(r"fp-holdout-([A-Za-z0-9_-]{43})")
_KEY_BYTES, _NONCE_BYTES, _TAG_BYTES, _SALT_BYTES = 32, 12, 16, 16
_PADDED_TO = 16
"""Fingerprints are filled up to a multiple of this, so that their number tells little of that of the cases."""
_WRAPPED = 76
# 16 MB and some 40 ms a guess. Part of version 1: what the header of a strange file says must not set the cost.
_SLOWLY = {"n": 2**14, "r": 8, "p": 1, "dklen": 16}
_FIELDS = frozenset({"cipher", "fingerprints", "format", "key", "length", "matcher", "nonce", "salt", "version"})
_CIPHER = "AES-256-GCM"
_BEGINNING = b'{"cipher":'


class HoldoutError(UsageError):
    """A sealed file, a key or a log that cannot be used; the text says what to do."""


@dataclass(frozen=True, slots=True)
class HoldoutKey:
    """A key of 256 random bits. Its text is shown where it is made, and nowhere else."""

    secret: bytes

    def __repr__(self) -> str:
        return "HoldoutKey(…)"

    @property
    def text(self) -> str:
        """The key as a person keeps it."""
        return f"fp-holdout-{base64.urlsafe_b64encode(self.secret).decode().rstrip('=')}"

    @property
    def name(self) -> str:
        """What tells two keys apart and says nothing of either."""
        return hmac.new(self.secret, b"foldproof holdout: the name of a key", hashlib.sha256).hexdigest()[:16]


def make_key() -> HoldoutKey:
    """A new key."""
    return HoldoutKey(secrets.token_bytes(_KEY_BYTES))


def read_key(environ: Mapping[str, str], file: Path | None = None) -> HoldoutKey:
    """The key of a file, or else of the environment.

    Raises:
        HoldoutError: where there is none, or what is there is no key. The message never holds the value.
    """
    if file is None and not environ.get(KEY_VARIABLE):
        raise HoldoutError(
            f"no key: the environment variable `{KEY_VARIABLE}` is not set\n"
            "  set it, or name a file with --key-file; make a key with: foldproof holdout key"
        )
    place = shown(file) if file else f"`{KEY_VARIABLE}`"
    text = _key_text(file) if file else environ[KEY_VARIABLE]
    match = _KEY.fullmatch(text.strip())
    if not text.strip():
        raise HoldoutError(f"{place} holds no key: it is empty\n  make a key with: foldproof holdout key")
    if match is None:
        raise HoldoutError(f"{place} holds no key\n  a key begins with `fp-holdout-` and has 43 characters behind that")
    return HoldoutKey(base64.urlsafe_b64decode(match[1] + "="))


def _key_text(file: Path) -> str:
    raw = read_bytes(file)
    wide = raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE))  # as a shell of Windows writes what a program prints
    return raw.decode("utf-16" if wide else "utf-8-sig", "replace")


def key_is_open(file: Path) -> bool:
    """Whether others than its owner may read a key file, as far as the system knows of that."""
    return os.name == "posix" and bool(file.stat().st_mode & 0o077)


@dataclass(frozen=True, slots=True)
class SealedHeader:
    """What can be read of a sealed file without its key. None of it is to be trusted before the file was opened."""

    key: str
    matcher: str
    nonce: bytes
    salt: bytes
    length: int
    fingerprints: frozenset[str]
    raw: bytes


@dataclass(frozen=True, slots=True)
class Opened:
    """A holdout that was opened, in memory only: its set, and how its files are read."""

    replay_set: ReplaySet
    read: Callable[[Path], bytes]


def seal_set(path: Path, key: HoldoutKey) -> tuple[bytes, ReplaySet]:
    """The sealed file of a set with its histories and its judge's prompt, and the set as it was read.

    Raises:
        FileError: with everything that is wrong with the set.
        MissingExtraError: where the cipher is not installed.
    """
    kept: dict[str, bytes] = {}
    place = _whole(path)

    def read(file: Path) -> bytes:
        raw = read_bytes(file)
        kept[os.path.relpath(_whole(file), place.parent)] = raw
        return raw

    replay_set = load_set(place, read=read)
    files = {name: base64.b64encode(raw).decode() for name, raw in kept.items()}
    content = zlib.compress(canonical_json({"set": place.name, "files": files}).encode(), 9)
    salt, nonce = secrets.token_bytes(_SALT_BYTES), secrets.token_bytes(_NONCE_BYTES)
    header = canonical_json(
        {
            "format": FORMAT,
            "version": VERSION,
            "cipher": _CIPHER,
            "key": key.name,
            "nonce": nonce.hex(),
            "length": len(content) + _TAG_BYTES,
            "matcher": MATCHER_VERSION,
            "salt": salt.hex(),
            "fingerprints": _padded(fingerprint(asked_in(case), salt) for case in replay_set.cases),
        }
    ).encode()
    text = base64.b64encode(_cipher(key).encrypt(nonce, content, header)).decode()
    lines = [text[at : at + _WRAPPED] for at in range(0, len(text), _WRAPPED)]
    return header + b"\n" + "\n".join([*lines, ""]).encode(), replay_set


def open_sealed(path: Path, key: HoldoutKey) -> Opened:
    """The set of a sealed file. It is read in memory: nothing of it touches the disk.

    Its own files are named as if they stood beside the sealed one.

    Raises:
        HoldoutError: for another key, a file that is cut off, or one that was changed since it was sealed.
        FileError: where the file cannot be read.
        MissingExtraError: where the cipher is not installed.
    """
    header, body = _split(path)
    place = shown(path)
    if not hmac.compare_digest(header.key, key.name):
        raise HoldoutError(
            f"{place} was sealed with another key: with {header.key}, and this one is {key.name}\n"
            "  use the key that it was sealed with"
        )
    content, cipher = _content(place, header, body), _cipher(key)
    from cryptography.exceptions import InvalidTag

    try:
        plain = json.loads(zlib.decompress(cipher.decrypt(header.nonce, content, header.raw)))
    except InvalidTag:
        raise HoldoutError(
            f"{place} was changed after it was sealed: its seal does not fit\n  take it from git, or seal the set anew"
        ) from None
    files = {name: base64.b64decode(raw) for name, raw in plain["files"].items()}
    return _loaded(_whole(path).parent, plain["set"], files)


def _whole(path: Path) -> Path:
    """The path from the root on, without `..`; links stay, since a sealed file need not lie where its set did."""
    return Path(os.path.normpath(path.absolute()))


def _loaded(folder: Path, name: str, files: Mapping[str, bytes]) -> Opened:
    held = {_whole(folder / place): raw for place, raw in files.items()}

    def read(file: Path) -> bytes:
        found = held.get(_whole(file))
        if found is None:
            raise FileError([Problem(shown(file), 0, "the file is not part of the holdout", "seal the set anew")])
        return found

    try:
        return Opened(load_set(folder / name, read=read), read)
    except FileError as error:
        raise HoldoutError(
            f"the sealed set does not load with this version of foldproof: {len(error.problems)} problems, which are "
            "not shown since they quote it\n  lint the set that was sealed, and seal it anew"
        ) from None


def sealed_header(path: Path) -> SealedHeader:
    """What a sealed file tells without its key.

    Raises:
        HoldoutError: for a file that is no holdout, or one of a newer version.
        FileError: where the file cannot be read.
    """
    return _split(path)[0]


def _split(path: Path) -> tuple[SealedHeader, bytes]:
    place = shown(path)
    raw, _, body = read_bytes(path).partition(b"\n")
    raw = raw.removesuffix(b"\r")  # as some leave it behind that change the ends of lines
    try:
        header = json.loads(raw)
    except (ValueError, RecursionError):
        header = None
    if header is None and raw.startswith(_BEGINNING):
        raise HoldoutError(f"{place} is cut off in its header\n  take it from git, or copy it again")
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        empty = "" if raw or body else ": it is empty"
        raise HoldoutError(
            f"{place} is no sealed holdout{empty}\n"
            "  take it from git, or seal a set with: foldproof holdout seal SET -o FILE"
        )
    version = header.get("version")
    if isinstance(version, int) and version > VERSION:
        raise HoldoutError(
            f"{place} has version {version}, and this version of foldproof reads up to {VERSION}\n  upgrade foldproof"
        )
    fields = _fields(header)
    if fields is None:
        raise HoldoutError(f"{place} has a header that cannot be read\n  take it from git, or seal the set anew")
    return SealedHeader(**fields, raw=raw), body


def _fields(header: Mapping[str, Any]) -> dict[str, Any] | None:
    """The fields of a header, None where they are not those of version 1."""
    texts = [header.get(key) for key in ("key", "matcher", "nonce", "salt")]
    prints, length = header.get("fingerprints"), header.get("length")
    fits = (
        set(header) == _FIELDS
        and header["version"] == VERSION
        and header["cipher"] == _CIPHER
        and all(isinstance(text, str) for text in texts)
        and isinstance(prints, list)
        and all(isinstance(item, str) for item in prints)
        and isinstance(length, int)
    )
    if not fits:
        return None
    try:
        nonce, salt = (bytes.fromhex(header[key]) for key in ("nonce", "salt"))
    except ValueError:
        return None
    if len(nonce) != _NONCE_BYTES or len(salt) != _SALT_BYTES:
        return None
    return {
        "key": header["key"],
        "matcher": header["matcher"],
        "nonce": nonce,
        "salt": salt,
        "length": length,
        "fingerprints": frozenset(header["fingerprints"]),
    }


def _content(place: str, header: SealedHeader, body: bytes) -> bytes:
    text = b"".join(body.split())
    try:
        content = base64.b64decode(text[: len(text) - len(text) % 4], validate=True)
    except ValueError:
        raise HoldoutError(f"{place} is damaged: it holds what no seal writes\n  take it from git") from None
    if len(content) < header.length:
        there = f"{len(content)} of {header.length} bytes are there"
        raise HoldoutError(f"{place} is cut off: {there}\n  take it from git, or copy it again")
    return content


def _cipher(key: HoldoutKey) -> Any:  # noqa: ANN401  # the type is that of an extra
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError:
        raise MissingExtraError("a holdout", "cryptography", "holdout") from None
    return AESGCM(key.secret)


def asked_in(case: Case) -> str:
    """The words of a case's questions, as they are compared: case, marks and line breaks play no part."""
    asked = "\n".join(part.question for part in case.parts)
    return normalize(asked) or asked


def fingerprint(asked: str, salt: bytes) -> str:
    """The fingerprint of a question under the salt of one sealed file: slow on purpose, so that guessing is, too."""
    return hashlib.scrypt(asked.encode("utf-8", "surrogatepass"), salt=salt, **_SLOWLY).hex()


def _padded(prints: Iterable[str]) -> list[str]:
    found = set(prints)
    while len(found) % _PADDED_TO:
        found.add(secrets.token_hex(_SLOWLY["dklen"]))
    return sorted(found)


def cases_in_holdout(cases: Iterable[Case], header: SealedHeader) -> tuple[str, ...]:
    """The ids of the cases whose question a sealed file holds as well. Costs some 40 ms a case.

    Raises:
        HoldoutError: where the file was sealed under other rules of comparison, so that nothing can be said.
    """
    if header.matcher != MATCHER_VERSION:
        raise HoldoutError(
            f"the holdout was sealed under the matcher {header.matcher}, and this one is {MATCHER_VERSION}: whether "
            "cases stand in both cannot be seen\n  seal the set anew"
        )
    return tuple(case.id for case in cases if fingerprint(asked_in(case), header.salt) in header.fingerprints)
