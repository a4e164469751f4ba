"""Who lost it: the first stage at which a fact is gone, why, and what cannot be said."""

from dataclasses import replace

import pytest

from foldproof.cases import Case
from foldproof.logs import History, MemoryItem, ModelCall, Seen, Session, ToolCall, Turn
from foldproof.matching import Fact
from foldproof.matching.escapes import unescaped
from foldproof.record import StoreListing, Trial
from foldproof.score import STAGES, Loss, Records, TrialEvidence, disagreements, score_trial

FACT = "no NSAIDs"
QUESTION = "Which painkillers?"


def _items(*texts, **fields):
    return tuple(MemoryItem(text, **fields) for text in texts)


def _item(text, rank=0):
    return text if isinstance(text, MemoryItem) else MemoryItem(text, rank=rank)


@pytest.fixture
def lost():
    """Scores a trial whose stages hold the given texts, and gives the loss of its only expected fact."""

    def scoring(
        stated=("Me: no NSAIDs.",), written=("no NSAIDs",), kept=("no NSAIDs",), *,
        reads=("no NSAIDs",), prompt="Known: no NSAIDs", answer="Ask a doctor.",
        fact=FACT, case=None, memory=None, trial=None, which=-1,
    ):  # fmt: skip
        listings = {}

        def listing(texts):
            if texts is None:
                return None
            held = StoreListing(tuple(map(_item, texts)))
            listings[held.sha256] = held
            return held.sha256

        expected = () if fact is None else (fact if isinstance(fact, Fact) else Fact("normalized", fact),)
        asked = Case("q", QUESTION, expected=expected, history="h", **(case or {}))
        history = (
            None if stated is None else History("h", (Session("s1", tuple(Turn("user", text) for text in stated)),))
        )
        given = None if reads is None else [_item(text, rank) for rank, text in enumerate(reads, 1)]
        made = Trial(
            "q",
            0,
            answer,
            memory_reads=None if given is None else tuple(given),
            store_written=listing(written),
            store_kept=listing(kept),
            prompt=prompt,
            **(trial or {}),
        )  # fmt: skip
        records = Records({"h": history} if history else {}, listings.get, memory or {})
        return score_trial(asked, made, records=records).facts[which].loss

    return scoring


@pytest.mark.parametrize(
    ("stages", "owner", "reason"),
    [
        ({}, "use", "in the prompt and unused"),
        ({"prompt": "Known: nothing"}, "prompt", "no retrieved item stands whole in the prompt"),
        ({"reads": ("no NSAIDs", "tea"), "prompt": "tea"}, "prompt", "cut: 1 of 2 retrieved items stand whole"),
        ({"reads": ("tea",), "prompt": "tea"}, "retrieve", "not among the 1 items given"),
        ({"reads": (), "prompt": ""}, "retrieve", "nothing was given"),
        ({"kept": ("tea",), "reads": (), "prompt": ""}, "fold", "dropped"),
        ({"written": (), "kept": (), "reads": (), "prompt": ""}, "write", "never extracted"),
        ({"stated": ("Tea?",), "written": (), "kept": (), "reads": (), "prompt": ""}, "case", "the history does not"),
    ],
)
def test_the_first_stage_that_lacks_it_is_the_owner(lost, stages, owner, reason):
    loss = lost(**stages)
    assert (loss.owner, loss.degraded) == (owner, False)
    assert loss.reason.startswith(reason)
    assert [sighting.stage for sighting in loss.stages] == list(STAGES)
    assert str(loss).startswith(f"lost at {owner} (")


@pytest.mark.parametrize(
    ("stages", "owner", "reason"),
    [
        (
            {"written": ("NSAIDs",), "kept": ("NSAIDs",), "reads": ("NSAIDs",), "prompt": "NSAIDs"},
            "write",
            "turned round",
        ),
        ({"kept": ("NSAIDs",), "reads": ("NSAIDs",), "prompt": "NSAIDs"}, "fold", "turned round"),
        ({"reads": ("NSAIDs",), "prompt": "NSAIDs"}, "retrieve", "turned round"),
        ({"prompt": "NSAIDs"}, "prompt", "turned round"),
        ({"answer": "Take NSAIDs."}, "use", "turned round"),
    ],
)
def test_a_weaker_form_is_degraded_and_never_kept(lost, stages, owner, reason):
    loss = lost(**stages)
    assert (loss.owner, loss.degraded, loss.reason) == (owner, True, reason)
    assert str(loss) == f"degraded at {owner} ({reason})"


