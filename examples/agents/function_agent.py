"""An agent that is one function: `agent: python:function_agent:answer`.

It searches the history itself. Put your own agent's call in its place: whatever takes a question and a
memory_config and gives a text is an agent.
"""

from foldproof.agents import agent
from foldproof.logs import History


@agent
def answer(question: str, memory_config: dict, history: History) -> str:
    """The turns that share a word with the question, newest first, at most `k`."""
    asked = {word.strip(".,?!").casefold() for word in question.split() if len(word) > 3}
    turns = [turn.text for session in history.sessions for turn in session.turns]
    hits = [text for text in reversed(turns) if asked & {word.strip(".,?!").casefold() for word in text.split()}]
    return "\n".join(hits[: memory_config.get("k", 5)]) or "I don't know."
