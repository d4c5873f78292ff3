"""Calls of GPU servers over HTTP: JSON requests with a bearer token, MessagePack answers."""

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from time import monotonic
from typing import Any, Literal, NamedTuple, TypeAlias
from uuid import UUID

import httpx
from chassis.servers.look_up import READ_EVERY_S, AnnouncedServers
from contracts.settings import COMMAND
from pydantic import BaseModel, ConfigDict, ValidationError
from spatial.array_codec import Decoded, MalformedAnswerError, decode

from perception_worker.gpu.servers import COOL_DOWN_S, LOST_S, Server, Servers
from perception_worker.results import RefusedError

PROTOCOL_VERSION = 1
NEWEST_ANSWER = 2
"""With masks as bits and confidence as bytes. Servers that do not know `answer_version` answer in version 1."""
CONNECT_S = 5.0
MAX_ANSWER_BYTES = 256 * 2**20
APPLICATION_ERRORS = frozenset(("ValueError", "TypeError", "AssertionError", "KeyError", "IndexError"))
"""Errors of the request itself: another server would have the same."""
_CONNECTION_LOST = (httpx.NetworkError, httpx.RemoteProtocolError)

NO_SERVER = f"no GPU server is configured or announced; work without it (`{COMMAND} servers add URL --kind perception`)"

Method: TypeAlias = Literal["reconstruct", "detect", "segment_video"]
DEPLOYMENTS: Mapping[Method, str] = {
    "reconstruct": "spatial_Reconstruct",
    "detect": "spatial_SAM3",
    "segment_video": "spatial_SAM3",
}


class ServerError(BaseModel):
    """Why a server could not answer."""

    type: str
    message: str


class Envelope(BaseModel):
    """What every answer consists of."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    version: Literal[1, 2]
    ok: bool
    result: Any = None
    error: ServerError | None = None


class ServerAnswer(NamedTuple):
    """The result of a call."""

    version: Literal[1, 2]
    result: Decoded


class ServerFailedError(Exception):
    """A server did not answer a call; another one may, or this one after a rest."""

    def __init__(self, problem: str, rest_s: float = COOL_DOWN_S) -> None:
        super().__init__(problem)
        self.rest_s = rest_s


class GpuClient:
    """Finds a server for each call, and tries others until one answers or time is up."""

    def __init__(
        self,
        servers: Servers,
        token: str,
        call_s: float,
        wait_s: float,
        announced: AnnouncedServers | None = None,
    ) -> None:
        """`announced`: servers besides the configured ones."""
        self._servers, self._wait_s, self._announced = servers, wait_s, announced
        self._http = httpx.AsyncClient(
            headers={"Authorization": f"Bearer {token}"},
            timeout=httpx.Timeout(call_s, connect=CONNECT_S),
            trust_env=False,
        )

    async def start(self) -> None:
        """Open nothing: connections are opened by the first call."""

    async def stop(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def has_servers(self) -> bool:
        """Return whether a server is configured or announced now, even if it rests after a failure."""
        await self._look_up()
        return bool(self._servers.all)

    async def call(
        self,
        method: Method,
        arguments: Mapping[str, object],
        run_id: UUID | None = None,
        hints: Mapping[str, object] | None = None,
    ) -> ServerAnswer:
        """Return a server's answer; raise `RefusedError` if the request is wrong or no server answers in time.

        `hints`: what is known besides; they are beside the arguments, where servers of others do not look.
        """
        deadline_s = monotonic() + self._wait_s
        while True:
            await self._look_up()
            server = self._servers.choose(run_id)
            if server is None:
                await self._wait_for_server(deadline_s)
                continue
            try:
                with self._servers.calling(server):
                    result = await self._call(server, method, arguments, hints or {})
            except ServerFailedError as failure:
                self._servers.failed(server, str(failure), failure.rest_s)
            else:
                self._servers.works(server)
                return result

    async def _look_up(self) -> None:
        if self._announced is not None:
            self._servers.announce({server.url: server.busy for server in await self._announced.current()})

    async def _wait_for_server(self, deadline_s: float) -> None:
        """Wait for the end of a rest; where servers are announced, look for new ones before."""
        rest_s = self._servers.next_ready_s
        if rest_s is None:
            raise RefusedError("backend_unavailable", NO_SERVER)
        pause_s = rest_s if self._announced is None else min(rest_s, READ_EVERY_S)
        if monotonic() + pause_s > deadline_s:
            raise RefusedError(
                "backend_unavailable",
                f"no GPU server answers ({self._servers.problems}); work without it, or try again in {rest_s:.0f} s",
                max(1, round(rest_s)),
            )
        await asyncio.sleep(pause_s)

    async def _call(
        self, server: Server, method: Method, arguments: Mapping[str, object], hints: Mapping[str, object]
    ) -> ServerAnswer:
        request = {
            "version": PROTOCOL_VERSION,
            "answer_version": NEWEST_ANSWER,
            "deployment": DEPLOYMENTS[method],
            "method": method,
            "kwargs": arguments,
            **hints,
        }
        try:
            async with self._http.stream("POST", f"{server.address}/call", json=request) as response:
                body = await _limited_body(response)
                status = response.status_code
        except httpx.HTTPError as error:
            rest_s = LOST_S if isinstance(error, _CONNECTION_LOST) else COOL_DOWN_S
            raise ServerFailedError(f"{type(error).__name__} {error}".strip(), rest_s) from error
        if status == HTTPStatus.BAD_REQUEST:
            raise RefusedError(
                "invalid_prompt", f"the GPU server refuses the request: {body[:300].decode(errors='replace')}"
            )
        if status == HTTPStatus.UNAUTHORIZED:
            raise ServerFailedError("it refuses the bearer token; check PERCEPTION_GPU_TOKEN")
        if status != HTTPStatus.OK:
            raise ServerFailedError(f"it answered with HTTP status {status}")
        return _answer(body)


async def _limited_body(response: httpx.Response) -> bytes:
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > MAX_ANSWER_BYTES:
            raise ServerFailedError(f"its answer has more than {MAX_ANSWER_BYTES} bytes")
    return bytes(body)


def _answer(body: bytes) -> ServerAnswer:
    try:
        answer = Envelope.model_validate(decode(body))
    except (MalformedAnswerError, ValidationError) as error:
        raise ServerFailedError(f"its answer is malformed: {error}") from error
    if answer.ok:
        return ServerAnswer(answer.version, answer.result)
    error = answer.error or ServerError(type="unknown", message="")
    if error.type in APPLICATION_ERRORS:
        raise RefusedError("invalid_prompt", f"the GPU server cannot do this: {error.message[:300]}")
    raise ServerFailedError(f"{error.type}: {error.message[:300]}")
