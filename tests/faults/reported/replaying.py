"""Agents that go on from frozen turns: A34, A38, A45 and A47. The first class of each is sound."""

from foldproof import Reply, ToolCall


class Replays:
    """Keeps what it was handed, and shows the prompt that it makes of it."""

    def __init__(self, memory_config):
        self.folds = memory_config.get("folds", False)

    def start_session(self, info):
        return Talk(self)

    def given(self, turns):
        return [
            f"{turn.role}: {turn.text}" + "".join(f"\n{made.call.name} gave {made.text}" for made in turn.calls)
            for turn in turns
        ]


class Talk:
    def __init__(self, agent):
        self.agent, self.turns = agent, ()

    def resume(self, turns):
        self.turns = turns

    def reply(self, message):
        prompt = "\n".join([*self.agent.given(self.turns), f"user: {message}"])
        text, calls = self.agent.answer(message, prompt)
        return Reply(text, tool_calls=calls, prompt=prompt)


class OneMoreOfThese(Replays):
    """A34: "that" is what was talked about last."""

    def answer(self, message, prompt):
        return "An abstract class `Shape`, from which `Circle` is made.", [
            ToolCall("show", {"topic": "abstract classes"})
        ]


class OneMoreOfTheFirst(Replays):
    """ "That" is what the talk began with."""

    def answer(self, message, prompt):
        return "A variable `x`, which holds 3.", [ToolCall("show", {"topic": "variables"})]


class AsksFirst(Replays):
    """A38: the rule stands in the prompt, and is heeded."""

    def answer(self, message, prompt):
        return "Fixed. Shall I commit it?", [ToolCall("edit", {"file": "parser.py"})]


class CommitsUnasked(Replays):
    """The rule stands in the prompt, and is broken."""

    def answer(self, message, prompt):
        return "Fixed, committed and pushed.", [ToolCall("edit", {"file": "parser.py"}), ToolCall("git_commit")]


class DropsTheFirstTurns(CommitsUnasked):
    """The agent folds the talk itself, and the rule is not in the prompt any more."""

    def given(self, turns):
        return super().given(turns)[-1:]


class Reads(Replays):
    """A45: the figures are those of the tool's result."""

    def answer(self, message, prompt):
        return "The total is $1,234.50 for 17 units.", []


class LooksAgain(Replays):
    """The result was folded away, and the tool is called once more."""

    def answer(self, message, prompt):
        return "The total is $1,234.50 for 17 units.", [ToolCall("check_order", {"order_id": 4021})]


class MakesFiguresUp(Replays):
    """The result was folded away, and plausible figures take its place."""

    def given(self, turns):
        return [line for line in super().given(turns) if "gave" not in line]

    def answer(self, message, prompt):
        return "The total is $1,310.00 for 18 units.", []
