"""What the operations of the API work with."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, cast
from uuid import UUID

from artifacts.client import Artifacts
from chassis.bus import Bus
from chassis.disk_space import DiskSpace
from chassis.stream.run_messages import RunMessages
from contracts.envelope import Event
from contracts.events.run import EngineeringRequested
from contracts.registry import ENDINGS
from fastapi import Depends, Path, Request
from run_report.account import RunAccount
from run_report.accounts import ACCOUNTED, account_of
from run_report.record import NotReportableError
from run_requests.errors import AmbiguousRunError, UnknownRunError
from run_requests.short_ids import digits_of, find_run
from store.backup_requests import BackupRequests
from store.log import EventLog
from store.questions import QuestionSummaries
from store.runs import RunRecord, RunSummaries, summarize
from store.skills.trials import SkillTrials
from store.skills.versions import Skills

from gateway.database_watch import DatabaseWatch
from gateway.http.access import Caller
from gateway.http.guard import CALLER
from gateway.http.problems import ProblemError, UnknownAddressError
from gateway.http.sign_outs import SignOuts
from gateway.live.streams import LiveStreams
from gateway.media_reader import MediaReader
from gateway.settings import Settings

MOST_ACCOUNTED = 2_000
"""Events that tell what came of a run; the others are its steps."""
RUN_ID = "^[0-9a-fA-F-]{4,36}$"


@dataclass(frozen=True)
class Context:
    """Clients of the servers, and the settings."""

    settings: Settings
    bus: Bus
    artifacts: Artifacts
    log: EventLog
    runs: RunSummaries
    questions: QuestionSummaries
    skills: Skills
    backups: BackupRequests
    trials: SkillTrials
    messages: RunMessages
    streams: LiveStreams
    database: DatabaseWatch
    sign_outs: SignOuts
    media: MediaReader
    health: Callable[[], Awaitable[list[str]]]
    disk: DiskSpace

    def deadline(self) -> AbstractAsyncContextManager[None]:
        """Return a block that reads from Postgres: see `DatabaseWatch.deadline`."""
        return self.database.deadline(self.settings.gateway_request_timeout_s)

    def patience(self) -> asyncio.Timeout:
        """Return a block that does without Postgres; it raises `TimeoutError` when another server takes too long."""
        return asyncio.timeout(self.settings.gateway_request_timeout_s)

    async def run_named(self, text: str) -> UUID:
        """Return the id of a run, of which a unique beginning may be given; raise `ProblemError`."""
        digits = digits_of(text)
        if digits is None:
            raise UnknownAddressError(f"{text!r} is not the id of a run, or 4 of its digits: GET /runs lists all runs")
        try:
            async with self.deadline():
                return await find_run(digits, self.log)
        except UnknownRunError as error:
            raise UnknownAddressError(f"there is no run {text}: GET /runs lists all runs") from error
        except AmbiguousRunError as error:
            raise ProblemError(HTTPStatus.CONFLICT, str(error), "Several runs begin like this") from error

    async def record_of(self, run_id: UUID) -> RunRecord:
        """Return a run as it is recorded, or, a moment after its request, as it is in the stream.

        Raises `UnknownAddressError`.
        """
        record = await self.runs.one(run_id)
        if record is not None:
            return record
        first = await self.messages.after(run_id, 0)
        if first is None or not isinstance(first.event, EngineeringRequested):
            raise UnknownAddressError(f"there is no run {run_id}: GET /runs lists all runs")
        return RunRecord(first.event, None, summarize(first.event, None, events=1))

    async def account_of(self, run_id: UUID) -> RunAccount:
        """Return what came of a run of any kind so far, without what its steps took; raise `UnknownAddressError`."""
        placed = await self.log.page_of(run_id, None, MOST_ACCOUNTED, [each.__name__ for each in ACCOUNTED])
        events = [each.event for each in placed]
        try:
            return account_of(events or [await self.opening_of(run_id)])
        except NotReportableError as error:
            raise UnknownAddressError(f"there is no run {run_id}: GET /runs lists all runs") from error

    async def opening_of(self, run_id: UUID) -> Event:
        """Return the event that opened a run of any kind, from the log or, a moment after it, from the stream.

        Raises `UnknownAddressError`.
        """
        recorded = await self.log.page_of(run_id, None, 1)
        if recorded:
            return recorded[0].event
        first = await self.messages.after(run_id, 0)
        if first is None:
            raise UnknownAddressError(f"there is no run {run_id}: GET /runs lists all runs")
        return first.event

    async def end_of(self, run_id: UUID) -> Event | None:
        """Return the event that ended a run, once it is recorded."""
        ends = await self.log.page_of(run_id, None, 1, [each.__name__ for each in ENDINGS])
        return ends[0].event if ends else None


def _context_of(request: Request) -> Context:
    return cast("Context", request.app.state.context)


def _caller_of(request: Request) -> Caller:
    return cast("Caller", request.scope[CALLER])


Using = Annotated[Context, Depends(_context_of)]
CalledBy = Annotated[Caller, Depends(_caller_of)]


async def _run_id_of(
    context: Using,
    run_id: Annotated[
        str, Path(pattern=RUN_ID, description="Id of a run, or a unique beginning of it with at least 4 digits.")
    ],
) -> UUID:
    return await context.run_named(run_id)


RunId = Annotated[UUID, Depends(_run_id_of)]
