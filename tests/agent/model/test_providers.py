"""Tests of providers: model names, keys, and the conversion of messages."""

import json
from collections.abc import Sequence

import pytest
from agent.model.failures import ModelRefusedError, ModelUnavailableError
from agent.model.local_chat import LocalChat, PolicyChat
from agent.model.openai_compatible import CompatibleChat
from agent.model.providers import make_endpoints, offline_chat
from agent.model.role_model import RoleModel, model_problem
from agent.settings import ModelSettings
from agent.testing import scripted
from contracts.models.conversation import Message, ToolCall
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, InvalidToolCall, SystemMessage, ToolMessage
from pydantic import BaseModel, ConfigDict, SecretStr

from tests.support.clusters.fake_provider import expert_provider

KEYLESS = ModelSettings(openai_api_key=None, anthropic_api_key=None)


class Note(BaseModel):
    """Write a note."""

    model_config = ConfigDict(title="note")

    text: str


def test_offline_model_needs_no_key() -> None:
    assert model_problem("offline", KEYLESS) is None


@pytest.mark.parametrize(
    ("model", "remedy"),
    [("openai:gpt-5", "OPENAI_API_KEY"), ("anthropic:claude", "ANTHROPIC_API_KEY"), ("llama", "openai:NAME")],
)
def test_unusable_model_is_explained_in_one_line(model: str, remedy: str) -> None:
    problem = model_problem(model, KEYLESS)
    assert problem is not None
    assert model in problem
    assert remedy in problem
    assert "\n" not in problem


@pytest.mark.parametrize("model", ["openai:", ":x", "", "offline:", "OFFLINE"])
def test_incomplete_model_name_is_rejected(model: str) -> None:
    with pytest.raises(ModelUnavailableError):
        make_endpoints(model, ModelSettings(openai_api_key=SecretStr("k")))


def test_keys_and_base_url_configure_providers() -> None:
    settings = ModelSettings(
        openai_api_key=SecretStr("secret-o"),
        openai_base_url="http://127.0.0.1:9/v1",
        anthropic_api_key=SecretStr("secret-a"),
    )
    chat = make_endpoints("openai:any", settings).any_chat
    assert "http://127.0.0.1:9/v1" in str(chat)
    assert "secret-o" not in repr(chat)
    assert model_problem("anthropic:claude", settings) is None


def test_empty_base_url_means_the_provider_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "")
    chat = make_endpoints("openai:any", ModelSettings(openai_api_key=SecretStr("k"))).any_chat
    assert isinstance(chat, CompatibleChat)
    assert str(chat.root_async_client.base_url) == "https://api.openai.com/v1/"


async def test_answer_has_tool_calls_and_usage() -> None:
    reply = AIMessage(
        "writing",
        tool_calls=[{"id": "c1", "name": "note", "args": {"text": "ü"}}],
        usage_metadata={"input_tokens": 11, "output_tokens": 3, "total_tokens": 14},
    )
    model, _ = scripted(reply)
    answer = await model.answer("any", [Message(author="user", text="hi")], (Note,))
    assert answer.reply.tool_calls == (ToolCall(call_id="c1", name="note", arguments_json='{"text": "ü"}'),)
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (11, 3)


async def test_invalid_tool_calls_are_kept_as_written() -> None:
    bad: InvalidToolCall = {
        "id": "c1",
        "name": "note",
        "args": '{"text": ',
        "error": "cut off",
        "type": "invalid_tool_call",
    }
    model, _ = scripted(AIMessage("", invalid_tool_calls=[bad]))
    answer = await model.answer("any", [Message(author="user", text="hi")], ())
    assert answer.reply.tool_calls[0].arguments_json == '{"text": '


async def test_conversation_is_converted_to_langchain_messages() -> None:
    model, chat = scripted("done")
    call = ToolCall(call_id="c1", name="note", arguments_json=json.dumps({"text": "x"}))
    messages = [
        Message(author="system", text="# Role: engineer"),
        Message(author="user", text="go"),
        Message(author="assistant", text="", tool_calls=(call,)),
        Message(author="tool", text="written", tool_call_id="c1"),
    ]
    await model.answer("any", messages, ())
    system, human, assistant, tool = chat.conversations[0]
    assert isinstance(system, SystemMessage)
    assert isinstance(human, HumanMessage)
    assert isinstance(assistant, AIMessage)
    assert assistant.tool_calls[0]["args"] == {"text": "x"}
    assert isinstance(tool, ToolMessage)
    assert tool.tool_call_id == "c1"


async def test_offline_expert_accepts_tools() -> None:
    bound = offline_chat().bind_tools([Note])
    reply = await bound.ainvoke([SystemMessage("# Role: critic"), HumanMessage("# Plan\n\nnothing")])
    assert reply.text.startswith("VERDICT: REJECT")


@pytest.mark.parametrize("first", ["# Role: poet", "You are a critic", "text\n# Role: critic"])
def test_offline_expert_reads_its_role_from_the_first_line(first: str) -> None:
    with pytest.raises(ModelRefusedError, match=r"UnknownRoleError.*critic"):
        offline_chat().invoke([SystemMessage(first), HumanMessage("# Plan")])


def test_offline_expert_requires_a_system_prompt() -> None:
    with pytest.raises(ModelRefusedError, match="UnknownRoleError"):
        offline_chat().invoke([HumanMessage("# Role: critic")])


async def test_fault_of_a_policy_is_refused_with_its_line_and_called_once() -> None:
    """A retry would meet it again."""
    called: list[int] = []

    def read_first(messages: Sequence[BaseMessage]) -> AIMessage:
        called.append(len(messages))
        known: dict[str, str] = {}
        return AIMessage(known[messages[0].text])

    model = RoleModel(lambda _: PolicyChat(policy=read_first))
    with pytest.raises(ModelRefusedError, match=r"KeyError: 'go', in test_providers\.py, line \d+"):
        await model.answer("any", [Message(author="user", text="go")], ())
    assert called == [1]


async def test_chat_model_is_created_once_per_name() -> None:
    made: list[str] = []

    def make(name: str) -> LocalChat:
        made.append(name)
        return offline_chat()

    model = RoleModel(make)
    for name in ("a", "b", "a"):
        assert model.problem(name) is None
    assert made == ["a", "b"]


async def test_compatible_server_is_called_once_per_answer() -> None:
    messages = [Message(author="system", text="# Role: critic"), Message(author="user", text="# Plan\n\nnothing")]
    with expert_provider() as server:
        settings = ModelSettings(openai_api_key=SecretStr("k"), openai_base_url=server.base_url)
        answer = await RoleModel.configured(settings).answer("openai:fake", messages, (Note,))
    assert answer.reply == await _offline(messages)
    assert server.calls == 1
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (10, 5)


async def _offline(messages: list[Message]) -> Message:
    answer = await RoleModel.configured(KEYLESS).answer("offline", messages, ())
    return answer.reply
