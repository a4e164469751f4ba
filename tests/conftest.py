"""What every test may use: the shared test data, where it is there."""

from __future__ import annotations

import importlib
import os
import pkgutil
from pathlib import Path

import pytest
from hypothesis import settings

import foldproof

pytest_plugins = ["pytester"]

# The gate tries the same examples each time: what it lets pass here, it lets pass elsewhere. A run by hand looks on.
# Neither has a deadline for an example: on a busy machine it would say how busy the machine is.
settings.register_profile("by hand", deadline=None)
settings.register_profile("gate", deadline=None, derandomize=True)
settings.load_profile("gate" if os.environ.get("FOLDPROOF_GATE") else "by hand")

# pytest rewrites the modules of a plugin when they are imported. In the middle of a test, garbage of an earlier one may
# be collected meanwhile, whose warnings parse code too; CPython 3.11 fails at one within the other (cpython#106905).
for found in pkgutil.walk_packages(foldproof.__path__, "foldproof."):
    importlib.import_module(found.name)

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture
def anyio_backend() -> str:
    """Async tests run on asyncio, as the product does."""
    return "asyncio"


@pytest.fixture
def shared_data() -> Path:
    """The folder of third-party test data; the test is skipped where it is absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f"needs the third-party data in {SHARED_DATA.name}/ beside the repository")
    return SHARED_DATA
