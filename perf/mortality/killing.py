"""One commissioned run: order it, let its fates be met, await its end, and say what is wrong with it."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from uuid import uuid5

from benchmarks.loader import CODE_TYPE, load
from contracts.envelope import Event, outcome_id
from contracts.events.conversation import ModelCalled
from contracts.events.run import CancelRequested, EngineeringRequested, RunSucceeded
from contracts.events.session import CellRequested, SessionOpened

from perf.fakes.openai_server import FakeOpenAI
from perf.mortality.house import House
from perf.mortality.scenarios import SEED, Commission
from perf.mortality.stories import doubled, end_of, story, until_end

RUN_S = 300.0
"""How long a run may take in which nobody dies."""
DEATH_S = 60.0
"""How much longer it may take for each death."""
AFTERWARDS_S = 180.0
"""How long after the end what is still owed may take."""


@dataclass(frozen=True)
class Played:
    """A run that is over, or was given up."""

    commission: Commission
    events: list[Event]
    """As the stream has them."""
    recorded: list[Event]
    """As Postgres has them."""
    calls: int
    """How often the model was asked."""
    kills: list[str]
    left: list[str]
    """Fates that nobody met."""
    seconds: float

    @property
    def story(self) -> list[str]:
        """What happened, in names that do not depend on ids."""
        return story(self.events)


async def play(house: House, model: FakeOpenAI, commission: Commission) -> Played:
    """Order the run, and return when all is over that can be awaited."""
    begun_s = time.monotonic()
    run_id = commission.run_id
    code = commission.scenario.environment_code or load("gravity-chute", SEED).environment_code
    asked = commission.request(await house.artifacts.put(code, CODE_TYPE))
    for fate in commission.fates:
        house.fates.arm(fate, run_id)
    patience_s = RUN_S + DEATH_S * len(commission.fates)
    try:
        async with asyncio.timeout(patience_s):
            await house.say(asked)
            await _meanwhile(house, commission, asked)
            await house.bus.wait_for_end(run_id)
    except TimeoutError:
        pass  # what is wrong is told from the log
    else:
        await _settled(house, commission)
    events = await house.bus.history(run_id)
    recorded = await house.log.events_of(run_id)
    seconds = time.monotonic() - begun_s
    calls = model.calls_of[commission.model.removeprefix("openai:")]
    return Played(commission, events, recorded, calls, house.fates.kills(run_id), house.fates.left(run_id), seconds)


async def _meanwhile(house: House, commission: Commission, asked: EngineeringRequested) -> None:
    """Do what the scenario wants done from outside while the first cell runs."""
    if commission.scenario.meanwhile is None:
        return
    async for event in house.bus.follow(asked.run_id):
        if isinstance(event, CellRequested):
            break
    await asyncio.sleep(1.0)  # the cell is at work, and so is nobody else
    if commission.scenario.meanwhile == "poison":
        await house.poison(asked)
        return
    await house.say(
        CancelRequested(
            id=uuid5(asked.run_id, "cancel"),
            run_id=asked.run_id,
            role="planner",
            causation_id=asked.id,
            producer="cli",
        )
    )


async def _settled(house: House, commission: Commission) -> None:
    """Wait until everything is said that is owed after the end, recorded, and died for."""

    async def is_said() -> bool:
        events = await house.bus.history(commission.run_id)
        owed = {outcome_id(event.id) for event in events if isinstance(event, RunSucceeded)}
        owed |= {uuid5(event.causation_id or event.id, "closed") for event in _first_opened(events)}
        return owed <= {event.id for event in events}

    async def is_recorded() -> bool:
        said = {event.id for event in await house.bus.history(commission.run_id)}
        return said == {event.id for event in await house.log.events_of(commission.run_id)}

    async def is_died_for() -> bool:
        return not house.fates.left(commission.run_id)

    for condition in (is_said, is_died_for, is_recorded):
        await _wait_for(condition)


def _first_opened(events: Sequence[Event]) -> list[SessionOpened]:
    """Return how each role's session was opened; what opens it again is closed with it."""
    opened = [event for event in events if isinstance(event, SessionOpened)]
    return list({event.role: event for event in reversed(opened)}.values())


async def _wait_for(condition: Callable[[], Awaitable[bool]]) -> None:
    end_s = time.monotonic() + AFTERWARDS_S
    while not await condition() and time.monotonic() < end_s:  # noqa: ASYNC110 - others write the log, and folders
        await asyncio.sleep(0.1)


def faults(played: Played, undisturbed: Played | None = None) -> list[str]:
    """Return what is wrong with a run, beside the same run in which nobody died."""
    found = [f"nobody met {each}" for each in played.left]
    found += doubled(played.events) + doubled(played.recorded)
    if [event.id for event in played.events] != [event.id for event in played.recorded]:
        found.append(f"{len(played.events)} events in the stream, {len(played.recorded)} in Postgres, or another order")
    paid = sum(isinstance(event, ModelCalled) for event in played.events)
    if played.calls > paid + len(played.kills):
        found.append(f"{played.calls} model calls for {paid} recorded and {len(played.kills)} kills")
    return found if undisturbed is None else found + _differences(played, undisturbed)


def _differences(played: Played, undisturbed: Played) -> list[str]:
    found: list[str] = []
    mine, theirs = end_of(played.events), end_of(undisturbed.events)
    if mine != theirs:
        found.append(f"it ended with {mine}, undisturbed with {theirs}")
        return found
    told, model = played.story, undisturbed.story
    if until_end(told) != until_end(model):
        place = next(
            (n for n, (a, b) in enumerate(zip(told, model, strict=False)) if a != b), min(len(told), len(model))
        )
        found.append(f"event {place} is {told[place : place + 3]}, undisturbed {model[place : place + 3]}")
    if set(told) != set(model):
        found.append(f"too much {sorted(set(told) - set(model))}, missing {sorted(set(model) - set(told))}")
    return found
