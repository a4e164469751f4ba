"""Where things stand, for the contracts that a machine checks."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def root() -> Path:
    return Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def source(root) -> Path:
    return root / "src" / "foldproof"