@pytest.mark.parametrize(
    ("text", "owner", "reason"),
    [("Postgres", "fold", "generalised: its number is gone"), ("Oracle", "fold", "dropped")],
)
def test_a_fold_that_generalises(lost, text, owner, reason):
    held = ("Postgres 15",)
    loss = lost(held, held, (text,), reads=(), prompt="", fact="Postgres 15")
    assert (loss.owner, loss.reason, loss.degraded) == (owner, reason, "generalised" in reason)


@pytest.mark.parametrize(
    ("stages", "reason"),
    [
        ({"written": None, "kept": None, "reads": None, "prompt": None}, "written or kept or retrieved or prompted"),
        ({"reads": None, "prompt": "tea"}, "whether it was retrieved cannot be seen"),
        ({"kept": None, "reads": ("tea",), "prompt": "tea"}, "whether it was kept cannot be seen"),
        (
            {"stated": None, "written": ("tea",), "kept": ("tea",), "reads": (), "prompt": ""},
            "was stated cannot be seen",
        ),
    ],
)
def test_what_cannot_be_seen_is_unknown(lost, stages, reason):
    loss = lost(**stages)
    assert loss.owner == "unknown"
    assert reason in loss.reason
    assert str(loss) == f"owner unknown: {loss.reason}"


def test_a_later_sighting_proves_the_earlier_stages(lost):
    assert lost(written=None, kept=None, reads=None).owner == "use"
    assert lost(stated=None, written=("tea",), kept=("tea",), reads=("tea",)).owner == "use"


def test_the_question_itself_is_not_remembered(lost):
    loss = lost(reads=(), prompt=f"Known: nothing. {QUESTION}", fact="painkillers", stated=("painkillers",),
                written=("painkillers",), kept=("painkillers",))  # fmt: skip
    assert loss.owner == "retrieve"


def test_what_the_history_says_in_other_words_is_nobodys_loss(lost):
    stages = {"written": (), "kept": (), "reads": (), "prompt": ""}
    assert lost(("NSAIDs? No way.",), **stages).owner == "unknown"
    assert lost(("A replica to read from.",), fact="read replica", **stages).stages[0].presence == "near"
    loss = lost(("I keep off them.",), case={"source": ("h/s1.t1",)}, **stages)
    assert (loss.owner, "h/s1.t1" in loss.reason) == ("unknown", True)
    near = lost(("the quarterly reports",), fact="quarterly report", **stages)
    assert (near.owner, near.stages[0].presence) == ("unknown", "near")


def test_of_a_near_form_nobody_can_say_whether_it_was_lost(lost):
    said = ("the quarterly report",)
    loss = lost(said, ("the quarterly reports",), ("x",), reads=(), prompt="", fact="quarterly report")
    assert (loss.owner, loss.stages[1].presence) == ("unknown", "near")
    assert loss.reason == "written holds a near form only: 'quarterly reports'"


@pytest.mark.parametrize(
    ("dropped", "k", "reason"),
    [
        ("beyond k", 8, "rank 14, k = 8"),
        ("beyond k", None, "rank 14, beyond k"),
        ("below the threshold", 8, "rank 14, below the threshold"),
    ],
)
def test_a_candidate_that_was_not_given_says_why(lost, dropped, k, reason):
    reads = (
        MemoryItem("tea", rank=1),
        MemoryItem("milk", rank=13, dropped=dropped),
        MemoryItem("no NSAIDs", rank=14, dropped=dropped),
    )
    loss = lost(reads=reads, prompt="tea", memory={"k": k} if k else {})
    assert (loss.owner, loss.reason) == ("retrieve", reason)


