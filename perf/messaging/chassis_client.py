"""Millwright's chassis, as every service of the platform uses it."""

import asyncio
from collections.abc import Sequence
from uuid import uuid4

from chassis.app import App
from chassis.settings import BusSettings
from contracts.envelope import Event, outcome_id
from contracts.events.conversation import JournalEntryAdded
from contracts.events.session import CellCompleted, CellRequested

from perf.messaging.contender import Awaited, Rival
from perf.messaging.sample import ASKER, FIRST, SECOND, completed, noted, requested


class ChassisAsker:
    """A role that asks and hears."""

    def __init__(self, settings: BusSettings) -> None:
        self._app = App(ASKER, settings)
        self._app.subscribes(JournalEntryAdded, self._hear)
        self._awaited = Awaited()
        self._run_id = uuid4()

    async def start(self) -> None:
        """Connect, and listen."""
        await self._app.start()

    async def ask(self, step: int) -> None:
        """Publish a request and wait until the second service's word about it has been heard."""
        request = requested(self._run_id, step)
        heard = self._awaited.expect(outcome_id(request.id))
        await self._app.bus.publish(request)
        await heard

    async def stop(self) -> None:
        """Drain and close."""
        await self._app.stop()

    async def _hear(self, entry: JournalEntryAdded) -> Sequence[Event]:
        self._awaited.come(entry.causation_id)
        return ()


async def _answer(request: CellRequested) -> CellCompleted:
    return completed(request)


async def _note(answer: CellCompleted) -> Sequence[Event]:
    return (noted(answer),)


async def serve(place: str, settings: BusSettings) -> None:
    """Be one of the two services until cancelled."""
    app = App(FIRST if place == "first" else SECOND, settings)
    if place == "first":
        app.answers(CellRequested, _answer)
    else:
        app.subscribes(CellCompleted, _note)
    await app.start()
    print("ready", flush=True)
    try:
        await asyncio.Event().wait()
    finally:
        await app.stop()


CHASSIS = Rival(
    "Millwright's chassis",
    "validated, first stored wins, looked up before working, ended runs skipped, heartbeats, traces, dead letters",
    ChassisAsker,
    serve,
)
