"""The key of the pseudonyms, and the persons' names, out of their files: what an import with personal data needs."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path

from foldproof.cases import project_environment
from foldproof.core import PersonalKind, PersonalRedactor, Pseudonyms, UsageError
from foldproof.workflow.workspace import locate_project

_KEY_FILE = "pseudonym.key"
_VARIABLE = re.compile(r"\$\{(\w+)\}")
_IGNORE = "# machine files of foldproof: nothing here belongs in git\n*\n"
_LARGEST = 2**20


def personal_redactor(
    kinds: Sequence[PersonalKind], key: str = "", *, names: Path | None = None, region: str = "", start: Path
) -> tuple[PersonalRedactor, str]:
    """A redactor that replaces these kinds of personal data, and what to tell of its key.

    `key` is a file, made where it does not exist, or `${NAME}`; by default the project's own key, in `.foldproof`.
    `names` is a file with a person a line, spellings apart by semicolons.

    Raises:
        UsageError: for a key or a file that cannot be used, and where no key is named and no project is found.
        MissingExtraError: where the extra `personal-data` is needed and not installed.
    """
    environ, folder = _surroundings(start)
    persons = _persons(names) if names else []
    if "name" in kinds and not persons:
        raise UsageError("names are found only where they are listed\n  name a file with --names, a person a line")
    raw, told = _key(key, environ, folder)
    redactor = PersonalRedactor(Pseudonyms(raw, kinds, names=persons, region=region.upper()), environ)
    return redactor, f"pseudonyms are made with the key {told}. Whoever has it can try out a guess"


def _surroundings(start: Path) -> tuple[Mapping[str, str], Path | None]:
    """The environment and the hidden folder of the project, where there is one."""
    try:
        project = locate_project(start)
    except UsageError:
        return os.environ, None
    return project_environment(project), project.root / ".foldproof"


def _key(key: str, environ: Mapping[str, str], folder: Path | None) -> tuple[bytes, str]:
    if variable := _VARIABLE.fullmatch(key):
        value = environ.get(variable[1], "")
        if not value:
            raise UsageError(
                f"the key of the pseudonyms is ${{{variable[1]}}}, which is not set\n  set it, or name a file"
            )
        return value.encode(), f"of {key}"
    if not key and folder is None:
        raise UsageError("there is no project here whose key could be used\n  name a key file with --pseudonym-key")
    path = Path(key) if key or folder is None else folder / _KEY_FILE
    try:
        made = _made(path)
        with path.open("rb") as file:
            raw = file.read(_LARGEST).strip()
    except OSError as error:
        raise UsageError(f"{path}: the key file cannot be used: {error.strerror or error}") from None
    return raw, f"in {path}" + (
        ", which was made now; keep it, since another key gives other pseudonyms" if made else ""
    )


def _made(path: Path) -> bool:
    """Make a key file where there is none; nobody else may read it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    ignore = path.parent / ".gitignore"
    if path.parent.name.startswith(".") and not ignore.exists():
        ignore.write_text(_IGNORE, encoding="utf-8")
    try:
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return False
    with os.fdopen(number, "w", encoding="ascii") as file:
        file.write(f"{secrets.token_hex(32)}\n")
    return True


def _persons(path: Path) -> list[list[str]]:
    try:
        with path.open("rb") as file:
            lines = file.read(_LARGEST).decode("utf-8-sig").splitlines()
    except (OSError, UnicodeError) as error:
        raise UsageError(
            f"{path}: the names cannot be read: {getattr(error, 'strerror', None) or 'no UTF-8'}"
        ) from None
    persons = [[part.strip() for part in line.split(";") if part.strip()] for line in lines if not line.startswith("#")]
    if short := next((name for person in persons for name in person if len(name) < 2), None):
        raise UsageError(f"{path}: '{short}' is too short for a name\n  list names of two letters and more")
    return [person for person in persons if person]