def test_spans_show_what_a_reranker_passed_over(lost):
    dropped = MemoryItem("no NSAIDs", rank=3, dropped="passed over by the reranker")
    seen = (Seen("otel", (), memory_reads=(MemoryItem("tea", rank=1), dropped)), Seen("wire"))
    loss = lost(reads=None, prompt="tea", trial={"seen": seen})
    assert (loss.owner, loss.reason) == ("retrieve", "rank 3, passed over by the reranker")


def test_a_case_has_its_own_k(lost):
    reads = (MemoryItem("no NSAIDs", rank=3, dropped="beyond k"),)
    assert lost(reads=reads, prompt="", case={"memory_config": {"k": 2}}).reason == "rank 3, k = 2"


def test_why_retrieval_lost_it(lost):
    reads = (MemoryItem("aspirin helps", rank=1),)
    loss = lost(reads=reads, prompt="aspirin helps", case={"forbidden": (Fact("normalized", "aspirin"),)}, which=0)
    assert (loss.owner, loss.reason) == ("retrieve", "outranked by a stale value")
    other = lost(reads=(MemoryItem("x", rank=1, user="bob"),), prompt="x", trial={"user": "alice"})
    assert other.reason == "another user's items were given"
    own = lost(reads=(MemoryItem("x", rank=1, user="alice"),), prompt="x", trial={"user": "alice"})
    assert own.reason == "not among the 1 items given"
    built = {"user": "alice-2", "built_by": "alice"}
    restored = lost(reads=(MemoryItem("x", rank=1, user="alice"),), prompt="x", trial=built)
    assert restored.reason == "not among the 1 items given"


@pytest.mark.parametrize(
    ("kind", "case_class", "wrong"),
    [
        ("event", "safety", "as a dated event"),
        ("fact", "episodic", "as a standing fact"),
        ("event", "episodic", ""),
        ("", "safety", ""),
    ],
)
def test_the_wrong_kind_of_item(lost, kind, case_class, wrong):
    kept = (MemoryItem("no NSAIDs", kind=kind),)
    loss = lost(written=kept, kept=kept, reads=("tea",), prompt="tea", case={"case_class": case_class})
    assert loss.owner == "retrieve"
    assert (f"stored only {wrong}" in loss.reason) == bool(wrong)


def _building(**call):
    return {"building": (Seen("wire", (ModelCall("extract", **call),)),)}


@pytest.mark.parametrize(
    ("trial", "reason"),
    [
        (_building(error="timed out"), "write error: timed out"),
        (_building(status=429), "write error: status 429"),
        (_building(), "never extracted"),
        ({"notes": ("1 of 3 writes failed: unknown id '12'",)}, "write error: 1 of 3 writes failed: unknown id '12'"),
        ({"notes": ("written by hand",)}, "never extracted"),
        ({"memory_writes": _items("no NSAIDs")}, "overwritten"),
        ({"building": (Seen("otel", memory_writes=_items("no NSAIDs")),)}, "overwritten"),
        ({"memory_writes": _items("tea")}, "never extracted"),
    ],
)
def test_why_writing_lost_it(lost, trial, reason):
    loss = lost(written=(), kept=(), reads=(), prompt="", trial=trial)
    assert (loss.owner, loss.reason) == ("write", reason)


def test_a_fact_in_a_script_that_the_memory_does_not_have(lost):
    stages = {"fact": "蓝屏咖啡", "stated": ("我在蓝屏咖啡上班",), "reads": (), "prompt": ""}
    english = lost(written=("works at Blue Screen Coffee",), kept=("works at Blue Screen Coffee",), **stages)
    assert "another language" in english.reason
    assert lost(written=("我喝茶",), kept=("我喝茶",), **stages).reason == "never extracted"
    assert lost(written=(), kept=(), **stages).reason == "never extracted"


def test_why_it_was_not_used(lost):
    assert lost(answer="I don't know.").reason == "the answer says that it does not know"
    assert lost(answer="No N-SAIDs").reason in {"a near form only: 'No N-SAIDs'", "in the prompt and unused"}
    forbidden = {"answer": "Ibuprofen is fine.", "case": {"forbidden": (Fact("normalized", "ibuprofen"),)}, "which": 0}
    stale = lost(prompt="Known: ibuprofen; no NSAIDs", **forbidden)
    assert (stale.owner, stale.reason) == ("use", "a stale value was said")
    made_up = lost(**forbidden)
    assert (made_up.owner, made_up.reason) == ("use", "what is forbidden was said in its place")
    held = ("Postgres 15",)
    generalised = lost(held, held, held, reads=held, prompt="Postgres 15", answer="Postgres", fact="Postgres 15")
    assert (generalised.reason, generalised.degraded) == ("its number is gone", True)


