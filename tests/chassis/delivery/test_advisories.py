"""Deliveries that the server or an operator ended become dead letters."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
from dataclasses import replace

from chassis.app import App
from chassis.delivery.advisories import ADVISORY_STREAM, ADVISORY_SUBJECTS
from chassis.delivery.dead_letter import OPERATIONS_RUN
from chassis.subjects import STREAM
from contracts.envelope import outcome_id
from contracts.events.dead_letters import MessageAbandoned
from contracts.events.simulation import SimulationFailed, SimulationRequested
from nats.js import JetStreamContext

from tests.chassis.fixture_types import MakeApp, MakeRequest
from tests.chassis.outcomes import simulate

DURABLE = "sim-worker-simulation-requested"


async def _declare(make_app: MakeApp) -> None:
    """Declare the consumer of a worker that has stopped."""
    app = make_app("sim-worker")
    app.answers(SimulationRequested, simulate)
    await app.start()
    await app.stop()


async def _start_recorder(make_app: MakeApp) -> App:
    app = make_app("recorder")
    app.records_advisories()
    await app.start()
    return app


async def test_lowered_max_deliver_is_answered_by_a_dead_letter(
    make_app: MakeApp, make_request: MakeRequest, js: JetStreamContext
) -> None:
    """The recorder starts afterwards."""
    await _declare(make_app)
    config = (await js.consumer_info(STREAM, DURABLE)).config
    await js.add_consumer(STREAM, replace(config, max_deliver=2, ack_wait=0.2))
    request = make_request()
    stored = await js.publish(request.full_subject, request.model_dump_json().encode())
    silent = await js.pull_subscribe_bind(DURABLE, STREAM)
    for _ in range(2):
        await silent.fetch(1, timeout=5)
    further = asyncio.ensure_future(silent.fetch(1, timeout=5))
    recorder = await _start_recorder(make_app)
    letter = await recorder.bus.ask(request)
    further.cancel()
    assert isinstance(letter, MessageAbandoned)
    assert (letter.reason, letter.consumer, letter.producer) == ("exhausted", DURABLE, "sim-worker")
    assert (letter.id, letter.stream_sequence) == (outcome_id(request.id), stored.seq)
    assert letter.detail.endswith("after 2 deliveries")


async def test_delivery_ended_by_hand_is_answered_by_a_dead_letter(
    make_app: MakeApp, make_request: MakeRequest, js: JetStreamContext
) -> None:
    await _declare(make_app)
    request = make_request()
    await js.publish(request.full_subject, request.model_dump_json().encode())
    operator = await js.pull_subscribe_bind(DURABLE, STREAM)
    for message in await operator.fetch(1, timeout=5):
        await message.term()
    recorder = await _start_recorder(make_app)
    letter = await recorder.bus.ask(request)
    assert isinstance(letter, MessageAbandoned)
    assert (letter.reason, letter.consumer) == ("terminated", DURABLE)


async def test_abandoned_message_gets_one_dead_letter(
    make_app: MakeApp, make_request: MakeRequest, js: JetStreamContext
) -> None:
    """And an abandoned dead letter gets none."""

    app = make_app("sim-worker")
    app.answers(SimulationRequested, simulate)
    app.subscribes(SimulationRequested, _unused)
    app.subscribes(MessageAbandoned, _unused)
    recorder = await _start_recorder(make_app)
    await app.start()
    broken, letter_like = make_request(), make_request()
    await js.publish(broken.full_subject, b"{")
    await js.publish(f"{MessageAbandoned.subject}.{letter_like.run_id}.engineer.{letter_like.id}", b"{")
    while (await js.stream_info(ADVISORY_STREAM)).state.last_seq < 3:  # noqa: ASYNC110 - the server sets no event
        await asyncio.sleep(0.02)
    while (await js.stream_info(ADVISORY_STREAM)).state.messages:  # noqa: ASYNC110 - as above
        await asyncio.sleep(0.02)
    letters = [each for each in await recorder.bus.history(broken.run_id) if isinstance(each, MessageAbandoned)]
    assert {(each.consumer, each.reason) for each in letters} == {
        (DURABLE, "bad_input"),
        ("sim-worker-hears-simulation-requested", "bad_input"),
    }
    assert len(letters) == 2
    assert await recorder.health() == []


async def test_malformed_advisories_are_ignored(
    make_app: MakeApp, make_request: MakeRequest, js: JetStreamContext
) -> None:
    await _declare(make_app)
    subject = ADVISORY_SUBJECTS["terminated"].removesuffix(">") + DURABLE
    for malformed in (b"{", b'{"consumer": "unknown", "stream_seq": 999, "deliveries": 1}'):
        await js.publish(subject, malformed)
    stored = await js.publish("mw.unknown.subject", b"")
    await js.publish(subject, f'{{"consumer": "stranger", "stream_seq": {stored.seq}, "deliveries": 1}}'.encode())
    recorder = await _start_recorder(make_app)
    letter = await anext(aiter(recorder.bus.follow(OPERATIONS_RUN)))
    assert isinstance(letter, MessageAbandoned)
    assert (letter.consumer, letter.abandoned_subject) == ("stranger", "mw.unknown.subject")


async def _unused(_: object) -> list[SimulationFailed]:
    return []
