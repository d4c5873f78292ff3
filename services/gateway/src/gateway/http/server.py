"""The HTTP server as a resource of an app."""

import asyncio
import contextlib
import resource
import socket
from collections.abc import Generator, Sized
from ipaddress import ip_address

import uvicorn
from chassis.background_tasks import SupervisedTask
from starlette.types import ASGIApp

from gateway.http.connections import TimedProtocol, WaitingConnections
from gateway.settings import Settings

BACKLOG = 1024
KEEP_ALIVE_S = 30
SHUTDOWN_S = 1
"""How long open requests may take to finish when the server stops."""
BESIDE_STREAMS = 500
"""Requests in work besides event streams."""
MOST_WAITING = 3000
"""Connections that wait for their client, of all addresses together."""
FILES = 8192
"""That the process may have open: a connection is one, and the usual 1024 are too few."""


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

    def __init__(self, api: ASGIApp, settings: Settings) -> None:
        """`gateway_port` 0: a free one."""
        self._host = settings.gateway_host
        self._port = settings.gateway_port
        proxies = settings.gateway_trusted_proxies
        self._config = uvicorn.Config(
            api,
            log_config=None,
            access_log=False,
            lifespan="off",
            http=_protocol(settings),
            ws="none",
            server_header=False,
            proxy_headers=bool(proxies),
            forwarded_allow_ips=[str(each) for each in proxies],
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=SHUTDOWN_S,
            limit_concurrency=settings.gateway_open_streams + BESIDE_STREAMS + MOST_WAITING,
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

    @property
    def connections(self) -> Sized:
        """All that are open."""
        return self._server.server_state.connections

    async def start(self) -> None:
        """Listen; raise `AddressTakenError`."""
        _admit_open_files()
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


def _protocol(settings: Settings) -> type[TimedProtocol]:
    proxies = settings.gateway_trusted_proxies

    def is_proxy(address: str) -> bool:
        return bool(proxies) and any(ip_address(address) in each for each in proxies)

    class Timed(TimedProtocol):
        waiting = WaitingConnections(settings.gateway_waiting_connections, MOST_WAITING, is_proxy)
        write_timeout_s = settings.gateway_write_timeout_s

    return Timed


def _admit_open_files() -> None:
    """Raise the limit of open files of this process, as far as the machine admits it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < FILES:
        resource.setrlimit(
            resource.RLIMIT_NOFILE, (FILES if hard == resource.RLIM_INFINITY else min(FILES, hard), hard)
        )


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
