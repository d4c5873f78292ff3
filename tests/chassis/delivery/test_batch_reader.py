"""Reading a whole stream in batches."""

import asyncio
from typing import Any
from uuid import uuid4

import pytest
from chassis.delivery.batch_reader import RawMessage
from contracts.events.run import RunFailed
from nats.aio.msg import Msg
from nats.js import JetStreamContext

from tests.chassis.fixture_types import Eventually, MakeApp, MakeEnd


async def test_every_message_is_read_although_batches_fail(
    make_app: MakeApp, make_end: MakeEnd, js: JetStreamContext, eventually: Eventually
) -> None:
    rows: dict[int, RawMessage] = {}
    batches: list[int] = []

    async def record(batch: list[RawMessage]) -> None:
        batches.append(len(batch))
        if len(batches) <= 5:
            raise ConnectionError("no database")
        rows.update({each.sequence: each for each in batch})

    app = make_app("recorder")
    app.records(record, batch_size=10)
    await app.start()
    published = [make_end() for _ in range(25)]
    for event in published:
        await app.bus.publish(event)
    await js.publish(f"mw.not.ours.{uuid4()}", b"{broken")

    async def all_are_recorded() -> bool:
        return len(rows) == 26

    await eventually(all_are_recorded)
    in_order = [rows[sequence] for sequence in sorted(rows)]
    assert [RunFailed.model_validate_json(each.data) for each in in_order[:25]] == published
    assert in_order[0].headers["Nats-Msg-Id"] == str(published[0].id)
    assert "traceparent" in in_order[0].headers
    assert in_order[0].subject == published[0].full_subject
    assert in_order[0].time.utcoffset() is not None
    assert max(batches) <= 10


async def test_reader_goes_on_after_an_error_that_is_none_of_the_server(
    make_app: MakeApp, make_end: MakeEnd, eventually: Eventually, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of a future version of the client: here the first fetch raises it."""
    recorded: list[RawMessage] = []
    fetch = JetStreamContext.PullSubscription.fetch
    is_first = True

    async def surprise(*arguments: Any, **options: Any) -> list[Msg]:
        nonlocal is_first
        if is_first:
            is_first = False
            raise KeyError("nothing that anyone expected")
        return await fetch(*arguments, **options)

    async def record(batch: list[RawMessage]) -> None:
        recorded.extend(batch)

    app = make_app("recorder")
    app.records(record, batch_size=5)
    monkeypatch.setattr(JetStreamContext.PullSubscription, "fetch", surprise)
    await app.start()
    await app.bus.publish(make_end())

    async def is_recorded() -> bool:
        return len(recorded) == 1

    async with asyncio.timeout(120):
        await eventually(is_recorded)
    (problem,) = await app.health()
    assert problem.startswith("background task 'recorder-records reads' failed and was begun again: KeyError")
