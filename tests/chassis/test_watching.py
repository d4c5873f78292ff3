"""What is looked at again and again."""

import asyncio
from collections.abc import Awaitable, Callable

from chassis.app import App
from contracts.events.run import RunFailed
from contracts.events.simulation import SimulationRequested

MakeApp = Callable[..., App]
Ask = Callable[..., SimulationRequested]
Eventually = Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]


async def test_a_watch_goes_on_in_the_next_process_and_ends_with_the_run(
    make_app: MakeApp, ask_for: Ask, end: Callable[[], RunFailed], eventually: Eventually
) -> None:
    seen: list[str] = []

    def looking(place: str) -> App:
        async def look(_: SimulationRequested) -> None:
            seen.append(place)

        app = make_app("cad-worker")
        app.repeats(SimulationRequested, 0.1, look)
        return app

    async def has_seen(place: str) -> bool:
        return seen.count(place) >= 5  # more often than a message is tried before it is abandoned

    first, second = looking("first"), looking("second")
    await first.start()
    await first.bus.publish(ask_for())
    await eventually(lambda: has_seen("first"))
    await first.stop()
    await second.start()
    await eventually(lambda: has_seen("second"))
    await second.bus.publish(end())
    await asyncio.sleep(0.5)
    count = len(seen)
    await asyncio.sleep(0.5)
    assert len(seen) == count
