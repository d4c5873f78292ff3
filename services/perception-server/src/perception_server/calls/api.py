"""The routes: `/call` for perception-worker, and `/health`."""

import asyncio
import hmac
from collections.abc import Sequence
from hashlib import sha256
from http import HTTPStatus
from time import monotonic

from chassis.background_tasks import first_result
from pydantic import ValidationError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from perception_server.calls.answer_cache import AnswerCache
from perception_server.calls.batch_queue import BatchQueue
from perception_server.calls.engine import Engine
from perception_server.calls.measures import CallMeasures
from perception_server.calls.memory_budget import MemoryBudget
from perception_server.calls.protocol import CALL, PROTOCOL_VERSIONS
from perception_server.models.interface import ModelCard

CLIENT_LEFT = 499
"""The status that a client never sees, since it has left."""
BYTES_PER_MB = 2**20


class Api:
    """Reads calls, and answers them from the cache or by the queue."""

    def __init__(  # noqa: PLR0913, PLR0917 - the parts of a server
        self,
        token: str,
        cards: Sequence[ModelCard],
        engine: Engine,
        queue: BatchQueue,
        cache: AnswerCache,
        budget: MemoryBudget,
        measures: CallMeasures,
        max_request_bytes: int,
    ) -> None:
        self._token, self._cards = token, cards
        self._engine, self._queue, self._cache, self._budget = engine, queue, cache, budget
        self._measures, self._max_request_bytes = measures, max_request_bytes

    def routes(self) -> list[Route]:
        """Return the routes of an ASGI application."""
        return [Route("/call", self._call, methods=["POST"]), Route("/health", self._health)]

    async def _health(self, _: Request) -> Response:
        problem = self._queue.problem()
        report = {
            "status": problem or "ok",
            "models": [
                {"name": card.name, "task": card.task, "revision": card.revision, "licence": card.licence}
                for card in self._cards
            ],
            "versions": PROTOCOL_VERSIONS,
            "waiting": self._queue.length,
            "busy": self._queue.busy,
        }
        return JSONResponse(report, HTTPStatus.SERVICE_UNAVAILABLE if problem else HTTPStatus.OK)

    async def _call(self, request: Request) -> Response:
        given = request.headers.get("Authorization", "").encode()
        if not hmac.compare_digest(given, f"Bearer {self._token}".encode()):
            return PlainTextResponse("the bearer token is missing or wrong", HTTPStatus.UNAUTHORIZED)
        size = request.headers.get("Content-Length", "")
        if not size.isdecimal():
            return PlainTextResponse("Content-Length is missing", HTTPStatus.LENGTH_REQUIRED)
        if int(size) > self._max_request_bytes:
            most = self._max_request_bytes // BYTES_PER_MB
            return PlainTextResponse(f"the request has more than {most} MB: send fewer frames", HTTPStatus.BAD_REQUEST)
        async with self._budget.reserve(2 * int(size)):  # the text, and the pictures that it contains
            try:
                return await self._read_and_answer(request)
            except ClientDisconnect:
                return Response(status_code=CLIENT_LEFT)

    async def _read_and_answer(self, request: Request) -> Response:
        body = await request.body()
        began_s, digest = monotonic(), await asyncio.to_thread(_digest, body)
        kept = self._cache.get(digest)
        if kept is None:
            try:
                call = await asyncio.to_thread(CALL.validate_json, body)
            except ValidationError as error:
                return PlainTextResponse(_problem(error), HTTPStatus.BAD_REQUEST)
            answer = self._engine.refusal(call) or await first_result(self._queue.answer(call), _left(request))
            self._measures.note_call(call.method, monotonic() - began_s, self._queue.length, self._budget.used)
            if answer is None:
                return Response(status_code=CLIENT_LEFT)
            kept = answer.body
            if answer.ok:
                self._cache.put(digest, kept)
        return Response(kept, media_type="application/msgpack")


async def _left(request: Request) -> None:
    """Wait until the client has left."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _digest(body: bytes) -> bytes:
    return sha256(body).digest()


def _problem(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg'].removeprefix('Value error, ')}"
