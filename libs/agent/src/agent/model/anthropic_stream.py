"""Chat model for Anthropic whose replies are streamed, so that a model at work differs from one that hangs."""

from collections.abc import AsyncIterator
from functools import cached_property
from typing import Any

import anthropic
import httpx2
from langchain_anthropic import ChatAnthropic
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.exceptions import ModelAPIError, ModelConnectionError
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGenerationChunk

TIMEOUT = anthropic.Timeout(None, connect=10.0)
"""For accepting a connection; only then has a call been sent, and its silence is timed by `RoleModel`."""
_REFUSALS = frozenset({"invalid_request_error", "authentication_error", "permission_error", "not_found_error"})
"""Types of errors that would come again, as opposed to those of a busy or broken server."""


class StreamedAnthropic(ChatAnthropic):
    """`ChatAnthropic` that always streams, and knows a stream that breaks off.

    `ChatAnthropic` itself takes a stream without an end for a reply, lets errors of the connection through, and reports
    an error in the middle of a stream with the status of its beginning, which is 200.
    """

    @cached_property
    def _async_client(self) -> anthropic.AsyncClient:
        """Limit the time for connecting alone, which the type of `timeout` does not allow."""
        parameters: dict[str, Any] = {**self._client_params, "timeout": TIMEOUT}
        return anthropic.AsyncClient(**parameters)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        *,
        stream_usage: bool | None = None,
        **kwargs: Any,  # noqa: ANN401 - LangChain's signature
    ) -> AsyncIterator[ChatGenerationChunk]:
        is_whole = False
        try:
            async for chunk in super()._astream(messages, stop, run_manager, stream_usage=stream_usage, **kwargs):
                is_whole = is_whole or bool(chunk.message.response_metadata.get("stop_reason"))
                yield chunk
        except httpx2.RequestError as error:
            raise ModelConnectionError(f"the reply broke off: {error!r}") from error
        except anthropic.APIStatusError as error:
            if error.response.is_success and _type_of(error.body) not in _REFUSALS:
                raise ModelAPIError(f"the reply broke off: {error.message}") from error
            raise
        if not is_whole:
            raise ModelConnectionError("the reply broke off before its end")


def _type_of(body: object) -> str:
    """Return the type of an error in the middle of a stream, or nothing."""
    match body:
        case {"error": {"type": str(kind)}}:
            return kind
        case _:
            return ""
