"""Chat model for OpenAI-compatible servers, which add reasoning fields and may write invalid tool calls."""

# LangChain's own types say `dict` of them:
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import json
from typing import Any, cast

from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage
from langchain_core.messages.tool import invalid_tool_call
from langchain_core.outputs import ChatResult
from langchain_openai import ChatOpenAI
from openai import BaseModel as OpenAIModel

from agent.model.messages import REASONING_FIELDS


class CompatibleChat(ChatOpenAI):
    """`ChatOpenAI` with support for reasoning fields, and for replies in which a tool call is invalid.

    `ChatOpenAI` itself drops the former and raises for the latter.
    """

    def _get_request_payload(
        self, input_: LanguageModelInput, *, stop: list[str] | None = None, **kwargs: object
    ) -> dict[str, Any]:
        """Send reasoning back with the message that it belongs to."""
        payload = super()._get_request_payload(input_, stop=stop, **kwargs)
        messages = self._convert_input(input_).to_messages()
        for message, sent in zip(messages, payload["messages"], strict=True):
            sent |= {name: value for name, value in message.additional_kwargs.items() if name in REASONING_FIELDS}
        return payload

    def _create_chat_result(
        self, response: dict[str, Any] | OpenAIModel, generation_info: dict[str, Any] | None = None
    ) -> ChatResult:
        """Keep reasoning and invalid calls as received; raise `ValueError` for a body that is not a model's answer."""
        if not isinstance(response, dict | OpenAIModel):  # pyright: ignore[reportUnnecessaryIsInstance] - a page of HTML
            raise ValueError(f"not a model's answer: {str(response)[:300]}")
        whole = response if isinstance(response, dict) else response.model_dump(warnings=False)
        choices = whole.get("choices")
        if whole.get("error") or not choices or not isinstance(choices[0].get("message"), dict):
            raise ValueError(f"not a model's answer: {json.dumps(whole, default=str)[:300]}")
        message = cast("dict[str, Any]", choices[0]["message"])
        invalid = _remove_invalid_calls(message)
        result = super()._create_chat_result(whole, generation_info)
        reply = result.generations[0].message
        assert isinstance(reply, AIMessage)
        reply.invalid_tool_calls += [
            invalid_tool_call(name=call["function"]["name"], args=call["function"]["arguments"], id=call["id"])
            for call in invalid
        ]
        fields = (*REASONING_FIELDS, "refusal")
        reply.additional_kwargs |= {name: message[name] for name in fields if message.get(name)}
        return result


def _remove_invalid_calls(message: dict[str, Any]) -> list[dict[str, Any]]:
    """Remove and return the calls whose arguments are JSON but not an object: LangChain would raise for the message."""
    calls: list[dict[str, Any]] = message.get("tool_calls") or []
    invalid = [call for call in calls if not _is_readable(call)]
    if invalid:
        message["tool_calls"] = [call for call in calls if call not in invalid]
    return invalid


def _is_readable(call: dict[str, Any]) -> bool:
    try:
        arguments = json.loads(call["function"]["arguments"] or "{}")
    except ValueError:
        return True  # LangChain itself keeps text that is not JSON as an invalid call
    return isinstance(arguments, dict)
