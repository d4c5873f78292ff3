"""The queue of runs as the stream has it: which runs wait for a slot, and which hold one.

Nothing else stores it, so that it survives every service, and any replica of the planner reads the same.
"""

from collections.abc import Iterable, Mapping
from uuid import UUID

from contracts.events.run import EngineeringRequested, EngineeringStarted
from nats.aio.client import Client

from chassis.bus import RunQueue
from chassis.stream.reads import last_message
from chassis.stream.subject_list import list_subjects
from chassis.subjects import Address

EVERY_START = f"{EngineeringStarted.subject}.>"
RUNS = "mw.engineering.*.>"
ENDS = "mw.run.*.>"


def start_headers(queue: RunQueue) -> Mapping[str, str]:
    """Return the headers by which the server refuses a start if another one was stored since the queue was read."""
    return {
        "Nats-Expected-Last-Subject-Sequence": str(queue.last_start),
        "Nats-Expected-Last-Subject-Sequence-Subject": EVERY_START,
    }


class RunQueueReader:
    """Reads the queue; remembers the place of each waiting request in the stream, which never changes."""

    def __init__(self) -> None:
        self._sequences: dict[UUID, int] = {}

    async def read(self, client: Client) -> RunQueue:
        """Return the queue. The newest start is read first: a start that is stored meanwhile makes ours fail."""
        last = await last_message(client, EVERY_START)
        runs, ends = await list_subjects(client, RUNS), await list_subjects(client, ENDS)
        started = _runs_at(runs, f"{EngineeringStarted.subject}.")
        ended = _runs_at(ends, ENDS.partition("*")[0])
        waiting = _runs_at(runs, f"{EngineeringRequested.subject}.") - started - ended
        await self._locate(client, waiting)
        ordered = sorted(self._sequences, key=lambda run_id: self._sequences[run_id])
        return RunQueue(tuple(ordered), started - ended, 0 if last is None else last.seq or 0)

    async def _locate(self, client: Client, waiting: frozenset[UUID]) -> None:
        located: dict[UUID, int] = {}
        for run_id in waiting:
            sequence = self._sequences.get(run_id) or await _sequence_of(client, run_id)
            if sequence:  # else the run has ended meanwhile and was purged
                located[run_id] = sequence
        self._sequences = located


async def _sequence_of(client: Client, run_id: UUID) -> int:
    message = await last_message(client, f"{EngineeringRequested.subject}.{run_id}.>")
    return 0 if message is None else message.seq or 0


def _runs_at(subjects: Iterable[str], prefix: str) -> frozenset[UUID]:
    """Return the runs of the subjects that begin with `prefix`; a subject of another form belongs to no run."""
    found = set[UUID]()
    for subject in subjects:
        if subject.startswith(prefix):
            try:
                found.add(Address.of(subject).run_id)
            except ValueError:
                continue
    return frozenset(found)
