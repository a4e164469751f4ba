"""A judge on a scripted model."""

import json
from contextlib import asynccontextmanager

import anyio
import pytest

from foldproof.cases import JudgeSettings, Limits
from foldproof.judging import default_prompt, judge_claims, open_judge
from foldproof.record import Claim

CLAIM = Claim("Which database?", "names Postgres", "Use Postgres 15, in eu-west-1.")


def said(verdict, quotation="", reason="because"):
    return json.dumps({"reason": reason, "quotation": quotation, "verdict": verdict})


@pytest.fixture
def opened():
    """Opens the judge behind a scripted model, as a project would."""

    @asynccontextmanager
    async def opening(model, **settings):
        known = JudgeSettings(base_url=model.url, **settings)
        prompt = default_prompt().encode()
        async with open_judge("scripted-2026-01-01", known, prompt=prompt, environ={}) as judge:
            yield judge

    return opening


@pytest.fixture
def judged(opened):
    """Asks a scripted model about claims; the records in the order in which they came, and the limit that ended it."""

    def judging(model, *claims, limits=None, **settings):
        kept = []

        async def asking():
            asked = [claim if isinstance(claim, tuple) and not isinstance(claim, Claim) else (claim, 0)
                     for claim in claims or (CLAIM,)]  # fmt: skip
            async with opened(model, **settings) as judge:
                return await judge_claims(judge, asked, limits=limits or Limits(), keep=kept.append)

        judging.stopped = anyio.run(asking)
        return kept

    return judging
