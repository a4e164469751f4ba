"""A session as steps: what counts as one, whose it is, and in which turn."""

from foldproof.logs import Called, Fold, MemoryOperation, Said, Unknown
from foldproof.score.steps import agent_steps

from .talks import agent, call, steps, user


def test_what_a_program_puts_in_is_no_step():
    told = steps(
        Said("system", "Be kind."),
        Said("user", "<environment>", kind="context"),
        Said("user", "/clear", kind="command"),
        user("Hi"),
        MemoryOperation("read", "x"),
        Fold("summary", "x"),
        Unknown("odd", {}),
        Said("agent", "Let me look.", kind="interim"),
        Said("agent", "Hm.", kind="thought"),
        Said("tool", "x"),
    )
    assert [(step.number, step.kind, step.text) for step in told] == [
        (1, "said", "Hi"),
        (2, "said", "Let me look."),
        (3, "thought", "Hm."),
    ]


def test_a_turn_is_what_the_agent_does_between_two_messages():
    told = steps(
        agent("Hello"), user("Refund it"), call("look"), call("refund"), agent("Done"), user("Thanks"), agent("!")
    )
    assert [step.turn for step in told] == [1, 0, 2, 2, 2, 0, 3]
    assert [step.number for step in agent_steps(told)] == [1, 3, 4, 5, 7]


def test_each_of_several_agents_has_its_own_turns():
    result = Called("terminal", {}, "x", by="tool")
    told = steps(user("Go"), agent("I plan", "Planner"), agent("I do", "Coder"), result, agent("I did", "Coder"))
    assert [step.turn for step in told] == [0, 1, 2, 0, 2]


def test_steps_are_counted_by_kind():
    open_call = Called("", {}, None, by="user")
    told = steps(
        user("Go"), agent("x"), agent("x", "Coder"), Said("agent", "x", kind="thought"), call("look"), open_call
    )
    assert [step.label for step in told] == ["user", "reply", "Coder", "thought", "look", "(a tool without a name)"]
    assert [(step.kind, step.by_agent, step.answered) for step in told[-2:]] == [
        ("called", True, True),
        ("called", False, False),
    ]
