"""Chat model for OpenAI-compatible servers, which add reasoning fields and may write invalid tool calls.

Replies are streamed, so that a model at work differs from one that hangs.
"""

# LangChain's own types say `dict` of them:
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import json
import time
from typing import Any, cast

import openai
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.tool import invalid_tool_call
from langchain_core.outputs import ChatResult
from langchain_openai import ChatOpenAI
from langchain_openai.chat_models.base import (
    _handle_openai_api_error,  # pyright: ignore[reportPrivateUsage] - as `ChatOpenAI` names its client's errors
    _handle_openai_bad_request,  # pyright: ignore[reportPrivateUsage]
)
from openai import BaseModel as OpenAIModel
from openai._httpx2 import request_exceptions

from agent.model.messages import REASONING_FIELDS
from agent.model.openai_stream import CompletionBuilder

TIMEOUT = openai.Timeout(None, connect=10.0)
"""For accepting a connection; only then has a call been sent, and its silence is timed by `RoleModel`."""
_REPORT_EVERY_S = 0.2


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

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,  # noqa: ANN401 - LangChain's signature
    ) -> ChatResult:
        """Ask for a stream, report its progress and return the whole; some servers send the whole all the same."""
        streaming = {"stream": True, "stream_options": {"include_usage": True}}
        payload = self._get_request_payload(messages, stop=stop, **kwargs, **streaming)
        try:
            whole = await self._receive(payload, run_manager)
        except openai.BadRequestError as error:
            _handle_openai_bad_request(error)
            raise
        except openai.APIError as error:
            _handle_openai_api_error(error)
            raise
        return self._create_chat_result(whole)

    async def _receive(
        self, payload: dict[str, Any], run_manager: AsyncCallbackManagerForLLMRun | None
    ) -> dict[str, Any]:
        raw = await self.async_client.with_raw_response.create(**payload)
        progress = _Progress(run_manager)
        await progress.report("")  # the call was received
        if "event-stream" not in raw.headers.get("content-type", ""):
            return await _whole_body(raw.http_response)
        builder = CompletionBuilder()
        async for chunk in raw.parse():
            before = builder.chars
            builder.add(chunk if isinstance(chunk, dict) else chunk.model_dump(warnings=False))
            await progress.add(builder.chars - before)
        return builder.whole()

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


class _Progress:
    """Reports to LangChain's callbacks, though not every single token."""

    def __init__(self, run_manager: AsyncCallbackManagerForLLMRun | None) -> None:
        self._run_manager = run_manager
        self._unreported = 0
        self._reported_s = time.monotonic()

    async def add(self, chars: int) -> None:
        self._unreported += chars
        if time.monotonic() - self._reported_s >= _REPORT_EVERY_S:
            await self.report(" " * self._unreported)

    async def report(self, text: str) -> None:
        self._unreported, self._reported_s = 0, time.monotonic()
        if self._run_manager is not None:
            await self._run_manager.on_llm_new_token(text)


async def _whole_body(response: Any) -> dict[str, Any]:  # noqa: ANN401 - of the client's own HTTP library
    """Return the body of a server that does not stream; raise `ValueError` if it is not a completion."""
    try:
        body = json.loads(await response.aread())
    except request_exceptions() as error:
        raise openai.APIConnectionError(request=response.request) from error
    if not isinstance(body, dict):
        raise ValueError(f"not a model's answer: {str(body)[:300]}")
    return body


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
