"""Six manners of language models: what each server can do, and how it writes the decisions of the offline expert."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agent.model.messages import from_langchain
from agent.model.providers import offline_chat
from agent.model.written_calls import read_written, written_prompt
from agent.settings import ModelProfile
from contracts.models.conversation import Message, ToolCall
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from tests.support.clusters.fake_provider import HttpReply, completion, read_messages, reply_of

TOOLS = ModelProfile(tool_calling=True)
PROFILES: Mapping[str, ModelProfile] = {
    "parallel": TOOLS,
    "serial": TOOLS,
    "no-tools": ModelProfile(tool_calling=False),
    "leaking": TOOLS,
    "json-only": ModelProfile(tool_calling=False, structured_output=True),
    "small-window": ModelProfile(tool_calling=True, max_input_tokens=16_000),
}
"""By the name of the model."""

_CELL = re.compile(r"## Purpose\n\n(?P<purpose>.*?)\n\n.*```python\n(?P<code>.*)\n```", re.DOTALL)
_VERDICT = re.compile(
    r"VERDICT: (?P<verdict>\w+)\n\n(?:## Reasons\n\n)?(?P<reasons>.*?)(?:\n\n## Evidence\n\n(?P<evidence>.*))?\Z",
    re.DOTALL,
)
_PASSED_ON = "Your verdict was passed on.\n\n"
_RESULT = re.compile(r"^Result of `[\w ]+`:\n\n")


def respond(request: dict[str, Any]) -> HttpReply:
    """Return the expert's reply to a request, in the manner of the model that it names."""
    name = request["model"]
    return _WRITERS[name](request)


def _decision(messages: Sequence[BaseMessage]) -> AIMessage:
    return offline_chat().reply_to(_as_the_expert_wrote(messages))


def _as_the_expert_wrote(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Return the conversation with the expert's own cells in Markdown, and their observations as it gets them."""
    read: list[BaseMessage] = []
    cells: set[str] = set()
    for each in messages:
        call = each.tool_calls[0] if isinstance(each, AIMessage) and each.tool_calls else None
        if call is not None and call["name"] == "run_cell":
            cells.add(str(call["id"]))
            purpose, code = call["args"]["purpose"], call["args"]["code"]
            read.append(AIMessage(f"## Purpose\n\n{purpose}\n\n## Code\n\n```python\n{code}\n```"))
        elif isinstance(each, ToolMessage) and each.tool_call_id in cells:
            read.append(HumanMessage(each.text))
        else:
            read.append(each)
    return read


def _by_tools(reply: AIMessage) -> AIMessage:
    """Return the expert's reply with its cell or verdict as a tool call; a plan stays in Markdown."""
    if reply.tool_calls:
        return reply
    cell, verdict = _CELL.search(reply.text), _VERDICT.match(reply.text)
    if cell is not None:
        return _called("run_cell", code=cell["code"], purpose=cell["purpose"])
    if verdict is None:
        return reply
    names = re.findall(r"^- `(\w+)`", verdict["evidence"] or "", re.MULTILINE)
    evidence = {} if verdict["evidence"] is None else {"evidence": names}
    return _called(verdict["verdict"].lower(), reasons=verdict["reasons"], **evidence)


def _called(name: str, **arguments: object) -> AIMessage:
    return AIMessage("", tool_calls=[{"id": f"{name}-1", "name": name, "args": arguments}])


def _serial(request: dict[str, Any]) -> HttpReply:
    return reply_of(_by_tools(_decision(read_messages(request["messages"]))))


def _parallel(request: dict[str, Any]) -> HttpReply:
    """Look at a file beside each call that writes one or runs a cell in the engineer's kernel."""
    reply = _by_tools(_decision(_without_looks(read_messages(request["messages"]))))
    names = {call["name"] for call in reply.tool_calls}
    if "view_file" not in {each["function"]["name"] for each in request.get("tools", ())} or "write_file" not in names:
        return reply_of(reply)
    look = {"id": "look-1", "name": "view_file", "args": {"path": "plan.md"}}
    return reply_of(AIMessage(reply.text, tool_calls=[look, *reply.tool_calls]))


def _without_looks(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Return the conversation as the expert, which looks at no files, would have had it."""
    kept: list[BaseMessage] = []
    for each in messages:
        if isinstance(each, ToolMessage) and each.tool_call_id == "look-1":
            continue
        if isinstance(each, AIMessage):
            each.tool_calls = [call for call in each.tool_calls if call["id"] != "look-1"]
        kept.append(each)
    return kept


def _leaking(request: dict[str, Any]) -> HttpReply:
    """Think in a field of its own, as servers with a parser of reasoning do."""
    reply = _by_tools(_decision(read_messages(request["messages"])))
    message = json.loads(reply_of(reply).body)["choices"][0]["message"]
    fields = {name: value for name, value in message.items() if name not in {"role", "content"}}
    reason = "tool_calls" if reply.tool_calls else "stop"
    return completion(message["content"], reason, reasoning_content="First I weigh what I saw.", **fields)


def _in_blocks(request: dict[str, Any]) -> HttpReply:
    """Write calls into the text; cells and verdicts in Markdown, as the expert does."""
    assert "tools" not in request
    reply = from_langchain(_decision(_with_calls(request["messages"], "markdown")))
    (written,) = written_prompt([reply], (), "markdown")
    return completion(written.text)


def _in_json(request: dict[str, Any]) -> HttpReply:
    assert "tools" not in request
    assert request["response_format"]["type"] == "json_schema"
    reply = from_langchain(_by_tools(_decision(_with_calls(request["messages"], "json"))))
    (written,) = written_prompt([reply], (), "json")
    return completion(written.text)


def _with_calls(messages: Sequence[dict[str, Any]], writing: Any) -> list[BaseMessage]:
    """Return the conversation with tool calls and answers, as the expert reads it."""
    read: list[BaseMessage] = []
    for each in read_messages(messages):
        if isinstance(each, AIMessage):
            reply = read_written(Message(author="assistant", text=each.text), writing)
            read.append(AIMessage(reply.text, tool_calls=[_chat_call(call) for call in reply.tool_calls]))
        elif isinstance(each, HumanMessage) and _RESULT.match(each.text):
            calls = read[-1].tool_calls if isinstance(read[-1], AIMessage) else []
            answer, _, question = _RESULT.sub("", each.text).partition(_PASSED_ON)
            text = f"{answer}{_PASSED_ON.strip()}" if question else answer
            read.append(ToolMessage(text, tool_call_id=calls[-1]["id"] if calls else ""))
            read += [HumanMessage(question)] if question else []
        else:
            read.append(each)
    return read


def _chat_call(call: ToolCall) -> Any:
    return {"id": call.call_id, "name": call.name, "args": json.loads(call.arguments_json)}


_WRITERS: Mapping[str, Callable[[dict[str, Any]], HttpReply]] = {
    "parallel": _parallel,
    "serial": _serial,
    "no-tools": _in_blocks,
    "leaking": _leaking,
    "json-only": _in_json,
    "small-window": _serial,
}
