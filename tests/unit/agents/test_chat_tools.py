"""What one answer has read of its memory: each item once, however many there are."""

import time

from foldproof.agents.chat_tools import Reading
from foldproof.agents.memories import Recall
from foldproof.logs import MemoryItem, Usage


def test_each_item_once_ranked_in_the_order_of_return():
    reading = Reading()
    tea, milk = MemoryItem("tea", "1", score=0.5), MemoryItem("milk", "2", dropped="beyond k")
    reading.add(Recall((tea,), ("searched",), Usage(1), (milk,)))
    reading.add(Recall((MemoryItem("milk", "2", score=0.9), MemoryItem("tea", "1", score=0.1)), ("searched", "twice")))
    reading.add(Recall((MemoryItem("tea", "3"),), passed_over=(MemoryItem("milk", "2", dropped="beyond k"),)))
    assert reading.items == [
        MemoryItem("tea", "1", rank=1, score=0.5),
        MemoryItem("milk", "2", rank=2, score=0.9),
        MemoryItem("tea", "3", rank=3),
    ]
    assert reading.notes == ["searched", "twice"]
    assert reading.usages == [Usage(1), None, None]


def test_a_whole_history_is_read_in_no_time():
    """All trials wait while one reads: twenty thousand items took twenty seconds when each was looked for in a list."""
    recall = Recall(tuple(MemoryItem(f"said {number}", f"s.t{number}") for number in range(20_000)))
    reading = Reading()
    before = time.process_time()
    reading.add(recall)
    reading.add(recall)
    assert time.process_time() - before < 2
    assert len(reading.items) == 20_000
