"""Tests of reasoning: stored as received, and sent back where a provider requires it."""

import json

import pytest
from agent.context.prompt_renderer import split_steps
from agent.model.messages import tool_message, user_message
from agent.model.role_model import RoleModel
from agent.settings import ModelSettings
from agent.token_estimate import tokens_of_messages
from contracts.models.conversation import Message
from pydantic import BaseModel, ConfigDict, SecretStr

from tests.support.clusters.anthropic_wire import anthropic_reply
from tests.support.clusters.fake_provider import FakeProvider, completion, tool_call

HELLO = [Message(author="user", text="hi")]
DETAILS = [{"type": "reasoning.encrypted", "data": "AAEC", "index": 0}]
KEPT = ('{"reasoning_content": "hm, ü"}', json.dumps({"reasoning_details": DETAILS}))
THINKING = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
HIDDEN = {"type": "redacted_thinking", "data": "AAEC"}
CALL = {"type": "tool_use", "id": "c1", "name": "view_file", "input": {"path": "a"}}


class ViewFile(BaseModel):
    """View a file."""

    model_config = ConfigDict(title="view_file")

    path: str


def _models(server: FakeProvider, monkeypatch: pytest.MonkeyPatch) -> RoleModel:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.base_url.removesuffix("/v1"))
    key = SecretStr("of-no-value")
    return RoleModel.configured(
        ModelSettings(openai_api_key=key, openai_base_url=server.base_url, anthropic_api_key=key)
    )


async def _twice(models: RoleModel, model: str) -> Message:
    """Ask, answer the tool call if there is one, ask again; return the first reply."""
    reply = (await models.answer(model, HELLO, (ViewFile,))).reply
    answers = [tool_message(call, "seen") for call in reply.tool_calls] or [user_message("go on")]
    await models.answer(model, [*HELLO, reply, *answers], (ViewFile,))
    return reply


async def test_compatible_server_gets_reasoning_back_during_a_tool_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wire = tool_call("view_file", '{"path": "a"}', reasoning_content="hm, ü", reasoning_details=DETAILS)
    with FakeProvider(wire) as server:
        reply = await _twice(_models(server, monkeypatch), "openai:fake")
    assert reply.reasoning == KEPT
    sent = server.requests[1]["messages"][1]
    assert (sent["reasoning_content"], sent["reasoning_details"]) == ("hm, ü", DETAILS)


async def test_reasoning_of_plain_text_is_stored_and_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeProvider(completion("done", reasoning_content="hm, ü", reasoning_details=DETAILS)) as server:
        reply = await _twice(_models(server, monkeypatch), "openai:fake")
    assert (reply.text, reply.reasoning) == ("done", KEPT)
    assert server.requests[1]["messages"][1] == {"role": "assistant", "content": "done"}


async def test_anthropic_reasoning_is_sent_back_signed_and_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    text = {"type": "text", "text": "let me see"}
    with FakeProvider(anthropic_reply(THINKING, HIDDEN, text, CALL)) as server:
        reply = await _twice(_models(server, monkeypatch), "anthropic:fake")
    assert [json.loads(block) for block in reply.reasoning] == [THINKING, HIDDEN]
    assert reply.text == "let me see"
    sent = server.requests[1]["messages"][1]["content"]
    assert sent == [THINKING, HIDDEN, text, CALL]


async def test_anthropic_is_asked_to_cache_the_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeProvider(anthropic_reply({"type": "text", "text": "done"})) as server:
        await _twice(_models(server, monkeypatch), "anthropic:fake")
    assert [request["cache_control"] for request in server.requests] == [{"type": "ephemeral"}] * 2


async def test_reasoning_counts_tokens_until_its_step_is_old(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeProvider(tool_call("view_file", '{"path": "a"}', reasoning_content="x" * 3_000)) as server:
        reply = await _twice(_models(server, monkeypatch), "openai:fake")
    bare = reply.model_copy(update={"reasoning": ()})
    assert tokens_of_messages([reply]) - tokens_of_messages([bare]) > 1_000
    _, (step,) = split_steps([*HELLO, reply, tool_message(reply.tool_calls[0], "seen")])
    assert step.shortened_reply.reasoning == ()