def test_why_the_prompt_lacks_it_where_retrieval_is_not_seen(lost):
    evidence = {"reads": None, "prompt": "tea"}
    assert lost(**evidence).owner == "unknown"
    # Another source saw the retrieval, the adapter did not.
    seen = (Seen("otel", (), memory_reads=_items("no NSAIDs")),)
    loss = lost(**evidence, trial={"seen": seen})
    assert (loss.owner, loss.reason) == ("prompt", "no retrieved item stands whole in the prompt")
    assert loss.stages[3].source == "otel"


def _forbidden(lost, **stages):
    return lost(case={"forbidden": (Fact("normalized", "3F"),)}, **{"answer": "It is 3F", **stages})


@pytest.mark.parametrize(
    ("stages", "owner", "reason"),
    [
        ({"prompt": None}, "unknown", "the prompt cannot be seen"),
        ({"prompt": "5F"}, "use", "it does not stand in the prompt"),
        ({"prompt": "3F then 5F"}, "use", "what was expected stands in the prompt beside it"),
        ({"prompt": "3F", "reads": ("3F",)}, "retrieve", "it was given in place of '5F'"),
        ({"prompt": "3F", "reads": ("3F",), "kept": ("3F",)}, "fold", "it was given in place of '5F'"),
    ],
)
def test_where_a_stale_value_came_from(lost, stages, owner, reason):
    both = ("desk 3F", "desk 5F")
    loss = _forbidden(lost, fact="5F", stated=both, **{"written": both, "kept": both, "reads": both, **stages})
    assert (loss.owner, loss.reason) == (owner, reason)


@pytest.mark.parametrize(
    ("stages", "owner"),
    [
        ({}, "write"),  # stated, and still held as current
        ({"stated": ("tea",)}, "write"),  # nobody said so
        ({"stated": ("tea",), "written": ("tea",)}, "fold"),
        ({"stated": ("tea",), "written": ("tea",), "kept": ("tea",)}, "retrieve"),
        ({"reads": ("tea",)}, "prompt"),
        ({"reads": None}, "unknown"),
    ],
)
def test_where_an_invented_value_comes_in(lost, stages, owner):
    all_hold = {"stated": ("3F",), "written": ("3F",), "kept": ("3F",), "reads": ("3F",), "prompt": "3F"}
    # The case also expects something, so that it asserts anything at all; the answer holds it.
    loss = _forbidden(lost, fact="It is", **{**all_hold, **stages})
    assert loss.owner == owner


def test_without_a_model_nobody_chooses_between_two_values(lost):
    both = ("desk 3F", "desk 5F")
    context = "desk 3F\ndesk 5F"
    loss = _forbidden(lost, fact="5F", stated=both, written=both, kept=both, reads=both, prompt=context, answer=context)
    assert (loss.owner, loss.reason) == ("write", "the memory holds both and does not mark the stale one")


@pytest.fixture
def evidence():
    def of(trial, *facts, question=QUESTION):
        return TrialEvidence(
            Case("q", question, expected=tuple(Fact("normalized", fact) for fact in facts)), trial, Records()
        )

    return of


def test_the_wire_counts_more_than_what_the_agent_tells(evidence):
    call = ModelCall(f"{QUESTION} Known: tea", "Ask.")
    seen = (Seen("otel", (ModelCall(f"{QUESTION} x", "Ask."),)), Seen("wire", (call, ModelCall("embed this", "[0.1]"))))
    found = evidence(Trial("q", 0, "Ask.", prompt="Known: no NSAIDs", seen=seen), FACT)
    assert [shown.source for shown in found.prompts] == ["wire", "otel", "adapter"]
    assert [part.text.raw for part in found.prompts[0].parts] == ["… Known: tea"]
    assert disagreements(found) == ("prompt: 'no NSAIDs' stands in what adapter shows and not in what wire shows",)


