"""The health of an app over HTTP, for an orchestrator that starts, restarts and routes by probes.

- `/live`: this process answers: a restart helps only while it does not, or while a background task has ended (503).
- `/started`: the app has connected, opened its resources and begun to work.
- `/ready`: it has no problems; else 503 with one line for each. An outage of a server is one, but no reason to restart.
"""

import asyncio
from collections.abc import Awaitable, Callable
from http import HTTPStatus

from chassis.errors import CannotStartError

READ_S = 5.0
"""A client that has not sent its request by then is disconnected."""
MAX_REQUEST_BYTES = 8192

Health = Callable[[], Awaitable[list[str]]]
"""Returns one line for each problem."""


class HealthServer:
    """Answers from the app's own event loop, so that a blocked loop does not answer."""

    def __init__(self, health: Health, fatal: Callable[[], list[str]], port: int, host: str = "0.0.0.0") -> None:  # noqa: S104 - probes come from the node
        """`fatal`: the problems that only a restart ends. Port 0: a free one."""
        self._health = health
        self._fatal = fatal
        self._host = host
        self._port = port
        self._server: asyncio.Server | None = None
        self._asking = asyncio.Lock()
        self.is_started = False
        """Whether the app works; its owner sets it."""

    @property
    def port(self) -> int:
        """Where it listens, once it does."""
        assert self._server is not None
        return int(self._server.sockets[0].getsockname()[1])

    async def start(self) -> None:
        """Listen; raise `CannotStartError` if the port is taken."""
        try:
            self._server = await asyncio.start_server(self._serve, self._host, self._port, limit=MAX_REQUEST_BYTES)
        except OSError as error:
            raise CannotStartError(
                f"health cannot be served on port {self._port} ({error.strerror}): set HEALTH_PORT to a free one"
            ) from error

    async def stop(self) -> None:
        """Listen no longer."""
        if self._server is not None:
            self._server.close()
            self._server = None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(READ_S):
                head = await reader.readuntil(b"\r\n\r\n")
            status, lines = await self._answer(head.split(b"\r\n", 1)[0].decode("latin-1").split(" "))
            writer.write(_response(status, lines))
            await writer.drain()
        except (TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError):
            pass  # the client is gone, or is none
        finally:
            writer.close()

    async def _answer(self, request: list[str]) -> tuple[HTTPStatus, list[str]]:
        path = request[1] if len(request) == 3 and request[0] == "GET" else ""
        if path == "/live":
            return _status(self._fatal())
        if path == "/started":
            return _status([] if self.is_started else ["the service is starting"])
        if path == "/ready":
            return _status(await self._problems())
        return HTTPStatus.NOT_FOUND, ["GET /live, /started or /ready"]

    async def _problems(self) -> list[str]:
        if not self.is_started:
            return ["the service is starting"]
        async with self._asking:
            return await self._health()


def _status(problems: list[str]) -> tuple[HTTPStatus, list[str]]:
    return (HTTPStatus.SERVICE_UNAVAILABLE, problems) if problems else (HTTPStatus.OK, ["ok"])


def _response(status: HTTPStatus, lines: list[str]) -> bytes:
    body = "".join(f"{line}\n" for line in lines).encode()
    head = f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: text/plain; charset=utf-8\r\n"
    return f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body
