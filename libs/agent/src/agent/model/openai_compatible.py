"""OpenAI's chat API as others speak it: with reasoning of their own, and with tool calls that nobody can read."""

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
    """`ChatOpenAI`, which drops what other providers add to OpenAI's API, and refuses whole replies for a bad call."""

    def _get_request_payload(
        self, input_: LanguageModelInput, *, stop: list[str] | None = None, **kwargs: object
    ) -> dict[str, Any]:
        """Send reasoning back beside the message that it came with."""
        payload = super()._get_request_payload(input_, stop=stop, **kwargs)
        said = self._convert_input(input_).to_messages()
        for message, sent in zip(said, payload["messages"], strict=True):
            sent |= {name: value for name, value in message.additional_kwargs.items() if name in REASONING_FIELDS}
        return payload

    def _create_chat_result(
        self, response: dict[str, Any] | OpenAIModel, generation_info: dict[str, Any] | None = None
    ) -> ChatResult:
        """Keep reasoning and unreadable calls as they came; raise `ValueError` for what is no answer of a model."""
        if not isinstance(response, dict | OpenAIModel):  # pyright: ignore[reportUnnecessaryIsInstance] - a page of HTML
            raise ValueError(f"this is no answer of a model: {str(response)[:300]}")
        whole = response if isinstance(response, dict) else response.model_dump(warnings=False)
        choices = whole.get("choices")
        if whole.get("error") or not choices or not isinstance(choices[0].get("message"), dict):
            raise ValueError(f"this is no answer of a model: {json.dumps(whole, default=str)[:300]}")
        message = cast("dict[str, Any]", choices[0]["message"])
        unreadable = _without_unreadable_calls(message)
        result = super()._create_chat_result(whole, generation_info)
        reply = result.generations[0].message
        assert isinstance(reply, AIMessage)
        reply.invalid_tool_calls += [
            invalid_tool_call(name=call["function"]["name"], args=call["function"]["arguments"], id=call["id"])
            for call in unreadable
        ]
        fields = (*REASONING_FIELDS, "refusal")
        reply.additional_kwargs |= {name: message[name] for name in fields if message.get(name)}
        return result


def _without_unreadable_calls(message: dict[str, Any]) -> list[dict[str, Any]]:
    """Take the calls whose arguments are JSON but no object out of the message: LangChain would refuse all of it."""
    calls: list[dict[str, Any]] = message.get("tool_calls") or []
    unreadable = [call for call in calls if not _may_be_read(call)]
    if unreadable:
        message["tool_calls"] = [call for call in calls if call not in unreadable]
    return unreadable


def _may_be_read(call: dict[str, Any]) -> bool:
    try:
        arguments = json.loads(call["function"]["arguments"] or "{}")
    except ValueError:
        return True  # LangChain keeps these itself, as they were written
    return isinstance(arguments, dict)
