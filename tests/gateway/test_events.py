"""Events in the API: pages, and live streams that a client may resume."""

import asyncio
from collections.abc import Callable
from uuid import UUID, uuid4

import httpx
import pytest
from chassis.app import App
from contracts.envelope import Event
from gateway.settings import Settings
from store.log import EventLog

from tests.gateway.gateway_client import RunningGateway, ServerSentEvent, problem_of, running, server_sent
from tests.store.example_runs import log_entries, new_request, run_failure, session_events

Reserve = Callable[[int], int]


async def pages(gateway: RunningGateway, run_id: UUID, limit: int, **query: str) -> list[str]:
    """Return the ids of the events of all pages."""
    found: list[str] = []
    after: str | None = None
    while True:
        parameters = {**query, "limit": str(limit), **({} if after is None else {"after": after})}
        page = (await gateway.client.get(f"/runs/{run_id}/events", params=parameters)).raise_for_status().json()
        found += [each["event"]["id"] for each in page["events"]]
        after = page["next"]
        if after is None:
            return found


async def followed(gateway: RunningGateway, run_id: UUID, last: str | None = None) -> list[ServerSentEvent]:
    """Return all events of a live stream, until it ends."""
    headers = {} if last is None else {"Last-Event-ID": last}
    async with gateway.client.stream("GET", f"/runs/{run_id}/events/live", headers=headers) as response:
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")
        return [event async for event in server_sent(response)]


def ids(events: list[ServerSentEvent]) -> list[str]:
    """Return the ids of the events, without the last frame."""
    assert events[-1].name == "end"
    return [httpx.Response(200, text=event.data).json()["id"] for event in events[:-1]]


def ids_of(events: list[Event]) -> list[str]:
    return [str(event.id) for event in events]


async def test_pages_hold_each_event_once_in_order(
    gateway: RunningGateway, log: EventLog, next_sequence: Reserve
) -> None:
    request = new_request()
    events = [request, *session_events(request, 8)]
    first = next_sequence(9)
    entries = log_entries(*events[:5], first_sequence=first)
    entries += [each for event in events[5:] for each in log_entries(event, first_sequence=first + 6)]  # one sequence
    await log.append(entries)
    expected = ids_of(events[:5]) + sorted(ids_of(events[5:]))
    for limit in (1, 2, 4, 9, 200):
        assert await pages(gateway, request.run_id, limit) == expected
    assert await pages(gateway, request.run_id, 2, type="EngineeringRequested") == [str(request.id)]


async def test_unknown_class_of_event_is_refused(gateway: RunningGateway) -> None:
    response = await gateway.client.get(f"/runs/{uuid4()}/events", params={"type": "NothingHappened"})
    assert "docs/events.md" in problem_of(response, 422)


async def test_stream_of_an_open_run_sends_what_comes_until_its_end(gateway: RunningGateway, publisher: App) -> None:
    request = new_request()
    events: list[Event] = [request, *session_events(request, 5), run_failure(request)]
    await publisher.bus.publish(events[0])
    following = asyncio.create_task(followed(gateway, request.run_id))
    for event in events[1:]:
        await asyncio.sleep(0.01)
        await publisher.bus.publish(event)
    received = await following
    assert ids(received) == ids_of(events)
    assert [event.name for event in received] == [*(event.type for event in events), "end"]


async def test_resumed_stream_sends_exactly_what_follows(gateway: RunningGateway, publisher: App) -> None:
    request = new_request()
    events: list[Event] = [request, *session_events(request, 5), run_failure(request)]
    for event in events:
        await publisher.bus.publish(event)
    received = await followed(gateway, request.run_id)
    for index, event in enumerate(received[:-1]):
        resumed = await followed(gateway, request.run_id, event.id)
        assert ids(resumed) == ids_of(events[index + 1 :])


async def test_stream_of_a_recorded_run_ends_and_is_not_opened_again(
    gateway: RunningGateway, log: EventLog, next_sequence: Reserve
) -> None:
    request = new_request()
    events: list[Event] = [request, *session_events(request, 250), run_failure(request)]
    await log.append(log_entries(*events, first_sequence=next_sequence(252)))
    received = await followed(gateway, request.run_id)
    assert ids(received) == ids_of(events)
    headers = {"Last-Event-ID": received[-2].id}
    again = await gateway.client.get(f"/runs/{request.run_id}/events/live", headers=headers)
    assert (again.status_code, again.content) == (204, b"")


async def test_silent_stream_sends_heartbeats(settings: Settings, publisher: App) -> None:
    request = new_request()
    await publisher.bus.publish(request)
    async with (
        running(settings.model_copy(update={"gateway_heartbeat_s": 0.05})) as gateway,
        gateway.client.stream("GET", f"/runs/{request.run_id}/events/live") as response,
    ):
        lines = response.aiter_lines()
        beats = 0
        while beats < 5:
            beats += await anext(lines) == ": heartbeat"


async def test_more_streams_than_admitted_are_refused_until_one_ends(settings: Settings, publisher: App) -> None:
    request = new_request()
    await publisher.bus.publish(request)
    path = f"/runs/{request.run_id}/events/live"
    async with running(settings.model_copy(update={"gateway_open_streams": 1})) as gateway:
        async with gateway.client.stream("GET", path) as response:
            assert response.status_code == 200
            refused = await gateway.client.get(path)
            assert "GATEWAY_OPEN_STREAMS" in problem_of(refused, 503)
            assert refused.headers["retry-after"]
        while True:
            async with gateway.client.stream("GET", path) as response:
                if response.status_code == 200:
                    break
            await asyncio.sleep(0.02)


async def test_slow_follower_receives_what_the_tail_no_longer_holds(
    gateway: RunningGateway, publisher: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gateway.live.tail.MAX_FRAMES", 3)
    request = new_request()
    events: list[Event] = [request, *session_events(request, 30), run_failure(request)]
    await publisher.bus.publish(request)
    async with gateway.client.stream("GET", f"/runs/{request.run_id}/events/live") as response:
        for event in events[1:]:
            await publisher.bus.publish(event)
        received = [event async for event in server_sent(response)]
    assert ids(received) == ids_of(events)


async def test_open_streams_end_when_the_gateway_stops(settings: Settings, publisher: App) -> None:
    request = new_request()
    await publisher.bus.publish(request)
    async with running(settings) as gateway:
        path = f"/runs/{request.run_id}/events/live"
        async with gateway.client.stream("GET", path) as response:
            received = response.aiter_lines()
            await anext(received)
            await gateway.app.stop()
            async with asyncio.timeout(120):
                assert [line async for line in received if line.startswith("event: end")] == []
