"""Hearing a run to its end, and what was learned of it."""

from collections.abc import Callable
from uuid import UUID

from chassis.bus import Bus
from contracts.envelope import Event
from contracts.events.run import RunFailed
from contracts.events.skill import SkillLearned, SkillRejected

from cli.runs.progress import closing

LEARNING_S = 20.0
"""How long the skill-learner may take after the verdict."""

_LAST = (RunFailed, SkillLearned, SkillRejected)


async def listen(
    bus: Bus,
    run_id: UUID,
    show: Callable[[Event], None],
    is_something_away: Callable[[], bool],
    learning_s: float = LEARNING_S,
) -> dict[UUID, Event]:
    """Show each event of a run once and return all, up to the last word or until `learning_s` after the end.

    While something is away, the skill-learner may only be waiting for it, and is waited for in turn.
    """
    heard: dict[UUID, Event] = {}
    is_excused = True
    while is_excused and not any(isinstance(event, _LAST) for event in heard.values()):
        is_excused = is_something_away()
        async with closing(bus.follow(run_id, linger_s=learning_s)) as events:
            async for event in events:
                if event.id not in heard:
                    heard[event.id] = event
                    show(event)
                if isinstance(event, _LAST):
                    break
        is_excused = is_excused or is_something_away()
    return heard
