"""Messages of the language and messages of LangChain, to and fro."""

import json
from base64 import b64encode
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from contracts.models.artifact import Sha256
from contracts.models.conversation import Ending, Message, Picture, ToolCall
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, InvalidToolCall, SystemMessage, ToolMessage
from langchain_core.messages import ToolCall as ChatToolCall
from langchain_core.messages.content import ContentBlock, ImageContentBlock, TextContentBlock

REASONING_FIELDS = ("reasoning_content", "reasoning", "reasoning_details")
"""DeepSeek, Kimi and vLLM; OpenRouter and newer vLLM; OpenRouter. OpenAI itself keeps its reasoning in this API."""
_THOUGHTS = frozenset({"thinking", "redacted_thinking"})
_REFUSED = frozenset({"content_filter", "refusal"})
_CUT_OFF = frozenset({"length", "max_tokens", "model_context_window_exceeded"})
_NO_BYTES: Mapping[Sha256, bytes] = MappingProxyType({})


def user_message(text: str, gist: str = "") -> Message:
    """Return what a role is told, and what stands for it once it is old."""
    return Message(author="user", text=text, gist=gist)


def tool_message(call: ToolCall, text: str) -> Message:
    """Return what a tool call led to."""
    return Message(author="tool", text=text, tool_call_id=call.call_id)


def to_langchain(messages: Iterable[Message], images: Mapping[Sha256, bytes] = _NO_BYTES) -> list[BaseMessage]:
    """Return the conversation as LangChain wants it; `images` has the bytes of every picture in it, by digest."""
    return [_to_chat(message, images) for message in messages]


def _to_chat(message: Message, images: Mapping[Sha256, bytes]) -> BaseMessage:
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
    """Return a reply that calls tools, with what its provider wants to see again of its thoughts until they answer.

    Anthropic's are blocks before the text; those of OpenAI-compatible servers are fields beside it.
    """
    thoughts: list[dict[str, Any]] = [json.loads(block) for block in message.reasoning]
    blocks = [thought for thought in thoughts if "type" in thought]
    fields = {name: value for thought in thoughts if "type" not in thought for name, value in thought.items()}
    if not blocks:
        return AIMessage(message.text, tool_calls=calls, additional_kwargs=fields)
    text = [{"type": "text", "text": message.text}] if message.text else []
    return AIMessage([*blocks, *text], tool_calls=calls, additional_kwargs=fields)


def _blocks(message: Message, images: Mapping[Sha256, bytes]) -> list[ContentBlock]:
    """Return the text, and then each picture after its caption: LangChain turns them into what a provider wants."""
    blocks: list[ContentBlock] = [TextContentBlock(type="text", text=message.text)]
    for number, image in enumerate(message.images, 1):
        caption = f"Picture {number} of {len(message.images)}: {image.caption}"
        blocks += [TextContentBlock(type="text", text=caption), _block(image, images[image.artifact.sha256])]
    return blocks


def _block(image: Picture, data: bytes) -> ImageContentBlock:
    return ImageContentBlock(type="image", base64=b64encode(data).decode(), mime_type=image.artifact.media_type)


def from_langchain(reply: AIMessage) -> Message:
    """Return a model's reply as a message of the language; calls it wrote badly are kept as it wrote them."""
    calls = [_call(call, json.dumps(call["args"], ensure_ascii=False)) for call in reply.tool_calls]
    calls += [_call(call, call["args"] or "") for call in reply.invalid_tool_calls]
    text = reply.text or str(reply.additional_kwargs.get("refusal") or "")
    thoughts = tuple(map(_storable, _thoughts(reply)))
    return Message(author="assistant", text=_storable(text), tool_calls=tuple(calls), reasoning=thoughts)


def ending_of(reply: AIMessage) -> Ending:
    """Return whether the reply is all that the model wanted to say, by OpenAI's word for it or Anthropic's."""
    said = reply.response_metadata.get("finish_reason") or reply.response_metadata.get("stop_reason")
    if said in _REFUSED or reply.additional_kwargs.get("refusal"):
        return "refused"
    return "cut_off" if said in _CUT_OFF else "complete"


def _thoughts(reply: AIMessage) -> list[str]:
    blocks: list[object] = [each for each in reply.content if isinstance(each, dict) and each.get("type") in _THOUGHTS]
    fields = [{name: reply.additional_kwargs[name]} for name in REASONING_FIELDS if name in reply.additional_kwargs]
    return [json.dumps(each, ensure_ascii=False) for each in (*blocks, *fields)]


def _call(call: ChatToolCall | InvalidToolCall, arguments_json: str) -> ToolCall:
    return ToolCall(call_id=call["id"] or "", name=call["name"] or "", arguments_json=_storable(arguments_json))


def _storable(text: str) -> str:
    """Return the text with `?` for halves of characters, which JSON may hold and UTF-8 may not."""
    return text.encode(errors="replace").decode()
