"""The chassis as a contender, used like in every service of the platform."""

import asyncio
from collections.abc import Sequence
from uuid import uuid4

from chassis.app import App
from chassis.settings import BusSettings
from contracts.envelope import Event, outcome_id
from contracts.events.conversation import JournalEntryAdded
from contracts.events.session import CellCompleted, CellRequested

from perf.messaging.contender import Contender, PendingReplies
from perf.messaging.sample import FIRST, REQUESTER, SECOND, completed, noted, requested


class ChassisRequester:
    """A role that publishes requests and receives journal entries."""

    def __init__(self, settings: BusSettings) -> None:
        self._app = App(REQUESTER, settings)
        self._app.subscribes(JournalEntryAdded, self._receive)
        self._pending = PendingReplies()
        self._run_id = uuid4()

    async def start(self) -> None:
        """Connect and subscribe."""
        await self._app.start()

    async def request(self, step: int) -> None:
        """Publish a request and wait until the event of the second service arrives."""
        message = requested(self._run_id, step)
        reply = self._pending.expect(outcome_id(message.id))
        await self._app.bus.publish(message)
        await reply

    async def stop(self) -> None:
        """Drain and close."""
        await self._app.stop()

    async def _receive(self, entry: JournalEntryAdded) -> Sequence[Event]:
        self._pending.resolve(entry.causation_id)
        return ()


async def _answer(request: CellRequested) -> CellCompleted:
    return completed(request)


async def _note(answer: CellCompleted) -> Sequence[Event]:
    return (noted(answer),)


async def serve(position: str, settings: BusSettings) -> None:
    """Run one of the two services until cancelled."""
    app = App(FIRST if position == "first" else SECOND, settings)
    if position == "first":
        app.answers(CellRequested, _answer)
    else:
        app.subscribes(CellCompleted, _note)
    await app.start()
    print("ready", flush=True)
    try:
        await asyncio.Event().wait()
    finally:
        await app.stop()


CHASSIS = Contender(
    "Millwright's chassis",
    "validated, first stored wins, looked up before work, ended runs skipped, heartbeats, traces, dead letters",
    ChassisRequester,
    serve,
)
