"""Plain FastStream as a contender, used as documented: pull subscribers on JetStream, publishers, typed handlers."""

import asyncio
from uuid import uuid4

from chassis.settings import BusSettings
from contracts.envelope import outcome_id
from contracts.events.conversation import JournalEntryAdded
from contracts.events.session import CellCompleted, CellRequested
from faststream.nats import JStream, NatsBroker, PullSub

from perf.messaging.contender import Contender, PendingReplies
from perf.messaging.sample import completed, noted, requested

STREAM = JStream("FAST", subjects=["FAST.>"])


class FastStreamRequester:
    """Publishes requests and subscribes to journal entries."""

    def __init__(self, settings: BusSettings) -> None:
        self._broker = NatsBroker(settings.nats_url, logger=None)
        self._pending = PendingReplies()
        self._run_id = uuid4()

        @self._broker.subscriber("FAST.requester", stream=STREAM, durable="requester", pull_sub=PullSub())
        async def receive(entry: JournalEntryAdded) -> None:
            self._pending.resolve(entry.causation_id)

    async def start(self) -> None:
        """Connect and subscribe."""
        await self._broker.start()

    async def request(self, step: int) -> None:
        """Publish a request and wait until the event of the second service arrives."""
        message = requested(self._run_id, step)
        reply = self._pending.expect(outcome_id(message.id))
        await self._broker.publish(message, "FAST.first", stream=STREAM.name)
        await reply

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
    @broker.publisher("FAST.requester", stream=STREAM)
    async def note(answer: CellCompleted) -> JournalEntryAdded:
        return noted(answer)


async def serve(position: str, settings: BusSettings) -> None:
    """Run one of the two services until cancelled."""
    broker = NatsBroker(settings.nats_url, logger=None)
    (_first if position == "first" else _second)(broker)
    await broker.start()
    print("ready", flush=True)
    try:
        await asyncio.Event().wait()
    finally:
        await broker.stop()


FASTSTREAM = Contender(
    "plain FastStream",
    "validated; at least once, no deduplication",
    FastStreamRequester,
    serve,
)
