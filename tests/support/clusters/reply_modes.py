"""Reply modes of language models: the offline expert's replies as models of other kinds would write them.

The expert writes Markdown, and calls a tool for files only. A server of a mode restores the expert's conversation
from each request, asks the expert, and writes its reply as such a model would: with native tools one by one or several
in a reply, without tools, as JSON, with its thoughts in the text, or within a small window.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal

from agent.model.providers import offline_chat
from agent.model.written_calls import Writing, read_written
from contracts.models.benchmark import Limits
from contracts.models.conversation import Message
from documents.plan import Plan, read_plan
from documents.todo import Todo, read_todo
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from planner import replies as planner_replies

from tests.support.clusters.fake_provider import HttpReply, completion, error, read_messages, reply_of

CHARS_PER_TOKEN = 4
"""The usual rule of thumb."""
SMALL_WINDOW_TOKENS = 16_000
_PURPOSE = re.compile(r"## Purpose\n\n(?P<purpose>.*?)\n\n## ", re.DOTALL)
_CODE = re.compile(r"## Code\n\n```python\n(?P<code>.*)\n```\s*\Z", re.DOTALL)
_VERDICT = re.compile(r"\AVERDICT: (?P<verdict>APPROVE|REJECT|UPHOLD|DENY)\n\n(?P<reasons>.*)\Z", re.DOTALL)
_EVIDENCE = "\n\n## Evidence\n\n"
_VARIABLE = re.compile(r"^- `(?P<name>\w+)`", re.MULTILINE)
_WROTE = "wrote script.py"
_SUMMARY = "The files of the workspace have what was done so far."


@dataclass(frozen=True)
class ReplyMode:
    """How a model replies, and what a profile has to state about it."""

    name: str
    writing: Writing | Literal["native"]
    is_parallel: bool = False
    leaks_thoughts: bool = False
    window_tokens: int | None = None

    @property
    def profile(self) -> dict[str, object]:
        """The model's entry in `MODEL_PROFILES`."""
        window = {} if self.window_tokens is None else {"max_input_tokens": self.window_tokens}
        return {"tool_calling": self.writing == "native", "structured_output": self.writing == "json", **window}


REPLY_MODES: tuple[ReplyMode, ...] = (
    ReplyMode("parallel", "native", is_parallel=True),
    ReplyMode("serial", "native"),
    ReplyMode("no-tools", "markdown"),
    ReplyMode("leaked", "native", leaks_thoughts=True),
    ReplyMode("json", "json"),
    ReplyMode("small", "native", window_tokens=SMALL_WINDOW_TOKENS),
)


class ReplyModeServer:
    """Responder of a fake provider: each model's name is that of its mode."""

    def __init__(self) -> None:
        self.requests: dict[str, list[dict[str, Any]]] = {}
        """Answered ones, by mode."""
        self._modes = {mode.name: mode for mode in REPLY_MODES}
        self._expert = offline_chat()
        self._originals: dict[str, AIMessage] = {}
        """The expert's replies that became calls, by the ids of these."""
        self._conversations: dict[tuple[str, str], list[BaseMessage]] = {}
        """By model and task, with what shorter prompts leave out: the expert has no other memory."""

    def __call__(self, request: dict[str, Any]) -> HttpReply:
        """Return the reply of the model that the request names, or its server's error."""
        mode = self._modes[request["model"]]
        tools = {tool["function"]["name"] for tool in request.get("tools") or ()}
        if tools and mode.writing != "native":
            return error(400, "this model does not support tools")
        if mode.window_tokens is not None and tokens_of(request) > mode.window_tokens:
            return error(400, f"maximum context length is {mode.window_tokens} tokens", "context_length_exceeded")
        self.requests.setdefault(mode.name, []).append(request)
        messages = read_messages(request["messages"])
        if not isinstance(messages[0], SystemMessage):
            return completion(_SUMMARY)
        if mode.writing == "native":
            conversation = messages if mode.window_tokens is None else self._whole(mode, messages)
            reply = self._native_reply(mode, self._restored(conversation), tools)
            conversation.append(reply)
            return reply_of(reply)
        messages = [_from_written(each, mode.writing) for each in messages]
        return _written_reply(self._expert.reply_to(messages), mode.writing, is_enforced="response_format" in request)

    def _whole(self, mode: ReplyMode, messages: list[BaseMessage]) -> list[BaseMessage]:
        """Return the conversation that a prompt may have shortened: only what follows its last reply is new."""
        key = (mode.name, messages[1].text)
        last = max((index for index, each in enumerate(messages) if isinstance(each, AIMessage)), default=-1)
        earlier = self._conversations.get(key, messages[:2])
        known = max((index for index, each in enumerate(earlier) if _is_same_reply(each, messages[last])), default=1)
        whole = [*earlier[: known + 1], *messages[max(last + 1, 2) :]]
        self._conversations[key] = whole
        return whole

    def _native_reply(self, mode: ReplyMode, messages: list[BaseMessage], tools: set[str]) -> AIMessage:
        reply = self._expert.reply_to(messages)
        called = self._as_calls(reply, len(messages), tools)
        if mode.is_parallel and [call["name"] for call in called.tool_calls] == ["write_file"]:
            written = ToolMessage(_WROTE, tool_call_id=called.tool_calls[0]["id"])
            following = self._expert.reply_to([*messages, reply, written])
            more = self._as_calls(following, len(messages) + 2, tools)
            if [call["name"] for call in more.tool_calls] == ["run_cell"]:
                called = AIMessage(called.text, tool_calls=[*called.tool_calls, *more.tool_calls])
        if mode.leaks_thoughts:
            thoughts = f"<think>\nWhat comes next? ```python\nx = 1\n```\n</think>\n\n{called.text}"
            called = AIMessage(thoughts, tool_calls=called.tool_calls)
        return called

    def _as_calls(self, reply: AIMessage, position: int, tools: set[str]) -> AIMessage:
        """Return the reply as a call of one of these tools; unchanged if it is none."""
        found = None if reply.tool_calls else _call_of(reply.text)
        if found is None or found[0] not in tools:
            return reply
        call_id = f"call_{sha256(f'{position} {reply.text}'.encode()).hexdigest()[:16]}"
        self._originals[call_id] = reply
        return AIMessage("", tool_calls=[{"id": call_id, "name": found[0], "args": found[1]}])

    def _restored(self, messages: Sequence[BaseMessage]) -> list[BaseMessage]:
        """Return the conversation as the expert knows it: one reply, one answer."""
        answers = {each.tool_call_id: each for each in messages if isinstance(each, ToolMessage)}
        restored: list[BaseMessage] = []
        for message in messages:
            if isinstance(message, AIMessage) and message.tool_calls:
                for call in message.tool_calls:
                    call_id = str(call["id"])
                    restored += self._restored_step(AIMessage(message.text, tool_calls=[call]), answers.get(call_id))
            elif not isinstance(message, ToolMessage):
                restored.append(message)
        return restored

    def _restored_step(self, reply: AIMessage, answer: ToolMessage | None) -> list[BaseMessage]:
        original = self._originals.get(str(reply.tool_calls[0]["id"]))
        if original is None:
            return [reply] if answer is None else [reply, answer]
        return [original] if answer is None else [original, HumanMessage(answer.text)]


