"""Converts messages of the contracts to LangChain's messages and back."""

import json
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType
from typing import Any

from contracts.models.artifact import Sha256
from contracts.models.conversation import Ending, Message, Picture, ToolCall
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, InvalidToolCall, SystemMessage, ToolMessage
from langchain_core.messages import ToolCall as ChatToolCall
from langchain_core.messages.content import ContentBlock, ImageContentBlock, TextContentBlock

REASONING_FIELDS = ("reasoning_content", "reasoning", "reasoning_details")
"""DeepSeek, Kimi and vLLM; OpenRouter and newer vLLM; OpenRouter. OpenAI's own API returns no reasoning here."""
_REASONING_BLOCKS = frozenset({"thinking", "redacted_thinking"})
_REFUSAL_REASONS = frozenset({"content_filter", "refusal"})
_CUT_OFF_REASONS = frozenset({"length", "max_tokens", "model_context_window_exceeded"})
_NO_BYTES: Mapping[Sha256, bytes] = MappingProxyType({})


def user_message(text: str, short_form: str = "") -> Message:
    """Return a message to the model; `short_form` replaces its text once it is old."""
    return Message(author="user", text=text, gist=short_form)


def tool_message(call: ToolCall, text: str) -> Message:
    """Return the result of a tool call."""
    return Message(author="tool", text=text, tool_call_id=call.call_id)


def to_langchain(messages: Iterable[Message], images: Mapping[Sha256, bytes] = _NO_BYTES) -> list[BaseMessage]:
    """Return the conversation as LangChain messages; `images` has the bytes of every picture in it, by digest."""
    return [_to_langchain(message, images) for message in messages]


def _to_langchain(message: Message, images: Mapping[Sha256, bytes]) -> BaseMessage:
    match message.author:
        case "user" if message.images:
            return HumanMessage(content_blocks=_blocks(message, images))
        case "system":
            return SystemMessage(message.text)
        case "user":
            return HumanMessage(message.text)
        case "tool":
            return ToolMessage(message.text, tool_call_id=message.tool_call_id or "")
        case "assistant":
            calls = [
                ChatToolCall(id=call.call_id, name=call.name, args=json.loads(call.arguments_json))
                for call in message.tool_calls
            ]
            return _with_reasoning(message, calls) if calls else AIMessage(message.text)


def _with_reasoning(message: Message, calls: list[ChatToolCall]) -> AIMessage:
    """Return a reply that calls tools with its reasoning, which providers require until the tools have answered.

    Anthropic's reasoning is blocks before the text; OpenAI-compatible servers have it in fields besides the text.
    """
    reasoning: list[dict[str, Any]] = [json.loads(block) for block in message.reasoning]
    blocks = [each for each in reasoning if "type" in each]
    fields = {name: value for each in reasoning if "type" not in each for name, value in each.items()}
    if not blocks:
        return AIMessage(message.text, tool_calls=calls, additional_kwargs=fields)
    text = [{"type": "text", "text": message.text}] if message.text else []
    return AIMessage([*blocks, *text], tool_calls=calls, additional_kwargs=fields)


def _blocks(message: Message, images: Mapping[Sha256, bytes]) -> list[ContentBlock]:
    """Return the text, and then each picture after its caption; LangChain converts them for each provider."""
    blocks: list[ContentBlock] = [TextContentBlock(type="text", text=message.text)]
    for number, image in enumerate(message.images, 1):
        caption = f"Picture {number} of {len(message.images)}: {image.caption}"
        caption += f"\n{image.shows}" if image.shows else ""
        blocks += [TextContentBlock(type="text", text=caption), _block(image, images[image.artifact.sha256])]
    return blocks


def _block(image: Picture, data: bytes) -> ImageContentBlock:
    return ImageContentBlock(type="image", base64=b64encode(data).decode(), mime_type=image.artifact.media_type)


def from_langchain(reply: AIMessage) -> Message:
    """Return a model's reply; tool calls with invalid arguments keep them as written."""
    calls = [_call(call, json.dumps(call["args"], ensure_ascii=False)) for call in reply.tool_calls]
    calls += [_call(call, call["args"] or "") for call in reply.invalid_tool_calls]
    text = reply.text or str(reply.additional_kwargs.get("refusal") or "")
    reasoning = tuple(map(_storable, _reasoning(reply)))
    return Message(author="assistant", text=_storable(text), tool_calls=with_unique_ids(calls), reasoning=reasoning)


def with_unique_ids(calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    """Return the calls with an id of our own where a server gave none, or one twice: ids connect calls and answers."""
    ids = Counter(call.call_id for call in calls)
    unique = [
        call.model_copy(update={"call_id": _id_of(call, number)}) if not call.call_id or ids[call.call_id] > 1 else call
        for number, call in enumerate(calls, start=1)
    ]
    return tuple(unique)


def _id_of(call: ToolCall, number: int) -> str:
    return f"call-{sha256(f'{call.name} {call.arguments_json}'.encode()).hexdigest()[:12]}-{number}"


def ending_of(reply: AIMessage) -> Ending:
    """Return whether the reply is complete, by the reason that OpenAI or Anthropic give for its end."""
    reason = reply.response_metadata.get("finish_reason") or reply.response_metadata.get("stop_reason")
    if reason in _REFUSAL_REASONS or reply.additional_kwargs.get("refusal"):
        return "refused"
    return "cut_off" if reason in _CUT_OFF_REASONS else "complete"


def _reasoning(reply: AIMessage) -> list[str]:
    blocks: list[object] = [
        {name: value for name, value in each.items() if name != "index"}  # its place in the stream
        for each in reply.content
        if isinstance(each, dict) and each.get("type") in _REASONING_BLOCKS
    ]
    fields = [{name: reply.additional_kwargs[name]} for name in REASONING_FIELDS if name in reply.additional_kwargs]
    return [json.dumps(each, ensure_ascii=False) for each in (*blocks, *fields)]


def _call(call: ChatToolCall | InvalidToolCall, arguments_json: str) -> ToolCall:
    return ToolCall(call_id=call["id"] or "", name=call["name"] or "", arguments_json=_storable(arguments_json))


def _storable(text: str) -> str:
    """Return the text with `?` for lone surrogates, which JSON may hold and UTF-8 may not."""
    return text.encode(errors="replace").decode()
