"""Judging: a model is asked whether an answer states a fact. What it says is a record; scoring reads that alone."""

from foldproof.judging.asking import Asked, judge_claims
from foldproof.judging.controls import JudgeControl, judge_controls
from foldproof.judging.judge import Judge, identity_of, open_judge
from foldproof.judging.parsing import JudgeError, Reading, read_reply
from foldproof.judging.prompts import FACT, Form, default_prompt
from foldproof.judging.sessions import GOAL, LOST, session_claim, session_prompt

__all__ = [
    "FACT",
    "GOAL",
    "LOST",
    "Asked",
    "Form",
    "Judge",
    "JudgeControl",
    "JudgeError",
    "Reading",
    "default_prompt",
    "identity_of",
    "judge_claims",
    "judge_controls",
    "open_judge",
    "read_reply",
    "session_claim",
    "session_prompt",
]
