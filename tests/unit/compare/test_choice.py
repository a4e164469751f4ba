"""The choice of a few: every class before any twice, then users, then topics; half of them canaries."""

from collections import Counter

from foldproof.compare import Answerable, choose_cases


def many(*classes, **said):
    return [Answerable(f"{name}-{at}", name, f"user-{at % 3}", f"topic-{at % 4}", stable=True, **said)
            for at, name in enumerate(classes)]  # fmt: skip


def ids(chosen, *, canary):
    return [one.id for one in chosen if one.canary is canary]


def test_every_class_comes_before_any_comes_twice():
    cases = many(*["semantic"] * 9, "safety", "episodic", "house-rule")
    chosen = choose_cases(cases, 5)
    counts = Counter(one.id.rpartition("-")[0] for one in chosen)
    assert counts == {"semantic": 2, "safety": 1, "episodic": 1, "house-rule": 1}


def test_then_users_then_topics_then_what_was_asked_most():
    cases = [
        Answerable("a", "semantic", "ada", "port", asked=1),
        Answerable("b", "semantic", "ada", "port", asked=9),
        Answerable("c", "semantic", "ada", "gate", asked=1),
        Answerable("d", "semantic", "ben", "port", asked=2),
    ]
    assert [one.id for one in choose_cases(cases, 4)] == ["b", "d", "c", "a"]
    assert choose_cases(cases, 0) == ()
    assert len(choose_cases(cases, 9)) == 4


def test_each_says_why_it_was_chosen():
    cases = [
        Answerable("a", "semantic", "ada", "port", asked=3, ago=4, stable=True),
        Answerable("b", "semantic", "ada", "port", ago=2, stable=True),
        Answerable("c", "semantic"),
    ]
    told = {one.id: one.why for one in choose_cases(cases, 3)}
    assert told["a"] == "semantic 1 of 3, first of ada, first on 'port', asked 3 times"
    assert told["b"] == "semantic 3 of 3, number 2 of ada, number 2 on 'port', stable, said 2 turns before"
    assert told["c"] == "semantic 2 of 3"


def test_half_become_canaries_those_that_were_said_last():
    cases = [Answerable(f"s{at}", "semantic", ago=ago, stable=True) for at, ago in enumerate((9, 1, None, 3))]
    chosen = choose_cases(cases, 4)
    assert sorted(ids(chosen, canary=True)) == ["s1", "s3"]
    unsourced = choose_cases([Answerable("a", "semantic", stable=True), Answerable("b", "semantic")], 2)
    assert [(one.id, one.canary, one.why) for one in unsourced] == [
        ("a", True, "semantic 1 of 2, stable"),
        ("b", False, "semantic 2 of 2"),
    ]


def test_canaries_are_spread_over_classes_and_every_class_keeps_one():
    chosen = choose_cases(many(*["safety"] * 4, *["semantic"] * 4, *["episodic"] * 2, "identity"), 11)
    canaries = Counter(name.rpartition("-")[0] for name in ids(chosen, canary=True))
    assert canaries == {"safety": 2, "semantic": 2, "episodic": 1}
    assert {name.rpartition("-")[0] for name in ids(chosen, canary=False)} == {
        "safety", "semantic", "episodic", "identity",
    }  # fmt: skip
    assert ids(choose_cases(many("safety", "identity", "episodic"), 3), canary=True) == []


def test_of_equal_classes_the_strictest_gives_its_cases_last():
    chosen = choose_cases(many(*["safety"] * 3, *["semantic"] * 3), 6)
    assert Counter(name.rpartition("-")[0] for name in ids(chosen, canary=True)) == {"semantic": 2, "safety": 1}
    own = choose_cases(many(*["semantic"] * 3, *["own"] * 3), 6)
    assert Counter(name.rpartition("-")[0] for name in ids(own, canary=True)) == {"own": 2, "semantic": 1}


def test_what_is_not_stable_is_no_canary():
    assert ids(choose_cases([Answerable(f"s{at}", "semantic") for at in range(4)], 4), canary=True) == []


def test_canaries_that_the_set_has_are_its_canaries():
    cases = [*many(*["semantic"] * 4), Answerable("old", "canary")]
    chosen = choose_cases(cases, 5)
    assert ids(chosen, canary=True) == ["old"]
    assert next(one.why for one in chosen if one.canary).endswith("was a canary")
