"""The HTTP server as a resource of an app."""

import asyncio
import contextlib
import socket
from collections.abc import Generator

import uvicorn
from chassis.background_tasks import SupervisedTask
from starlette.types import ASGIApp

BACKLOG = 1024
KEEP_ALIVE_S = 30
SHUTDOWN_S = 1
"""How long open requests may take to finish when the server stops."""
BESIDE_STREAMS = 500
"""Connections besides event streams."""


class AddressTakenError(Exception):
    """The server cannot listen where its settings say."""


class _Server(uvicorn.Server):
    """uvicorn without its own handling of signals: several apps may share a process."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Capture none."""
        yield


class HttpServer:
    """Serves an ASGI app from `start` to `stop`."""

    def __init__(self, api: ASGIApp, host: str, port: int, open_streams: int) -> None:
        """`port` 0: a free one."""
        self._host = host
        self._port = port
        self._config = uvicorn.Config(
            api,
            log_config=None,
            access_log=False,
            lifespan="off",
            http="h11",
            ws="none",
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=SHUTDOWN_S,
            limit_concurrency=open_streams + BESIDE_STREAMS,
            backlog=BACKLOG,
        )
        self._server = _Server(self._config)
        self._task: SupervisedTask | None = None
        self._socket: socket.socket | None = None

    @property
    def url(self) -> str:
        """Where it listens, once it has started."""
        if self._socket is None:
            raise RuntimeError("the HTTP server has no address before it has started")
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{self._socket.getsockname()[1]}"

    async def start(self) -> None:
        """Listen; raise `AddressTakenError`."""
        self._socket = _listen(self._host, self._port)
        self._server = _Server(self._config)
        self._task = SupervisedTask("the HTTP server", self._serve)
        self._task.start()
        while not self._server.started:  # noqa: ASYNC110 - uvicorn sends no notification
            await asyncio.sleep(0.01)

    async def stop(self) -> None:
        """Accept no more requests, finish those in work, and close all connections."""
        self._server.should_exit = True
        if self._task is not None:
            await self._task.finish()
            self._task = None
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def problem(self) -> str | None:
        """Return why it does not serve, or None."""
        return None if self._task is None else self._task.problem()

    async def _serve(self) -> None:
        assert self._socket is not None
        await self._server.serve(sockets=[self._socket])


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise AddressTakenError(
            f"the API cannot listen on {host}:{port}: {error.strerror}; choose another GATEWAY_PORT, or 0 for any"
        ) from error
    return listening
