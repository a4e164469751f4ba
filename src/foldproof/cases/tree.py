"""The tree of a file, whichever of the two languages it is written in."""

from __future__ import annotations

from pathlib import Path

from foldproof.cases.json_nodes import read_json
from foldproof.cases.nodes import FORMAT, Node, ReadBytes, data_of, line_at, read_bytes, read_text, resolve, shown
from foldproof.cases.yaml_nodes import read_yaml
from foldproof.core import FileError, Problem


def tree_of(text: str, path: Path) -> tuple[Node, list[Problem]]:
    """The tree of a text and what is wrong with it; the path says the language and stands in the messages.

    Raises:
        FileError: where the text cannot be read as a mapping at all.
    """
    read = read_json if path.suffix == ".json" else read_yaml
    root, problems = read(text, shown(path))
    if root is None:
        raise FileError(problems)
    if not isinstance(root.value, dict):
        problem = Problem(shown(path), root.line, "the file must hold a mapping", "start with `foldproof: 1`")
        raise FileError([*problems, problem])
    return root, problems


def read_tree(path: Path, read: ReadBytes = read_bytes) -> tuple[Node, list[Problem]]:
    """The tree of a file and what is wrong with it so far.

    Raises:
        FileError: where the file cannot be read as a mapping at all, or is of a newer format.
    """
    root, problems = tree_of(read_text(path, read), path)
    version = data_of(root).get("foldproof")
    found = resolve(version)
    if isinstance(found, int) and found > FORMAT:
        message = f"the file has format {version}, and this version of foldproof reads up to {FORMAT}"
        line = line_at(root, ("foldproof",))
        raise FileError([Problem(shown(path), line, message, "upgrade foldproof", rule="newer-format")])
    return root, problems
