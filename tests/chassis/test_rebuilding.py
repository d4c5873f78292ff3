"""A stream made anew: in order, above what was there, and closed to everybody until it is whole."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence

import pytest
from chassis.app import App
from chassis.errors import BusUnavailableError
from chassis.recovery.rebuild import StoredMessage, StreamInUseError, extent, rebuild
from chassis.stream.provisioning import ensure_stream
from chassis.stream.subjects import STREAM, has_stream
from contracts.envelope import Event
from contracts.events.run import RunFailed
from contracts.events.simulation import SimulationFailed, SimulationRequested
from nats.js import JetStreamContext

MakeApp = Callable[..., App]
Ask = Callable[..., SimulationRequested]
Refuse = Callable[..., SimulationFailed]
End = Callable[[], RunFailed]

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def untold(_: int) -> None:
    """Tell nobody."""


async def stored(events: Sequence[Event]) -> AsyncIterator[StoredMessage]:
    for event in events:
        yield StoredMessage(event.full_subject, event.model_dump_json().encode(), TRACE)


async def test_what_was_answered_is_not_answered_again_and_what_was_not_is(
    make_app: MakeApp, ask_for: Ask, refuse: Refuse, raw: JetStreamContext
) -> None:
    answered: list[int] = []
    seen: list[bool] = []

    async def simulate(request: SimulationRequested) -> SimulationFailed:
        answered.append(request.seed)
        return refuse(request)

    worker, asker = make_app("sim-worker"), make_app("engineer")
    worker.answers(SimulationRequested, simulate)
    await worker.start()
    await asker.start()
    await raw.delete_stream(STREAM)
    old, new = [ask_for(seed) for seed in range(3)], ask_for(3)
    recorded = [*old, *map(refuse, old), new]
    asking = asyncio.create_task(asker.bus.ask(ask_for(4)))

    async def slowly() -> AsyncIterator[StoredMessage]:
        async for message in stored(recorded):
            seen.append(await has_stream(raw))
            await asyncio.sleep(0.2)  # the watch looks in between
            yield message

    assert await rebuild(raw, 1001, slowly(), untold) == len(recorded)
    assert isinstance(await asyncio.wait_for(asking, 20), SimulationFailed)
    assert isinstance(await asker.bus.ask(new), SimulationFailed)
    assert not any(seen)
    assert sorted(answered) == [3, 4]
    first = await raw.get_msg(STREAM, seq=1001)
    assert (first.subject, (first.headers or {})["traceparent"]) == (old[0].full_subject, TRACE)
    history = await asker.bus.history(new.run_id)
    assert history[: len(recorded)] == recorded
    assert len(history) == len(recorded) + 3


async def test_a_stream_that_holds_something_is_left_alone(make_app: MakeApp, end: End, raw: JetStreamContext) -> None:
    app = make_app("planner")
    await app.start()
    event = end()
    await app.bus.publish(event)
    with pytest.raises(StreamInUseError, match="holds 1 messages"):
        await rebuild(raw, 1001, stored([]), untold)
    assert await app.bus.history(event.run_id) == [event]


async def test_an_empty_stream_is_replaced_and_a_broken_off_rebuilding_begun_again(
    make_app: MakeApp, end: End, raw: JetStreamContext
) -> None:
    await ensure_stream(raw)
    event = end()

    async def broken_off() -> AsyncIterator[StoredMessage]:
        async for message in stored([event]):
            yield message
        raise ConnectionError("no database")

    with pytest.raises(ConnectionError):
        await rebuild(raw, 1001, broken_off(), untold)
    assert (await extent(raw)).half_rebuilt
    with pytest.raises(BusUnavailableError, match="is being rebuilt"):
        await ensure_stream(raw)
    assert await rebuild(raw, 1001, stored([event]), untold) == 1
    found = await extent(raw)
    assert (found.messages, found.last_sequence, found.half_rebuilt) == (1, 1001, False)
    assert await ensure_stream(raw) == []
    app = make_app("planner")
    await app.start()
    assert await app.bus.history(event.run_id) == [event]
