"""Why a memory does not hold what was said: errors, deletions, what a model gave, other scripts."""

import pytest

from foldproof.cases import Case
from foldproof.logs import MemoryItem, ModelCall, Seen, ToolCall
from foldproof.matching import Fact
from foldproof.record import StoreListing, Trial
from foldproof.score import Records, TrialEvidence
from foldproof.score.writing import failure_of, why_unwritten

FACT = Fact("normalized", "no NSAIDs")


def evidence_of(*held, calls=(), writes=None, source="wire"):
    listing = StoreListing(tuple(MemoryItem(text) for text in held))
    seen = (Seen(source, tuple(calls)),) if calls else ()
    trial = Trial("q", 0, store_written=listing.sha256, building=seen, memory_writes=writes)
    return TrialEvidence(Case("q", "?"), trial, Records(listing={listing.sha256: listing}.get))


def writes_of(*told):
    return tuple(MemoryItem(text, kind=kind) for kind, text in told)


@pytest.mark.parametrize(
    ("calls", "told"),
    [
        ([ModelCall("x", error="timed out")], "timed out"),
        ([ModelCall("x", status=429)], "status 429"),
        ([ModelCall("x", status=429), ModelCall("y")], "status 429 (1 of 2 model calls failed)"),
        ([ModelCall("x", status=400)] * 3, "status 400 (3 of 3 model calls failed)"),
        ([ModelCall("x", status=429), ModelCall("x")], ""),  # tried again
        ([ModelCall("", status=429), ModelCall("")], "status 429 (1 of 2 model calls failed)"),  # who knows
        ([ModelCall("x")], ""),
        ([], ""),
    ],
)
def test_what_failed_while_it_was_built(calls, told):
    assert failure_of(evidence_of(calls=calls)) == told
    assert why_unwritten(FACT, evidence_of(calls=calls)) == (f"write error: {told}" if told else "never extracted")


def test_two_sources_of_one_call_count_once():
    call = ModelCall("x", status=400)
    evidence = evidence_of(calls=[call])
    both = Trial("q", 0, building=(Seen("otel"), Seen("wire", (call, call)), Seen("otel", (call, call))))
    assert failure_of(TrialEvidence(evidence.case, both, Records())) == "status 400 (2 of 2 model calls failed)"


@pytest.mark.parametrize(
    ("writes", "reason"),
    [
        ([("ADD", "no NSAIDs")], "overwritten"),
        ([("ADD", "no NSAIDs"), ("UPDATE", "tea")], "overwritten"),
        ([("ADD", "no NSAIDs"), ("DELETE", "no NSAIDs")], "deleted again"),
        ([("ADD", "no NSAIDs"), ("delete_all", "everything")], "deleted again"),
        ([("DELETE", "tea"), ("ADD", "no NSAIDs")], "overwritten"),
        ([("DELETE", "NSAIDs are fine")], "never extracted"),
    ],
)
def test_what_was_written_and_is_gone(writes, reason):
    assert why_unwritten(FACT, evidence_of(writes=writes_of(*writes))) == reason


@pytest.mark.parametrize(
    ("call", "stored"),
    [
        (ModelCall("x", answer='[{"event": "UPDATE", "id": "12", "text": "no NSAIDs"}]'), False),
        (ModelCall("x", tool_calls=(ToolCall("save", {"n": 1, "text": "takes no NSAIDs"}),)), False),
        (ModelCall("x: no NSAIDs", answer="nothing new"), True),
        (ModelCall("x", tool_calls=(ToolCall("save", {"text": "tea"}),)), True),
    ],
)
def test_what_a_model_extracted_and_nobody_stored(call, stored):
    reason = why_unwritten(FACT, evidence_of(calls=[call]))
    assert reason == ("never extracted" if stored else "write error: a model extracted it, and it was not stored")


@pytest.mark.parametrize(
    ("fact", "held", "other"),
    [
        ("蓝屏咖啡", "works at Blue Screen Coffee", True),
        ("蓝屏咖啡", "我喝茶", False),
        ("Blue Screen Coffee", "蓝屏咖啡", True),
        ("Фёдор", "is called Fyodor", True),
        ("コーヒー", "私は茶を飲みます", False),
        ("佐々木", "私は茶を飲みます", False),
        ("佐々木", "drinks tea", True),
        ("Hawaiʻi", "drinks tea", False),
        ("VIP 客户", "a VIP customer", True),
        ("6001", "порт шесть тысяч один", False),
        ("Ｐｏｒｔ", "tea", False),
        ("蓝屏咖啡", "6001", False),
    ],
)
def test_a_fact_in_a_script_that_the_memory_lacks(fact, held, other):
    assert ("another language" in why_unwritten(Fact("normalized", fact), evidence_of(held))) == other


def test_one_spelling_in_the_memorys_script_is_enough():
    spellings = Fact("any", any=(Fact("normalized", "蓝屏咖啡"), Fact("normalized", "Blue Screen Coffee")))
    assert why_unwritten(spellings, evidence_of("drinks tea")) == "never extracted"


def test_a_memory_that_was_not_seen_holds_no_script():
    evidence = TrialEvidence(Case("q", "?"), Trial("q", 0), Records())
    assert why_unwritten(Fact("normalized", "蓝屏咖啡"), evidence) == "never extracted"