def _prompts(evidence, answer, *calls):
    shown = evidence(Trial("q", 0, answer, seen=(Seen("wire", calls),)), FACT).prompts
    return [part.text.raw for part in shown[0].parts] if shown else None


def test_the_call_that_gave_the_answer_is_told_from_others(evidence):
    ranked = ModelCall(f"Rank for {QUESTION}: no NSAIDs", "1")
    answering = ModelCall(f"{QUESTION} Known: tea", "Ask a doctor.")
    writer = ModelCall("Extract from: Ask a doctor.", '["asked"]')
    failed = ModelCall(f"{QUESTION} no NSAIDs and much more", status=400)
    broken = ModelCall(f"{QUESTION} no NSAIDs", "Ask", error="broken off")
    assert _prompts(evidence, "Ask a doctor.", ranked, answering, writer) == ["… Known: tea"]
    assert _prompts(evidence, "Ask a doctor. Be well!", failed, broken, answering) == ["… Known: tea"]
    # Two models were asked the question, and neither said the answer.
    assert _prompts(evidence, "Something else.", ranked, answering) is None
    assert _prompts(evidence, "Something else.", failed) is None
    # The question was put in other words: the answer tells the call.
    assert _prompts(evidence, "Tea.", ModelCall("Known: no NSAIDs", "Tea.")) == ["Known: no NSAIDs"]


def test_a_tool_loop_is_one_prompt_without_the_models_own_words(evidence):
    first = ModelCall(QUESTION, "Let me look up no NSAIDs.", tool_calls=(ToolCall("search"),))
    last = ModelCall(f"{QUESTION} assistant: Let me look up no NSAIDs. tool: tea", "Tea.")
    assert _prompts(evidence, "Tea.", first, last) == ["… assistant: … tool: tea"]
    # A protocol that refers to what was said before does not repeat it.
    continued = ModelCall("tool: tea", "Tea.")
    assert _prompts(evidence, "Tea.", first, continued) == ["…", "tool: tea"]


def test_the_escapes_of_json_are_read(evidence):
    call = ModelCall(f'{QUESTION} ["Zo\\u00eb \\"Ann\\""]', "Tea.")
    assert _prompts(evidence, "Tea.", call)[1] == '… ["Zoë "Ann""]'
    assert unescaped(r"\ud83d\ude00 \n\t\\ \x") == "😀 \n\t\\ \\x"
    assert unescaped("\\ud83d") == "\ufffd"
    reads = (MemoryItem("Zo\\u00eb", rank=1), MemoryItem("tea", rank=2))
    [shown] = evidence(Trial("q", 0, "", memory_reads=reads), FACT).reads
    assert [(part.text.raw, part.place) for part in shown.parts] == [
        ("Zo\\u00eb", "rank 1"),
        ("Zoë", "rank 1"),
        ("tea", "rank 2"),
    ]


def test_calls_without_the_question_are_not_the_answer(evidence):
    trial = Trial("q", 0, "", prompt="Known: no NSAIDs", seen=(Seen("wire", (ModelCall("embed this"),)),))
    assert [shown.source for shown in evidence(trial, FACT).prompts] == ["adapter"]


def test_sources_that_disagree_are_both_told(evidence):
    call = ModelCall(QUESTION, tool_calls=(ToolCall("search"), ToolCall("refund")))
    reads = Seen("otel", (), memory_reads=_items("no NSAIDs"))
    trial = Trial("q", 0, "", memory_reads=(), tool_calls=(ToolCall("search"),), seen=(Seen("wire", (call,)), reads))
    assert disagreements(evidence(trial, FACT)) == (
        "retrieved items: 'no NSAIDs' stands in what otel shows and not in what adapter shows",
        "tool calls: wire shows refund, of which the adapter does not tell",
    )
    agreed = replace(trial, memory_reads=_items("no NSAIDs"), tool_calls=(ToolCall("search"), ToolCall("refund")))
    assert disagreements(evidence(agreed, FACT)) == ()
    assert disagreements(evidence(replace(agreed, tool_calls=None), FACT)) == ()


