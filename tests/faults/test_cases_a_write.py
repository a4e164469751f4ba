"""Reported failures of writing, rows A1, A2, A5, A12, A14, A16, A17: facts that are wrong, missing or there twice."""

import pytest

from .reported.play import play, said

DINNER = {
    "question": "Suggest dinner.",
    "expected_facts": ["hate Chinese food"],
    "forbidden_facts": ["love Chinese food"],
}
NAME = {"question": "What is my name?", "expected_facts": ["liguosong"], "forbidden_facts": ["liguoyu"]}
NAMES = said("My name is liguoyu.", "My name is liguosong.")


def events(played):
    return [(item.kind, item.text) for item in played.trial.memory_writes]


def test_a1_a_contradiction_deletes_both_facts(tmp_path):
    history = said("I love Chinese food.", "I hate Chinese food now.")
    faulty, sound = play(tmp_path, ["writing:ContradictionDeletesBoth", "writing:Likes"], DINNER, history)
    assert sound.score.passed
    loss = faulty.loss("hate Chinese food")
    assert (faulty.score.outcome, loss.owner, loss.reason) == ("fail", "write", "never extracted")
    assert faulty.written == ()
    assert events(faulty) == [("ADD", "I love Chinese food."), ("DELETE", "I love Chinese food.")]
    assert ("ADD", "I hate Chinese food now.") in events(sound)


def test_a2_an_add_only_store_that_marks_nothing_is_lost_at_write(tmp_path):
    """Without a model to choose, the whole of what is held is the answer: the real `verbatim` adds only."""
    recall = {"agent": "recall", "memory": {"kind": "verbatim"}}
    faulty, sound = play(tmp_path, [recall, "writing:Superseding"], NAME, NAMES)
    assert sound.score.passed
    loss = faulty.loss("liguoyu")
    assert (loss.owner, loss.reason) == ("write", "the memory holds both and does not mark the stale one")
    assert len(faulty.written) == len(faulty.given) == 2


def test_a2_the_new_name_is_not_returned(tmp_path):
    [faulty] = play(tmp_path, ["writing:AddOnlyOfOne"], NAME, NAMES)
    assert faulty.loss("liguosong").owner == "retrieve"
    assert faulty.loss("liguosong").reason == "outranked by a stale value"
    assert faulty.loss("liguoyu").owner == "retrieve"
    assert faulty.given == ["My name is liguoyu."]
    assert len(faulty.kept) == 2


def test_a2_both_names_are_in_the_prompt_and_the_old_one_is_said(tmp_path):
    [faulty] = play(tmp_path, ["writing:AddOnlySaysTheOldest"], NAME, NAMES)
    assert (faulty.loss("liguosong").owner, faulty.loss("liguosong").reason) == ("use", "a stale value was said")
    assert faulty.loss("liguoyu").owner == "use"
    assert faulty.stage("liguosong", "prompted") == "held"


@pytest.mark.parametrize("agent", ["writing:CorrectsByQuery", "writing:CorrectsById"])
def test_a5_a_correction_that_only_adds(tmp_path, agent):
    history = said("项目数据库是 PostgreSQL", "更正：改为 MySQL")
    case = {"question": "项目用什么数据库", "expected_facts": ["MySQL"], "forbidden_facts": ["PostgreSQL"]}
    [played] = play(tmp_path, [agent], case, history)
    kinds = [kind for kind, _ in events(played)]
    if agent.endswith("Id"):
        assert played.score.passed
        assert kinds == ["ADD", "UPDATE"]
        return
    assert kinds == ["ADD", "ADD"]
    assert played.written == ("项目数据库是 PostgreSQL", "更正：改为 MySQL")
    loss = played.loss("PostgreSQL")
    assert (loss.owner, loss.reason) == ("write", "the memory holds both and does not mark the stale one")


PHOTO = said(
    "The man in the photo, arrested in 2019, is me.",
    "No, that man was not me.\nagent: I have corrected it in my memory.",
)


