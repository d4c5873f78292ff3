"""Progress of one model call: how long the model may be silent, and how much of a reply has arrived."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from langchain_core.callbacks import AsyncCallbackHandler

_WRITTEN = ("text", "thinking", "partial_json")
"""Fields of Anthropic's blocks that a model writes."""


class CallProgress(AsyncCallbackHandler):
    """Notes what arrives of a reply, and ends a call that is silent for too long."""

    def __init__(self, silence_s: float | None) -> None:
        self._silence_s = silence_s
        self._started_s = time.monotonic()
        self._timeout: asyncio.Timeout | None = None
        self.chars = 0
        self.has_begun = False
        """Whether the server has begun to answer."""
        self.is_silent = False
        """Whether the call was ended because nothing came any more."""

    @property
    def duration_s(self) -> float:
        """Seconds since the call began."""
        return time.monotonic() - self._started_s

    @asynccontextmanager
    async def watch(self) -> AsyncGenerator[None]:
        """Raise `TimeoutError` once nothing has come for too long."""
        try:
            async with asyncio.timeout(self._silence_s) as self._timeout:
                yield
        finally:
            self.is_silent = self._timeout is not None and self._timeout.expired()

    async def on_llm_new_token(self, token: str | list[str | dict[str, Any]], **_: object) -> None:
        """Note a piece of the reply; LangChain calls this."""
        self.has_begun = True
        self.chars += len(token) if isinstance(token, str) else sum(map(_chars_of, token))
        if self._timeout is not None and self._silence_s is not None and not self._timeout.expired():
            self._timeout.reschedule(asyncio.get_running_loop().time() + self._silence_s)


def _chars_of(block: str | dict[str, Any]) -> int:
    """Return the length of what the model has written in a block: text, reasoning, or arguments of a call."""
    written = block if isinstance(block, str) else "".join(str(block.get(name) or "") for name in _WRITTEN)
    return len(written)
