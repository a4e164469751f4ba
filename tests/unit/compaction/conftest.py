"""What the tests of compactors share."""

import pytest


@pytest.fixture
def compacted():
    """Compacts with what waits for nothing: the first step ends it."""

    def run(compactor, text, budget):
        work = compactor.compact(text, budget)
        with pytest.raises(StopIteration) as ended:
            work.send(None)
        return ended.value.value

    return run