def test_the_arguments_of_a_call_are_a_use(evidence):
    trial = Trial("q", 0, "Done.", tool_calls=(ToolCall("refund", {"method": "store credit"}),))
    used = evidence(trial).stages["used"]
    assert [part.place for part in used.parts] == ["the answer", "the call of refund"]
    assert used.parts[1].text.raw == "method: store credit."


def test_a_listing_that_is_not_kept_cannot_be_seen():
    seen = TrialEvidence(Case("q", "", history="gone"), Trial("q", 0, store_kept="0" * 64, prompt="x"), Records())
    assert (seen.stages["kept"], seen.stages["stated"]) == (None, None)
    assert seen.stages["prompted"].parts[0].text.raw == "x"


def test_nothing_is_traced_without_records_or_where_all_is_right(lost):
    assert lost(answer="no NSAIDs") is None
    case = Case("q", QUESTION, expected=(Fact("normalized", FACT),))
    assert score_trial(case, Trial("q", 0, "tea")).facts[0].loss is None
    assert str(Loss("unknown", "", ())) == "owner unknown"
    assert str(Loss("use", "", ())) == "lost at use"


def test_histories_and_listings_are_prepared_once():
    held = StoreListing(_items("tea"))
    asked = []
    records = Records(
        {"h": History("h", (Session("s", (Turn("user", "tea"),)),))}, lambda sha: asked.append(sha) or held
    )
    assert records.turns("h") is records.turns("h")
    assert records.items("x") is records.items("x")
    assert (asked, records.items(None)) == (["x"], None)
    assert [part.place for part in records.turns("h")] == ["s.t1"]


def test_a_negated_hit_does_not_hide_one_that_holds(lost):
    loss = lost(reads=("not vegetarian", "vegetarian"), fact="vegetarian", stated=("vegetarian",), prompt="tea",
                written=("vegetarian",), kept=("vegetarian",))  # fmt: skip
    assert (loss.owner, loss.stages[3].presence, loss.stages[3].place) == ("prompt", "held", "rank 2")


def test_a_value_has_no_likeness(lost):
    loss = lost(("3 March 2026",), ("4 March 2026",), (), reads=(), prompt="", fact=Fact("date", "2026-03-03"))
    assert (loss.owner, loss.stages[1].presence, loss.reason) == ("write", "gone", "never extracted")


def test_long_texts_are_shown_around_the_hit(lost):
    long = f"{'x ' * 200}no NSAIDs{' y' * 200}"
    stated = lost((long,)).stages[0]
    assert stated.text.startswith("…")
    assert stated.text.endswith("…")
    assert "no NSAIDs" in stated.text
    assert len(stated.text) < 200


def test_a_use_that_stands_beside_the_answer(lost):
    call = ToolCall("note", {"rule": "no NSAIDs"})
    assert lost(trial={"tool_calls": (call,)}).reason == "it stands in a tool call and not in the answer"


def test_what_the_model_said_and_the_agent_did_not_hand_on(lost):
    said = (Seen("otel"), Seen("wire", (ModelCall(f"{QUESTION} no NSAIDs", "Well: no NSAIDs."),)))
    loss = lost(answer="Done.", trial={"seen": said})
    assert (loss.owner, loss.reason) == ("use", "the model said it, and the agent's answer does not")
    same = (Seen("wire", (ModelCall(f"{QUESTION} no NSAIDs", "Done."),)),)
    assert lost(answer="Done.", trial={"seen": same}).reason == "in the prompt and unused"


def test_without_a_question_no_call_was_asked_it(evidence):
    calls = (ModelCall("one", "x"), ModelCall("two", "y"))
    trial = Trial("q", 0, "z", seen=(Seen("wire", calls),))
    assert evidence(trial, FACT, question=" ").prompts == ()


def test_what_the_answer_holds_was_not_given_up_for_what_is_forbidden(lost):
    both = ("desk 5F",)
    loss = _forbidden(
        lost, fact="5F", stated=both, written=both, kept=both, reads=both, prompt="was 3F", answer="3F or 5F"
    )
    assert (loss.owner, loss.reason) == ("prompt", "it comes in here, from no stage before")
