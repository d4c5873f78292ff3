"""Tool calls of models that cannot call tools: written into the text, as fenced blocks or as one JSON object.

The rest of the system sees tool calls and their answers, whatever a model can do.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, cast

from contracts.models.conversation import Message, ToolCall
from pydantic import BaseModel

from agent.model.messages import with_unique_ids

Writing = Literal["markdown", "json"]
"""How calls are written: as fenced blocks, or as the one JSON object that the server enforces."""

_CALL = re.compile(
    r"^(?P<fence>`{3,})call[ \t]+(?P<name>\w+)[ \t]*\n(?P<body>.*?)^(?P=fence)[ \t]*$", re.DOTALL | re.MULTILINE
)
_LONG = re.compile(r"^--- (?P<name>\w+)[ \t]*$\n?", re.MULTILINE)
_FORM: Mapping[Writing, str] = {
    "markdown": """\
Write a tool call as a block with its short arguments, one a line, and its long texts, each below a line of its own:

```call write_file
path: notes.md
--- text
# Notes
```""",
    "json": """\
Reply with one JSON object: `text` is what you say, and `calls` are your tool calls, in order:

{"text": "I look at the file.", "calls": [{"name": "view_file", "arguments": {"path": "script.py"}}]}

Where another form is asked for, such as sections in Markdown, it is the `text`, and `calls` is empty.""",
}


def written_prompt(messages: Iterable[Message], tools: Sequence[type[BaseModel]], writing: Writing) -> list[Message]:
    """Return a conversation without tool messages: calls and answers are text, and the tools are in the system prompt.

    Messages of one author in a row are joined: templates of many open models require that authors alternate.
    """
    written: list[Message] = []
    names: dict[str, str] = {}
    for message in messages:
        names |= {call.call_id: call.name for call in message.tool_calls}
        each = _written(message, names, writing)
        if each.author == "system" and tools:
            each = each.model_copy(update={"text": f"{each.text}\n\n{_manual(tools, writing)}"})
        if written and written[-1].author == each.author == "user":
            last = written.pop()
            each = last.model_copy(
                update={"text": f"{last.text}\n\n{each.text}", "images": (*last.images, *each.images)}
            )
        written.append(each)
    return written


def read_written(reply: Message, writing: Writing) -> Message:
    """Return the reply with the tool calls in its text; unchanged if there are none."""
    if reply.tool_calls:
        return reply
    text, calls = _read_json(reply.text) if writing == "json" else _read_blocks(reply.text)
    return reply.model_copy(update={"text": text, "tool_calls": with_unique_ids(calls)})


def schema_of(tools: Sequence[type[BaseModel]]) -> dict[str, Any]:
    """Return the JSON schema of a reply of a model that writes JSON."""
    names = [tool.model_config.get("title") for tool in tools]
    call = {
        "type": "object",
        "properties": {"name": {"type": "string", "enum": names}, "arguments": {"type": "object"}},
        "required": ["name", "arguments"],
    }
    return {
        "title": "reply",
        "description": "What you say, and your tool calls.",
        "type": "object",
        "properties": {"text": {"type": "string"}, "calls": {"type": "array", "items": call if names else {}}},
        "required": ["text", "calls"],
    }


def _manual(tools: Sequence[type[BaseModel]], writing: Writing) -> str:
    lines = [f"- `{tool.model_config.get('title')}`: {json.dumps(_arguments_schema(tool))}" for tool in tools]
    return f"## How you call tools\n\n{_FORM[writing]}\n\nThe arguments of each tool, as JSON schemas:\n\n" + "\n".join(
        lines
    )


def _arguments_schema(tool: type[BaseModel]) -> dict[str, Any]:
    schema = tool.model_json_schema()
    return {name: value for name, value in schema.items() if name in {"properties", "required", "$defs"}}


def _written(message: Message, names: Mapping[str, str], writing: Writing) -> Message:
    if message.author == "tool":
        text = f"Result of `{names.get(message.tool_call_id or '', 'the call')}`:\n\n{message.text}"
        return message.model_copy(update={"author": "user", "text": text, "tool_call_id": None})
    if message.author != "assistant":
        return message
    if writing == "json":
        calls = [{"name": call.name, "arguments": json.loads(call.arguments_json)} for call in message.tool_calls]
        text = json.dumps({"text": message.text, "calls": calls}, ensure_ascii=False)
    else:
        text = "\n\n".join(filter(None, (message.text, *map(_block, message.tool_calls))))
    return message.model_copy(update={"text": text, "tool_calls": (), "reasoning": ()})


def _block(call: ToolCall) -> str:
    """Return a call as a block; long texts come last, as they are."""
    arguments: dict[str, Any] = json.loads(call.arguments_json)
    long = {name: value for name, value in arguments.items() if isinstance(value, str) and "\n" in value}
    short = [
        f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items() if name not in long
    ]
    texts = [f"--- {name}\n{value}" for name, value in long.items()]
    body = "\n".join([*short, *texts])
    if any(map(_LONG.search, long.values())):
        body = json.dumps(arguments, ensure_ascii=False)
    fence = "`" * (3 if "```" not in body else max(map(len, re.findall("`+", body))) + 1)
    return f"{fence}call {call.name}\n{body}\n{fence}" if body else f"{fence}call {call.name}\n{fence}"


def _read_blocks(text: str) -> tuple[str, list[ToolCall]]:
    calls = [_call(match["name"], _block_arguments(match["body"])) for match in _CALL.finditer(text)]
    return (_CALL.sub("", text).strip(), calls) if calls else (text, [])


def _block_arguments(body: str) -> dict[str, Any]:
    if body.lstrip().startswith("{"):
        try:
            read = json.loads(body)
        except ValueError:
            pass
        else:
            return cast("dict[str, Any]", read)
    head, *rest = _LONG.split(body)
    lines = [line.partition(":") for line in head.split("\n") if ":" in line]
    short = {name.strip(): _value(value.strip()) for name, _, value in lines}
    return short | {name: value.removesuffix("\n") for name, value in zip(rest[::2], rest[1::2], strict=True)}


def _value(text: str) -> object:
    """Return the value of a short argument: JSON, or else the text as it is."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _read_json(text: str) -> tuple[str, list[ToolCall]]:
    try:
        read = json.loads(text)
    except ValueError:
        return text, []
    if not isinstance(read, dict):
        return text, []
    fields = cast("dict[str, Any]", read)
    written: list[dict[str, Any]] = [each for each in fields.get("calls") or () if isinstance(each, dict)]
    calls = [_call(str(each.get("name", "")), each.get("arguments", {})) for each in written]
    return str(fields.get("text", "" if calls else text)), calls


def _call(name: str, arguments: object) -> ToolCall:
    return ToolCall(call_id="", name=name, arguments_json=json.dumps(arguments, ensure_ascii=False))