def test_a12_a_correction_makes_the_false_belief_stronger(tmp_path):
    """From a history; below, somebody corrects it while it talks."""
    case = {
        "question": "Who is the man in the photo?",
        "expected_facts": ["was not me"],
        "forbidden_facts": ["arrested in 2019"],
    }
    faulty, sound = play(tmp_path, ["writing:BelievesItMore", "writing:Withdraws"], case, PHOTO)
    assert sound.score.passed
    assert [kind for kind, _ in events(sound)] == ["ADD", "DELETE", "ADD"]
    assert [kind for kind, _ in events(faulty)] == ["ADD", "ADD"]
    assert [item.score for item in faulty.trial.memory_writes] == [0.728, 0.8]
    assert (faulty.loss("was not me").owner, faulty.loss("was not me").reason) == ("write", "never extracted")
    assert faulty.loss("arrested in 2019").owner == "write"
    assert faulty.stage("arrested in 2019", "kept") == "held"


LIVE = {
    "sessions": [
        {
            "turns": [
                {
                    "user": "Who is the man in the photo?",
                    "correction": {"after": "reply_mentions: arrested in 2019", "say": "That man was not me."},
                    "expect": [{"tool_called": {"any_of": ["forget", "update"]}}, {"reply_mentions": "corrected"}],
                }
            ]
        },
        {
            "turns": [
                {
                    "user": "Who is the man in the photo?",
                    "expect": [{"reply_omits": "arrested in 2019"}, {"reply_mentions": "do not know"}],
                }
            ]
        },
    ]
}


def test_a12_an_agent_that_claims_a_fix_which_its_trace_does_not_show(tmp_path):
    """Corrected in one session and asked in the next; a claim without an act fails the session in which it is made."""
    faulty, sound = play(tmp_path, ["corrected:OnlySaysSo", "corrected:TakesItBack"], LIVE)
    assert (sound.score.passed, sound.score.corrected) == (True, True)
    assert [turn.speaker for turn in faulty.trial.turns] == ["case", "correction", "case"]
    assert faulty.trial.turns[1].answer == "I have corrected it in my memory."
    told = {fact.fact: (fact.outcome, fact.reason) for fact in faulty.score.facts}
    assert told["s1.t1 tool_called: any of forget | update"] == ("missed", "after the correction, no call was made")
    assert told["s1.t1 reply_mentions: corrected"][0] == "held"
    assert told["s2.t1 reply_omits: arrested in 2019"][0] == "missed"
    assert faulty.score.outcome == "fail"


WORK = {"question": "我在哪里上班", "expected_facts": ["蓝屏咖啡", "李国松"]}


MEETING = {
    "question": "When was that meeting?",
    "at": "2025-12-05T09:00:00+08:00",
    "expected_facts": [{"date": "2025-11-20", "computed": True}],
    "forbidden_facts": ["tomorrow", {"date": "2025-12-06"}, {"date": "2025-11-19"}],
    "source": ["h/s1.t1"],
}
SAID_AT = [
    {
        "session": "s1",
        "at": "2025-11-19T15:00:00+08:00",
        "turns": [{"role": "user", "text": "Meeting tomorrow at 3pm."}],
    },
]


@pytest.mark.parametrize(
    ("agent", "kept", "said", "why"),
    [
        (
            "SendsNoCaptureTime",
            "Meeting tomorrow at 3pm.",
            "tomorrow",
            "written without the day on which 'tomorrow' was said",
        ),
        (
            "DatesFromToday",
            "Meeting on 2025-12-06 at 3pm.",
            "date: 2025-12-06",
            "written with another day: 'Meeting on 2025-12-06 at 3pm.'",
        ),
        (
            "DatesInAnotherZone",
            "Meeting on 2025-11-19 at 3pm.",
            "date: 2025-11-19",
            "written with another day: 'Meeting on 2025-11-19 at 3pm.'",
        ),
    ],
)
def test_a14_dates_that_are_missing_or_made_up_are_lost_at_write(tmp_path, agent, kept, said, why):
    faulty, sound = play(tmp_path, [f"writing:{agent}", "writing:Dated"], MEETING, SAID_AT)
    assert sound.score.passed
    assert sound.kept == ("Meeting on 2025-11-20 at 3pm.",)
    assert (faulty.score.outcome, faulty.kept) == ("fail", (kept,))
    assert (faulty.loss("date: 2025-11-20").owner, faulty.loss("date: 2025-11-20").reason) == ("write", why)
    assert faulty.loss(said).owner == "write"


