"""Tests of tool calls in the text of models that cannot call tools."""

import json

import pytest
from agent.model.feature_probe import probe
from agent.model.messages import tool_message, user_message
from agent.model.role_model import RoleModel
from agent.model.written_calls import Writing, read_written, written_prompt
from agent.settings import ModelSettings
from contracts.models.conversation import Message, ToolCall
from engineer.executors.code import CODE_TOOLS
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.clusters.fake_provider import FakeProvider, HttpReply, completion, tool_call

MODEL = "openai:fake"
texts = st.text('ab-`:{}"\\ \n\u2028é', max_size=24) | st.just("a\n--- text\nb") | st.just("a\n```\n")
arguments = st.dictionaries(st.sampled_from(("path", "text", "code")), texts | st.integers(), max_size=3)


def reply_with(*calls: tuple[str, dict[str, object]]) -> Message:
    made = [
        ToolCall(call_id=str(n), name=name, arguments_json=json.dumps(args)) for n, (name, args) in enumerate(calls)
    ]
    return Message(author="assistant", text="I look.", tool_calls=tuple(made))


@pytest.mark.parametrize("writing", ["markdown", "json"])
@settings(max_examples=50, deadline=None)
@given(calls=st.lists(st.tuples(st.sampled_from(("run_cell", "write_file")), arguments), max_size=3))
def test_written_calls_are_read_back(writing: Writing, calls: list[tuple[str, dict[str, object]]]) -> None:
    (written,) = written_prompt([reply_with(*calls)], (), writing)
    read = read_written(written, writing)
    assert [(each.name, json.loads(each.arguments_json)) for each in read.tool_calls] == calls
    assert read.text == "I look."
    assert len({each.call_id for each in read.tool_calls}) == len(calls)


@pytest.mark.parametrize("writing", ["markdown", "json"])
def test_prompt_has_no_tool_messages_and_its_authors_alternate(writing: Writing) -> None:
    reply = reply_with(("view_file", {"path": "a"}), ("view_file", {"path": "b"}))
    answers = [tool_message(call, "it is empty") for call in reply.tool_calls]
    head = [Message(author="system", text="# Role: engineer"), user_message("task")]
    written = written_prompt([*head, reply, *answers, user_message("go on")], CODE_TOOLS, writing)
    assert [each.author for each in written] == ["system", "user", "assistant", "user"]
    assert written[-1].text.count("Result of `view_file`:") == 2
    assert all(f"`{tool.model_config.get('title')}`" in written[0].text for tool in CODE_TOOLS)


@pytest.mark.parametrize("body", ['{"path": "a", "from_line": 2}', "path: a\nfrom_line: 2", 'path: "a"\nfrom_line: 2'])
def test_each_way_of_writing_a_block_is_read(body: str) -> None:
    reply = Message(author="assistant", text=f"Look.\n\n```call view_file\n{body}\n```\n")
    (call,) = read_written(reply, "markdown").tool_calls
    assert json.loads(call.arguments_json) == {"path": "a", "from_line": 2}


def _models(provider: FakeProvider, **profile: bool | int) -> RoleModel:
    fields = {"openai_api_key": "of-no-value", "openai_base_url": provider.base_url}
    settings = ModelSettings.model_validate({**fields, "model_profiles": {MODEL: profile}, "model_timeout_s": 5})
    return RoleModel.configured(settings)


async def test_model_without_tools_gets_none_in_its_request() -> None:
    with FakeProvider(completion("```call view_file\npath: a\n```")) as provider:
        answer = await _models(provider, tool_calling=False).answer(MODEL, [user_message("look")], CODE_TOOLS)
        assert {"tools", "response_format"}.isdisjoint(provider.requests[0])
    assert [call.name for call in answer.reply.tool_calls] == ["view_file"]


async def test_json_only_model_gets_a_schema_of_its_reply() -> None:
    written = json.dumps({"text": "I look.", "calls": [{"name": "view_file", "arguments": {"path": "a"}}]})
    with FakeProvider(completion(written)) as provider:
        models = _models(provider, tool_calling=False, structured_output=True)
        answer = await models.answer(MODEL, [user_message("look")], CODE_TOOLS)
        (request,) = provider.requests
    assert "tools" not in request
    assert request["response_format"]["type"] == "json_schema"
    assert (answer.reply.text, answer.reply.tool_calls[0].name) == ("I look.", "view_file")
    assert answer.usage.input_tokens == 10


async def test_context_window_limits_the_prompt() -> None:
    with FakeProvider() as provider:
        assert _models(provider, max_input_tokens=16_000).prompt_budget_tokens(MODEL) == 12_000
        assert _models(provider).prompt_budget_tokens(MODEL) == 60_000


TOOL = tool_call("read_meter", '{"meter": "A"}', reasoning_content="hm")


@pytest.mark.parametrize(
    ("replies", "found"),
    [
        ((TOOL, completion("4,129")), "tools yes, parallel tools no, results used yes"),
        ((completion("I cannot."), completion("4129")), "tools no, parallel tools no, results used yes"),
    ],
)
async def test_probe_says_what_the_model_did(replies: tuple[HttpReply, ...], found: str) -> None:
    with FakeProvider(*replies) as provider:
        features = await probe(_models(provider, image_inputs=True, max_input_tokens=8_000), MODEL)
    assert str(features).startswith(found)
    assert str(features).endswith("context window 8000")
    assert features.has_reasoning == (replies[0] is TOOL)
    assert features.takes_pictures
