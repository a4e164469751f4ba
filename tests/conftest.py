"""What every test may use: the shared test data, where it is there."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

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
