"""Plain FastStream, as its documentation shows it: pull subscribers on JetStream, publishers, typed handlers."""

import asyncio
from uuid import uuid4

from chassis.settings import BusSettings
from contracts.envelope import outcome_id
from contracts.events.conversation import JournalEntryAdded
from contracts.events.session import CellCompleted, CellRequested
from faststream.nats import JStream, NatsBroker, PullSub

from perf.messaging.contender import Awaited, Rival
from perf.messaging.sample import completed, noted, requested

STREAM = JStream("FAST", subjects=["FAST.>"])


class FastStreamAsker:
    """Publishes, and subscribes to what comes back."""

    def __init__(self, settings: BusSettings) -> None:
        self._broker = NatsBroker(settings.nats_url, logger=None)
        self._awaited = Awaited()
        self._run_id = uuid4()

        @self._broker.subscriber("FAST.asker", stream=STREAM, durable="asker", pull_sub=PullSub())
        async def hear(entry: JournalEntryAdded) -> None:
            self._awaited.come(entry.causation_id)

    async def start(self) -> None:
        """Connect, and listen."""
        await self._broker.start()

    async def ask(self, step: int) -> None:
        """Publish a request and wait until the second service's word about it has been heard."""
        request = requested(self._run_id, step)
        heard = self._awaited.expect(outcome_id(request.id))
        await self._broker.publish(request, "FAST.first", stream=STREAM.name)
        await heard

    async def stop(self) -> None:
        """Close."""
        await self._broker.stop()


def _first(broker: NatsBroker) -> None:
    @broker.subscriber("FAST.first", stream=STREAM, durable="first", pull_sub=PullSub())
    @broker.publisher("FAST.second", stream=STREAM)
    async def answer(request: CellRequested) -> CellCompleted:
        return completed(request)


def _second(broker: NatsBroker) -> None:
    @broker.subscriber("FAST.second", stream=STREAM, durable="second", pull_sub=PullSub())
    @broker.publisher("FAST.asker", stream=STREAM)
    async def note(answer: CellCompleted) -> JournalEntryAdded:
        return noted(answer)


async def serve(place: str, settings: BusSettings) -> None:
    """Be one of the two services until cancelled."""
    broker = NatsBroker(settings.nats_url, logger=None)
    (_first if place == "first" else _second)(broker)
    await broker.start()
    print("ready", flush=True)
    try:
        await asyncio.Event().wait()
    finally:
        await broker.stop()


FASTSTREAM = Rival(
    "plain FastStream",
    "validated; at least once, nothing recognised as a repetition",
    FastStreamAsker,
    serve,
)
