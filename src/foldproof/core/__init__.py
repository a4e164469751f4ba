"""What every stage stands on: errors with exit codes, the one registry, canonical JSON and hashes."""

from foldproof.core.canonical import canonical_json, content_hash
from foldproof.core.errors import (
    ExitCode,
    FileError,
    FoldproofError,
    MissingExtraError,
    NothingSelectedError,
    Problem,
    UsageError,
    first_of,
    nearest_of,
)
from foldproof.core.personal import PERSONAL_KINDS, PersonalKind, PersonalRedactor, Pseudonyms
from foldproof.core.registry import Registry
from foldproof.core.secrets import REDACTED, Redactor
from foldproof.core.version import __version__

__all__ = [
    "PERSONAL_KINDS",
    "REDACTED",
    "ExitCode",
    "FileError",
    "FoldproofError",
    "MissingExtraError",
    "NothingSelectedError",
    "PersonalKind",
    "PersonalRedactor",
    "Problem",
    "Pseudonyms",
    "Redactor",
    "Registry",
    "UsageError",
    "__version__",
    "canonical_json",
    "content_hash",
    "first_of",
    "nearest_of",
]