def test_a14_a_day_that_the_memory_kept_is_not_lost_at_write(tmp_path):
    [faulty] = play(tmp_path, ["writing:KeepsTheDay"], MEETING, SAID_AT)
    loss = faulty.loss("date: 2025-11-20")
    assert (loss.owner, loss.reason) == ("use", "'tomorrow' stands in the prompt with the day on which it was said")


def test_a14_our_own_memory_keeps_the_day_of_every_turn(tmp_path):
    """So that whoever answers can count from it; without a session's time nothing is put in its place."""
    recall = {"agent": "recall", "memory": {"kind": "verbatim"}}
    told, untold = {**MEETING, "forbidden_facts": []}, [{**SAID_AT[0], "at": ""}]
    [dated] = play(tmp_path / "dated", [recall], told, SAID_AT)
    [undated] = play(tmp_path / "undated", [recall], told, untold)
    assert (dated.kept, undated.kept) == (
        ("[s1 2025-11-19] user: Meeting tomorrow at 3pm.",), ("[s1] user: Meeting tomorrow at 3pm.",),
    )  # fmt: skip


def test_a16_the_memory_is_in_another_language(tmp_path):
    history = said("我叫李国松，在北京蓝屏咖啡上班")
    faulty, sound = play(tmp_path, ["writing:Translates", "writing:KeepsTheLanguage"], WORK, history)
    assert sound.score.passed
    assert "Blue Screen Coffee" in faulty.trial.answer
    for fact in WORK["expected_facts"]:
        loss = faulty.loss(fact)
        assert loss.owner == "write"
        assert loss.reason == "never extracted in its own script: the memory may hold it in another language"
        assert faulty.stage(fact, "stated") == "held"


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Меня зовут Фёдор.", "Фёдор"),
        ("اسمي ليلى", "ليلى"),
        ("제 이름은 민준입니다", "민준"),
        ("Με λένε Ελένη.", "Ελένη"),
    ],
)
def test_a16_in_any_script(tmp_path, text, fact):
    case = {"question": "What is my name?", "expected_facts": [fact]}
    faulty, sound = play(tmp_path, ["writing:Translates", "writing:KeepsTheLanguage"], case, said(text))
    assert sound.score.passed
    assert "another language" in faulty.loss(fact).reason


def test_a16_a_fact_that_is_missing_in_its_own_language_is_not_translated(tmp_path):
    case = {"question": "What is my name?", "expected_facts": ["Fyodor"]}
    [faulty] = play(tmp_path, ["writing:Translates"], case, said("My name is Fyodor."))
    assert (faulty.loss("Fyodor").owner, faulty.loss("Fyodor").reason) == ("write", "never extracted")


@pytest.mark.parametrize("agent", ["writing:HalfApplied", "writing:ReplacesNothing"])
def test_a17_a_block_that_overflows_loses_what_was_there(tmp_path, agent):
    history = said("I take no NSAIDs.", "The dog is called Bruno.")
    case = {"question": "Which painkillers may I take?", "expected_facts": ["no NSAIDs"]}
    faulty, sound = play(tmp_path, [agent, "writing:Block"], case, history)
    assert sound.score.passed
    assert len(sound.written[0]) == 1999
    loss = faulty.loss("no NSAIDs")
    assert loss.owner == "write"
    assert "Bruno" in faulty.written[0]
    if agent.endswith("HalfApplied"):
        assert loss.reason.startswith("write error: write failed: the block would have")
    else:
        assert loss.reason == "overwritten"


def test_a17_our_own_core_moves_what_does_not_fit_and_keeps_what_it_holds(tmp_path):
    history = said(
        "I must never take NSAIDs.", "I am strictly vegetarian.", f"I always want {'very ' * 90}short answers."
    )
    recall = {"agent": "recall", "memory": {"kind": "paging", "core": 40, "budget": 400}}
    cases = [
        {"question": "Which painkillers?", "expected_facts": ["never take NSAIDs"]},
        {"question": "What do I want always?", "expected_facts": ["strictly vegetarian"]},
    ]
    [played] = play(tmp_path, [recall], cases, history)
    assert all(one.score.passed for one in played)
    assert len(played[0].kept) == 3
