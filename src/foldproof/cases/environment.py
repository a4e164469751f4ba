"""`${NAME}` in a project file: expanded when a value is used, so that no secret is loaded, hashed or recorded."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from foldproof.core import UsageError

_VARIABLE = re.compile(r"\$\$(?=\{)|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


def expand(value: Any, environ: Mapping[str, str], place: str = "") -> Any:  # noqa: ANN401  # any JSON value
    """The value with `${NAME}` and `${NAME:-default}` replaced in all its texts; `$${` stays as `${`.

    `place` names the value in the message, for instance `configs.production.model`. A default stands for a
    variable that is unset or empty.

    Raises:
        UsageError: for a variable that is not set and has no default.
    """
    if isinstance(value, Mapping):
        return {key: expand(item, environ, f"{place}.{key}" if place else str(key)) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [expand(item, environ, f"{place}[{index}]") for index, item in enumerate(value, 1)]
    if not isinstance(value, str):
        return value

    def found(match: re.Match[str]) -> str:
        name: str | None = match[1]
        if name is None:
            return "$"
        default: str | None = match[2]
        held = environ.get(name)
        if default is not None:
            return held or default
        if held is None:
            where = f"`{place}` needs" if place else "a value needs"
            raise UsageError(
                f"{where} the environment variable `{name}`, which is not set\n"
                f"  set it, write it into `.env` beside foldproof.yaml, or give a default: ${{{name}:-…}}"
            )
        return held

    # a `${NAME:-` that nothing closes is looked for in vain, each time to the end: so none is looked for there
    head, close, tail = value.rpartition("}")
    return _VARIABLE.sub(found, head + close) + tail.replace("$${", "${")
