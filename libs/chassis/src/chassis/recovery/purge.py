"""Purging the stream of runs that are recorded and have ended. The end of a run stays, and so does its outcome."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

from collections.abc import Callable
from uuid import UUID

from contracts.envelope import outcome_id
from contracts.registry import ENDINGS, OPENINGS
from nats.aio.client import Client
from nats.js import JetStreamContext
from nats.js.api import RawStreamMsg
from nats.js.errors import NotFoundError

from chassis.stream.lag import consumer_lag
from chassis.stream.reads import jetstream_of
from chassis.stream.subject_list import list_subjects
from chassis.subjects import STREAM, Address, run_filter


class StreamPurge:
    """Finds runs in the stream and purges them. Raw nats-py: FastStream offers none of this."""

    def __init__(self, client: Callable[[], Client], recorder: str) -> None:
        """`recorder` is the durable name of the consumer that records the stream."""
        self._client = client
        self._recorder = recorder

    async def whole_runs(self) -> set[UUID]:
        """Return the runs whose opening request is in the stream."""
        opened = [await self._runs_at(f"{opening.subject}.>") for opening in OPENINGS]
        return set[UUID]().union(*opened)

    async def ended_runs(self) -> set[UUID]:
        """Return the runs whose end is in the stream."""
        ended = [await self._runs_at(f"{ending.subject}.>") for ending in ENDINGS]
        return set[UUID]().union(*ended)

    async def recorded_up_to(self) -> int:
        """Return the sequence up to which everything is recorded; 0 without a recorder.

        Other consumers are not waited for: one of them that is stuck would hold up every run. They still receive the
        ends, which stay for much longer.
        """
        return (await consumer_lag(self._jetstream(), self._recorder)).recorded_up_to

    async def purge(self, run_id: UUID, up_to: int) -> bool:
        """Purge a run, except its end and the outcome of the end, if all of it is at most at a sequence.

        Returns whether it has ended and was purged. The opening request goes last: until then the run is found again by
        `whole_runs`, and afterwards it never is, so that a later message would stay.
        """
        end = await self._end_of(run_id)
        if end is None or await self._last_sequence(run_id) > up_to:
            return False
        end_id = Address.of(end.subject or "").id
        retained = {end_id, outcome_id(end_id)}
        for subject in await list_subjects(self._client(), run_filter(run_id)):
            if _id_of(subject) not in retained and not _is_opening(subject):
                await self._purge(subject, up_to)
        for opening in OPENINGS:
            await self._purge(f"{opening.subject}.{run_id}.>", up_to)
        return True

    async def forget(self, run_id: UUID, up_to: int) -> None:
        """Purge what is left of a run, its end included."""
        await self._purge(run_filter(run_id), up_to)

    async def _purge(self, subject: str, up_to: int) -> None:
        await self._jetstream().purge_stream(STREAM, seq=up_to + 1, subject=subject)

    async def _last_sequence(self, run_id: UUID) -> int:
        last = await self._jetstream().get_last_msg(STREAM, run_filter(run_id))
        return last.seq or 0

    async def _end_of(self, run_id: UUID) -> RawStreamMsg | None:
        for ending in ENDINGS:
            try:
                return await self._jetstream().get_last_msg(STREAM, f"{ending.subject}.{run_id}.>")
            except NotFoundError:
                continue
        return None

    async def _runs_at(self, subject: str) -> set[UUID]:
        return {
            address.run_id
            for each in await list_subjects(self._client(), subject)
            if (address := _address(each)) is not None
        }

    def _jetstream(self) -> JetStreamContext:
        return jetstream_of(self._client())


def _address(subject: str) -> Address | None:
    """Return the address in a subject; None for a subject that is not an event's."""
    try:
        return Address.of(subject)
    except ValueError:
        return None


def _id_of(subject: str) -> UUID | None:
    address = _address(subject)
    return None if address is None else address.id


def _is_opening(subject: str) -> bool:
    return subject.startswith(tuple(f"{opening.subject}." for opening in OPENINGS))
