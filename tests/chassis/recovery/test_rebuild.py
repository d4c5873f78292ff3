"""A rebuilt stream has its messages in order and new sequences, and is closed to services until it is complete."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest
from chassis.administration.provisioning import ensure_stream
from chassis.administration.rebuild import StoredMessage, StreamInUseError, extent, rebuild
from chassis.errors import BusUnavailableError
from chassis.stream.reads import has_stream
from chassis.subjects import STREAM
from contracts.envelope import Event
from contracts.events.simulation import SimulationFailed, SimulationRequested
from nats.js import JetStreamContext

from tests.chassis.fixture_types import MakeApp, MakeEnd, MakeRequest
from tests.chassis.outcomes import outcome_of

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def ignore(_: int) -> None:
    """Ignore the progress."""


async def stored(events: Sequence[Event]) -> AsyncIterator[StoredMessage]:
    for event in events:
        yield StoredMessage(event.full_subject, event.model_dump_json().encode(), TRACE)


async def test_rebuilt_stream_continues_with_unanswered_requests(
    make_app: MakeApp, make_request: MakeRequest, js: JetStreamContext
) -> None:
    answered: list[int] = []
    was_in_use: list[bool] = []

    async def simulate(request: SimulationRequested) -> SimulationFailed:
        answered.append(request.seed)
        return outcome_of(request)

    worker, asker = make_app("sim-worker"), make_app("engineer")
    worker.answers(SimulationRequested, simulate)
    await worker.start()
    await asker.start()
    await js.delete_stream(STREAM)
    old, new = [make_request(seed) for seed in range(3)], make_request(3)
    recorded = [*old, *map(outcome_of, old), new]
    asking = asyncio.create_task(asker.bus.ask(make_request(4)))

    async def slowly() -> AsyncIterator[StoredMessage]:
        async for message in stored(recorded):
            was_in_use.append(await has_stream(js))
            await asyncio.sleep(0.2)  # the reconciliation checks meanwhile
            yield message

    assert await rebuild(js, 1001, slowly(), ignore) == len(recorded)
    assert isinstance(await asyncio.wait_for(asking, 20), SimulationFailed)
    assert isinstance(await asker.bus.ask(new), SimulationFailed)
    assert not any(was_in_use)
    assert sorted(answered) == [3, 4]
    first = await js.get_msg(STREAM, seq=1001)
    assert (first.subject, (first.headers or {})["traceparent"]) == (old[0].full_subject, TRACE)
    history = await asker.bus.history(new.run_id)
    assert history[: len(recorded)] == recorded
    assert len(history) == len(recorded) + 3


async def test_stream_with_messages_is_not_rebuilt(make_app: MakeApp, make_end: MakeEnd, js: JetStreamContext) -> None:
    app = make_app("planner")
    await app.start()
    event = make_end()
    await app.bus.publish(event)
    with pytest.raises(StreamInUseError, match="holds 1 messages"):
        await rebuild(js, 1001, stored([]), ignore)
    assert await app.bus.history(event.run_id) == [event]


async def test_interrupted_rebuild_is_started_again(make_app: MakeApp, make_end: MakeEnd, js: JetStreamContext) -> None:
    await ensure_stream(js)
    event = make_end()

    async def interrupted() -> AsyncIterator[StoredMessage]:
        async for message in stored([event]):
            yield message
        raise ConnectionError("no database")

    with pytest.raises(ConnectionError):
        await rebuild(js, 1001, interrupted(), ignore)
    assert (await extent(js)).half_rebuilt
    with pytest.raises(BusUnavailableError, match="is being rebuilt"):
        await ensure_stream(js)
    assert await rebuild(js, 1001, stored([event]), ignore) == 1
    found = await extent(js)
    assert (found.messages, found.last_sequence, found.half_rebuilt) == (1, 1001, False)
    assert await ensure_stream(js) == []
    app = make_app("planner")
    await app.start()
    assert await app.bus.history(event.run_id) == [event]
