"""What git knows of a project's files: how they were at a revision, who works here, on which commit."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from foldproof.cases.nodes import shown
from foldproof.core import FileError, Problem, UsageError

_PATIENCE_S = 60
_POINTER = b"version https://git-lfs.github.com/spec/"
# Set where git calls us from a hook: they would point it at an index, or at a folder relative to another one.
_OF_A_HOOK = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR")
# A repository that is only looked at starts no program of its own and asks nobody anything.
_QUIET = ("-c", "core.fsmonitor=false", "-c", "log.showSignature=false", "--no-pager")


class GitError(UsageError):
    """Git cannot answer; the text says what to do."""


@dataclass(frozen=True, slots=True)
class Repository:
    """The repository that a folder lies in; `root` is the top of its working tree."""

    root: Path

    @property
    def shallow(self) -> bool:
        """Whether a part of the history was not fetched."""
        return _git(self.root, "rev-parse", "--is-shallow-repository") == b"true\n"

    def commit(self) -> str:
        """The commit that is checked out.

        Raises:
            GitError: where there is none yet.
        """
        try:
            return _git(self.root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}").decode().strip()
        except _FailedError:
            raise GitError(f"{self.root}: the repository has no commit yet\n  commit your work first") from None

    def user(self) -> str:
        """Who works here: `name <address>`.

        Raises:
            GitError: where git was not told.
        """
        said = []
        for key in ("user.name", "user.email"):
            try:
                said.append(_git(self.root, "config", "--get", key).decode("utf-8", "replace").strip())
            except _FailedError:
                remedy = f'run: git config {key} "…"'
                raise GitError(f"git does not know who you are: `{key}` is not set\n  {remedy}") from None
        return f"{said[0]} <{said[1]}>"

    def clean(self, *beside: Path) -> bool:
        """Whether the tracked files are as they were committed; those of `beside` are not looked at."""
        left_out = [f":(exclude,top,literal){self.name_of(path)}" for path in beside]
        words = ("status", "--porcelain", "--untracked-files=no", "--", ":(top)", *left_out)
        return not _git(self.root, *words)

    def name_of(self, path: Path) -> str:
        """The path as the repository names it.

        Raises:
            GitError: where it lies elsewhere.
        """
        place = Path(os.path.realpath(path.parent)) / path.name
        try:
            return place.relative_to(self.root).as_posix()
        except ValueError:
            raise GitError(f"{shown(path)} does not lie in the repository {self.root}\n  move it there") from None

    def base(self, rev: str) -> str:
        """The commit at which the present work left a revision: the last that both have in common.

        Raises:
            GitError: for a revision that is not known, or has nothing in common with the present one.
        """
        if rev.startswith("-") or not rev.strip() or "\0" in rev:
            raise GitError(f"'{rev}' is no revision\n  name a commit, a branch or a tag: origin/main, HEAD~1, v1.2")
        try:
            words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{commit}}")
            commit = _git(self.root, *words).decode().strip()
        except _FailedError:
            raise GitError(f"git knows no revision '{rev}' here{self._why_unknown()}") from None
        try:
            return _git(self.root, "merge-base", commit, "HEAD").decode().split()[0]
        except _FailedError:
            raise GitError(f"'{rev}' has no commit in common with the present work{self._why_unknown()}") from None

    def _why_unknown(self) -> str:
        if self.shallow:
            return (
                ": this clone is shallow, so it may not have been fetched\n"
                "  run: git fetch --unshallow, or check out with `fetch-depth: 0`"
            )
        return "\n  run: git fetch, and see: git branch --all"

    def content(self, path: Path, commit: str) -> bytes:
        """A file as it was at a commit.

        Raises:
            FileError: where it was not there, or only a pointer to it is.
        """
        name = self.name_of(path)
        place = f"{shown(path)} at {commit[:12]}"
        try:
            raw = _git(self.root, "cat-file", "blob", f"{commit}:{name}")
        except _FailedError:
            raise FileError([Problem(place, 0, "the file did not exist", "check the revision")]) from None
        if raw.startswith(_POINTER):
            hint = "keep histories and sets in git itself: they are read as they were"
            raise FileError([Problem(place, 0, "git has only a Git LFS pointer of the file", hint)])
        return raw

    def versions(self, path: Path) -> Iterator[tuple[str, bytes]]:
        """Every committed version of a file with its commit, the oldest first, along the first parents.

        One that the commit took away is empty.

        Raises:
            GitError: where it lies elsewhere, and where a version was not fetched or cannot be read.
        """
        name = self.name_of(path)
        words = ("log", "--first-parent", "--format=%H", "--reverse", "--", f":(top,literal){name}")
        for commit in _git(self.root, *words).decode().split():
            try:
                there = _git(self.root, "ls-tree", "--full-tree", "-z", commit, "--", name)
                raw = _git(self.root, "cat-file", "blob", f"{commit}:{name}") if there else b""
            except _FailedError:
                raise GitError(
                    f"git has not the version of {shown(path)} at {commit[:12]}: the clone is partial, or damaged\n"
                    "  clone the repository whole, without --filter"
                ) from None
            yield commit, raw


def repository_of(folder: Path) -> Repository:
    """The repository that a folder lies in, or will lie in once it is made.

    Raises:
        GitError: where it lies in none, or git is not there or refuses to read it.
    """
    folder = next(place for place in (folder, *folder.parents) if place.is_dir())
    try:
        top = _git(folder, "rev-parse", "--show-toplevel")
    except _FailedError as error:
        if "dubious ownership" in str(error):
            raise GitError(f"git does not trust the repository of {folder}:\n  {error}") from None
        raise GitError(f"{folder} lies in no git repository\n  run: git init, and commit the project") from None
    return Repository(Path(os.path.realpath(os.fsdecode(top.rstrip(b"\n")))))


class _FailedError(GitError):
    """Git answered with a failure; its text is what it was asked and what it said."""


def _git(folder: Path, *words: str) -> bytes:
    program = shutil.which("git")
    if program is None:
        raise GitError("git is not installed, or not on the path\n  install git")
    environ = {key: value for key, value in os.environ.items() if key not in _OF_A_HOOK}
    environ |= {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1"}
    try:
        done = subprocess.run(  # noqa: S603  # git itself, without a shell; what a person wrote is never an option
            [program, *_QUIET, "-C", str(folder), *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=environ,
            timeout=_PATIENCE_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise GitError(f"git did not answer within {_PATIENCE_S} s\n  it was asked: git {words[0]}") from None
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip()
        said = done.stderr.decode("utf-8", "replace").strip()
        raise _FailedError(f"git {words[0]} failed: {said or 'it does not say why'}")
    return done.stdout
