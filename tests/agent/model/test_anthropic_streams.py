"""Anthropic's streams: silence is timed, not length, and a stream that breaks off does not count as a reply."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from agent.model.failures import ModelRefusedError, ProviderOutageError, ReplyLostError
from agent.model.role_model import RoleModel
from agent.settings import ModelSettings
from contracts.models.conversation import Message, ToolCall
from pydantic import BaseModel, ConfigDict, SecretStr

from tests.support.clusters.anthropic_wire import PING, anthropic_reply, anthropic_stream, blocks, ending, opening
from tests.support.clusters.fake_provider import FakeProvider, HttpReply

SILENCE_S = 3.0
"""Much longer than a busy machine needs for a piece."""
HELLO = [Message(author="user", text="hi")]
TEXT = {"type": "text", "text": "one two three four five six seven"}
CALL = {"type": "tool_use", "id": "c1", "name": "view_file", "input": {"path": "a.py"}}


class ViewFile(BaseModel):
    """View a file."""

    model_config = ConfigDict(title="view_file")

    path: str


async def _answer(wire: HttpReply, monkeypatch: pytest.MonkeyPatch, timeout_s: float = 60.0) -> Any:
    with FakeProvider(wire) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.base_url.removesuffix("/v1"))
        settings = ModelSettings(anthropic_api_key=SecretStr("k"), model_timeout_s=timeout_s)
        return await RoleModel.configured(settings).answer("anthropic:fake", HELLO, (ViewFile,))


def _failing(kind: str) -> Mapping[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": "the moon is too near"}}


async def test_reply_may_take_longer_than_its_silence_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    await _answer(anthropic_reply(TEXT), monkeypatch)  # loads the client, which is silence as well
    wire = anthropic_reply(TEXT, CALL, piece_chars=1, every_s=0.07)
    answer = await _answer(wire, monkeypatch, SILENCE_S)
    assert answer.usage.duration_s > SILENCE_S
    assert answer.reply.text == TEXT["text"]
    assert answer.reply.tool_calls == (ToolCall(call_id="c1", name="view_file", arguments_json='{"path": "a.py"}'),)
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (10, 5)
    assert answer.ending == "complete"


async def test_reply_that_reaches_its_limit_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    wire = anthropic_stream(*opening(), *blocks(TEXT), *ending("max_tokens"))
    assert (await _answer(wire, monkeypatch)).ending == "cut_off"


async def test_pings_alone_are_silence_and_the_reply_counts_as_paid(monkeypatch: pytest.MonkeyPatch) -> None:
    wire = anthropic_stream(*opening(), *blocks(TEXT), *[PING] * 100, every_s=0.1)
    with pytest.raises(ReplyLostError) as lost:
        await _answer(wire, monkeypatch, SILENCE_S)
    assert lost.value.is_silent
    assert lost.value.usage.output_tokens > 0


@pytest.mark.parametrize(
    "wire",
    [
        anthropic_stream(*opening(), *blocks(TEXT)),  # a proxy closed it, orderly
        replace(anthropic_reply(TEXT), claimed_bytes=10_000, piece_every_s=None),  # the connection broke
        anthropic_stream(*opening(), *blocks(TEXT), _failing("overloaded_error")),
        anthropic_stream(*opening(), *blocks(TEXT), _failing("api_error")),
    ],
)
async def test_stream_that_breaks_off_is_a_lost_reply(wire: HttpReply, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ReplyLostError) as lost:
        await _answer(wire, monkeypatch)
    assert not lost.value.is_silent
    assert lost.value.usage.input_tokens > 0


async def test_stream_that_breaks_off_before_it_begins_is_not_paid(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ProviderOutageError) as outage:
        await _answer(anthropic_stream(_failing("overloaded_error")), monkeypatch)
    assert not isinstance(outage.value, ReplyLostError)


async def test_refusal_in_a_stream_is_final(monkeypatch: pytest.MonkeyPatch) -> None:
    wire = anthropic_stream(*opening(), _failing("invalid_request_error"))
    with pytest.raises(ModelRefusedError, match="the moon is too near"):
        await _answer(wire, monkeypatch)
