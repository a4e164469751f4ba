"""The judge: one model behind an OpenAI-compatible endpoint, asked one narrow question at a time."""

from __future__ import annotations

import hashlib
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from foldproof.agents.endpoint import Chat, price_of, settings_json
from foldproof.agents.http_answers import Completion
from foldproof.agents.model import check_model, endpoint_of
from foldproof.agents.pool import Pool
from foldproof.cases import JudgeSettings, expand
from foldproof.judging.parsing import JudgeError, Reading, read_reply
from foldproof.judging.prompts import FACT, Form, messages_of, schema_part
from foldproof.matching import Text, quoted_at
from foldproof.record import Claim, JudgeIdentity, JudgeVerdict

_PLACE = "`judge` in foldproof.yaml"
_KEY = re.compile(r"\$\{(\w+)\}")
_SAYS_NOTHING = re.compile(r"[\W_]*(?:[a-z]|I|[Aa]n|[Tt]he)[\W_]*")
"""One small letter, "I" or an article: it stands in nearly every answer. Another capital may be the answer ("B")."""


@dataclass(frozen=True, slots=True)
class Judge:
    """A judge that can be asked. `identity` is what its verdicts are kept under."""

    identity: JudgeIdentity
    prompt: str = field(repr=False)
    chat: Chat = field(repr=False)
    json_schema: bool = True
    form: Form = FACT

    async def ask(self, claim: Claim, slot: int = 0) -> JudgeVerdict:
        """The judge's verdict on a claim.

        Raises:
            AgentError: where the endpoint gives no answer; `TransientError` where it may later.
            JudgeError: where the answer holds no verdict, or one that its quotation does not bear out.
        """
        messages = messages_of(self.prompt, claim, self.form)
        answer = await self.chat.complete(messages, schema_part(json_schema=self.json_schema))
        try:
            reading = _borne_out(_reading(answer), claim)
        except JudgeError as error:
            error.usage = answer.usage
            raise
        return JudgeVerdict(
            self.identity.sha256,
            claim,
            reading.verdict,
            quotation=reading.quotation,
            reason=reading.reason,
            slot=slot,
            usage=answer.usage,
        )


def _reading(answer: Completion) -> Reading:
    if answer.notes:  # cut off, filtered or refused: what there is of it need not be what was meant
        raise JudgeError(f"{answer.notes[0]}: '{answer.text[:160]}'")
    return read_reply(answer.text)


def _borne_out(reading: Reading, claim: Claim) -> Reading:
    """The reading, where a `met` quotes the answer; of any other verdict no quotation is kept."""
    if reading.verdict != "met":
        return replace(reading, quotation="")
    if not reading.quotation.strip():
        raise JudgeError("the judge says `met` and quotes nothing of the answer")
    if _SAYS_NOTHING.fullmatch(reading.quotation):
        raise JudgeError(f"the judge says `met` on a quotation that says nothing: '{reading.quotation[:160]}'")
    if not quoted_at(reading.quotation, Text(claim.answer)):
        raise JudgeError(f"the judge says `met` on a quotation that is not in the answer: '{reading.quotation[:160]}'")
    return reading


@asynccontextmanager
async def open_judge(
    name: str, settings: JudgeSettings, *, prompt: bytes, environ: Mapping[str, str], form: Form = FACT
) -> AsyncIterator[Judge]:
    """A judge for the length of the context; nothing is sent before it is asked. `prompt` is its file as it stands.

    Raises:
        UsageError: where it has no address, or its key is not set.
    """
    sent = sent_settings(settings)
    known: dict[str, Any] = {"name": name, **sent}
    if settings.base_url:
        known["base_url"] = expand(settings.base_url, environ, "judge.base_url")
    if key := _KEY.fullmatch(settings.api_key):
        known["api_key_env"] = key[1]
    if settings.price:
        known["price"] = dict(settings.price)
    pool = Pool()
    try:
        check_model(known, _PLACE)
        endpoint = endpoint_of(known, environ, pool, place=_PLACE)
        chat = Chat(endpoint, settings_json(known, _PLACE), price_of(known.get("price"), _PLACE))
        identity = identity_of(name, settings, prompt_sha256=hashlib.sha256(prompt).hexdigest(), form=form)
        yield Judge(identity, prompt.decode("utf-8", "replace"), chat, settings.json_schema, form)
    finally:
        await pool.close()


def identity_of(name: str, settings: JudgeSettings, *, prompt_sha256: str, form: Form = FACT) -> JudgeIdentity:
    """Who a judge is, as its verdicts name it."""
    free = {} if settings.json_schema else {"json_schema": False}
    return JudgeIdentity(name, prompt_sha256, form.name, {**sent_settings(settings), **free})


def sent_settings(settings: JudgeSettings) -> dict[str, Any]:
    """What goes with every question beside its text; a judge does not draw lots, so its temperature is 0."""
    sent: dict[str, Any] = {"temperature": 0, "seed": settings.seed, "max_tokens": settings.max_tokens}
    return {name: value for name, value in {**settings.parameters, **sent}.items() if value is not None}