def _is_same_reply(earlier: BaseMessage, reply: BaseMessage) -> bool:
    if not isinstance(earlier, AIMessage) or not isinstance(reply, AIMessage):
        return False
    ids = [[call["id"] for call in each.tool_calls] for each in (earlier, reply)]
    return ids[0] == ids[1] and bool(ids[0] or earlier.text.strip() == reply.text.strip())


def tokens_of(request: Mapping[str, Any]) -> int:
    """Return the tokens of a request, by estimate."""
    return len(json.dumps([request["messages"], request.get("tools") or []], ensure_ascii=False)) // CHARS_PER_TOKEN


def _call_of(text: str) -> tuple[str, dict[str, Any]] | None:
    """Return the tool call that says the same as the expert's Markdown."""
    readers: Sequence[Callable[[str], tuple[str, dict[str, Any]] | None]] = (_cell_call, _verdict_call, _plan_call)
    return next((found for found in (read(text) for read in readers) if found is not None), None)


def _cell_call(text: str) -> tuple[str, dict[str, Any]] | None:
    code, purpose = _CODE.search(text), _PURPOSE.search(text)
    if code is None or purpose is None:
        return None
    return "run_cell", {"code": code["code"], "purpose": purpose["purpose"]}


def _verdict_call(text: str) -> tuple[str, dict[str, Any]] | None:
    found = _VERDICT.match(text)
    if found is None:
        return None
    reasons, _, evidence = found["reasons"].partition(_EVIDENCE)
    arguments: dict[str, Any] = {"reasons": reasons.removeprefix("## Reasons\n\n")}
    if evidence:
        arguments["evidence"] = [match["name"] for match in _VARIABLE.finditer(evidence)]
    return found["verdict"].lower(), arguments


def _plan_call(text: str) -> tuple[str, dict[str, Any]] | None:
    if text.startswith("## No other plan"):
        return "no_other_plan", {"why": text.partition("\n")[2].strip()}
    if not text.startswith("# Plan"):
        return None
    work = planner_replies.read_plan(Message(author="assistant", text=text), Limits())
    return "propose_plan", _plan_fields(read_plan(work.plan_md), read_todo(work.todo_md))


def _plan_fields(plan: Plan, todo: Todo) -> dict[str, Any]:
    parts = [each.model_dump(mode="json", exclude_none=True) for each in plan.parts]
    for part in parts:
        part |= {name: float(part[name]) for name in ("mass_g", "price_usd") if name in part}
    return {
        "idea": plan.idea,
        "parts": parts,
        "moved_by": plan.moved_by,
        "stages": list(plan.stages),
        "risks": [each.model_dump(mode="json") for each in plan.risks],
        "todo": [each.text for each in todo.items],
    }


def _from_written(message: BaseMessage, writing: Writing) -> BaseMessage:
    if not isinstance(message, AIMessage):
        return message
    read = read_written(Message(author="assistant", text=message.text), writing)
    calls = [
        {"id": call.call_id, "name": call.name, "args": json.loads(call.arguments_json)} for call in read.tool_calls
    ]
    return AIMessage(read.text, tool_calls=calls)


def _written_reply(reply: AIMessage, writing: Writing, *, is_enforced: bool) -> HttpReply:
    calls = [{"name": call["name"], "arguments": call["args"]} for call in reply.tool_calls]
    if writing == "json":
        return completion(json.dumps({"text": reply.text, "calls": calls}) if is_enforced else reply.text)
    blocks = [f"````call {call['name']}\n{json.dumps(call['arguments'])}\n````" for call in calls]
    return completion("\n\n".join(filter(None, (reply.text, *blocks))))
