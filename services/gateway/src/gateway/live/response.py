"""The response that sends frames for as long as a client takes them."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from chassis.background_tasks import cancel_and_wait
from fastapi.responses import Response
from starlette.types import Receive, Scope, Send

MEDIA_TYPE = "text/event-stream"
HEADERS = {
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",  # nginx would collect frames
}


_log = logging.getLogger(__name__)


class EventStream(Response):
    """Sends frames one by one: the next is made when the last was taken, so that a slow client holds one frame."""

    media_type = MEDIA_TYPE

    def __init__(
        self,
        frames: AsyncGenerator[bytes],
        write_timeout_s: float,
        closing: asyncio.Event,
        release: Callable[[], None],
    ) -> None:
        """A client that takes nothing for `write_timeout_s` is left. In the end `release` is called in any case."""
        super().__init__(headers=HEADERS)
        del self.headers["content-length"]
        self._frames = frames
        self._write_timeout_s = write_timeout_s
        self._closing = closing
        self._release = release

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI's signature
        """Send until the frames end, the client leaves or is too slow, or the server closes."""
        sending = asyncio.create_task(self._send(send), name="sends an event stream")
        leaving = asyncio.create_task(_departure(receive), name="waits for the client of an event stream to leave")
        closing = asyncio.create_task(_set(self._closing), name="waits for the end of all event streams")
        try:
            await asyncio.wait((sending, leaving, closing), return_when=asyncio.FIRST_COMPLETED)
            if closing.done() and not sending.done():
                await cancel_and_wait(sending)
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            await cancel_and_wait(sending, leaving, closing)
            await self._frames.aclose()
            self._release()
        if not sending.cancelled():
            sending.result()

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async with aclosing(self._frames) as frames:
            async for frame in frames:
                try:
                    async with asyncio.timeout(self._write_timeout_s):
                        await send({"type": "http.response.body", "body": frame, "more_body": True})
                except TimeoutError:
                    _log.info("a client took nothing of its event stream for %g s", self._write_timeout_s)
                    return  # the server closes the connection, since the response is not complete
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _departure(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _set(event: asyncio.Event) -> None:
    await event.wait()
