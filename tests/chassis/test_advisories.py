"""What the server gives up, and what somebody ends by hand, is said aloud as well."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
from collections.abc import Callable
from dataclasses import replace

from chassis.app import App
from chassis.delivery.advisories import ADVISORY_STREAM, ADVISORY_SUBJECTS
from chassis.delivery.dead_letter import OPERATIONS_RUN
from chassis.stream.subjects import STREAM
from contracts.envelope import outcome_id
from contracts.events.dead_letters import MessageAbandoned
from contracts.events.simulation import SimulationFailed, SimulationRequested
from nats.js import JetStreamContext

MakeApp = Callable[..., App]
Ask = Callable[..., SimulationRequested]
Refuse = Callable[..., SimulationFailed]

DURABLE = "sim-worker-simulation-requested"


async def _declared(make_app: MakeApp, refuse: Refuse) -> None:
    """Leave the durable of a worker that is gone."""

    async def simulate(request: SimulationRequested) -> SimulationFailed:
        return refuse(request)

    app = make_app("sim-worker")
    app.answers(SimulationRequested, simulate)
    await app.start()
    await app.stop()


async def _recorder(make_app: MakeApp) -> App:
    app = make_app("recorder")
    app.records_advisories()
    await app.start()
    return app


async def test_a_lowered_limit_of_deliveries_is_told_to_whoever_asked(
    make_app: MakeApp, ask_for: Ask, refuse: Refuse, raw: JetStreamContext
) -> None:
    """And the recorder may have been away when it happened."""
    await _declared(make_app, refuse)
    config = (await raw.consumer_info(STREAM, DURABLE)).config
    await raw.add_consumer(STREAM, replace(config, max_deliver=2, ack_wait=0.2))
    request = ask_for()
    stored = await raw.publish(request.full_subject, request.model_dump_json().encode())
    deaf = await raw.pull_subscribe_bind(DURABLE, STREAM)
    for _ in range(2):
        await deaf.fetch(1, timeout=5)
    letters = asyncio.ensure_future(deaf.fetch(1, timeout=5))
    recorder = await _recorder(make_app)
    letter = await recorder.bus.ask(request)
    letters.cancel()
    assert isinstance(letter, MessageAbandoned)
    assert (letter.reason, letter.consumer, letter.producer) == ("exhausted", DURABLE, "sim-worker")
    assert (letter.id, letter.stream_sequence) == (outcome_id(request.id), stored.seq)
    assert letter.detail.endswith("after 2 deliveries")


async def test_a_delivery_ended_by_hand_is_told(
    make_app: MakeApp, ask_for: Ask, refuse: Refuse, raw: JetStreamContext
) -> None:
    await _declared(make_app, refuse)
    request = ask_for()
    await raw.publish(request.full_subject, request.model_dump_json().encode())
    hands = await raw.pull_subscribe_bind(DURABLE, STREAM)
    for message in await hands.fetch(1, timeout=5):
        await message.term()
    recorder = await _recorder(make_app)
    letter = await recorder.bus.ask(request)
    assert isinstance(letter, MessageAbandoned)
    assert (letter.reason, letter.consumer) == ("terminated", DURABLE)


async def test_what_the_chassis_has_abandoned_itself_gets_no_second_letter(
    make_app: MakeApp, ask_for: Ask, refuse: Refuse, raw: JetStreamContext
) -> None:
    """Neither does a message that was answered before somebody ended its delivery, or a letter."""

    async def simulate(request: SimulationRequested) -> SimulationFailed:
        return refuse(request)

    app = make_app("sim-worker")
    app.answers(SimulationRequested, simulate)
    app.subscribes(SimulationRequested, _unused)
    app.subscribes(MessageAbandoned, _unused)
    recorder = await _recorder(make_app)
    await app.start()
    broken, letter_like = ask_for(), ask_for()
    await raw.publish(broken.full_subject, b"{")
    await raw.publish(f"{MessageAbandoned.subject}.{letter_like.run_id}.engineer.{letter_like.id}", b"{")
    while (await raw.stream_info(ADVISORY_STREAM)).state.last_seq < 3:  # noqa: ASYNC110 - the server sets no event
        await asyncio.sleep(0.02)
    while (await raw.stream_info(ADVISORY_STREAM)).state.messages:  # noqa: ASYNC110 - as above
        await asyncio.sleep(0.02)
    letters = [each for each in await recorder.bus.history(broken.run_id) if isinstance(each, MessageAbandoned)]
    assert {(each.consumer, each.reason) for each in letters} == {
        (DURABLE, "bad_input"),
        ("sim-worker-hears-simulation-requested", "bad_input"),
    }
    assert len(letters) == 2
    assert await recorder.health() == []


async def test_nonsense_among_the_advisories_holds_nobody_up(
    make_app: MakeApp, ask_for: Ask, refuse: Refuse, raw: JetStreamContext
) -> None:
    await _declared(make_app, refuse)
    place = ADVISORY_SUBJECTS["terminated"].removesuffix(">") + DURABLE
    for nonsense in (b"{", b'{"consumer": "nobody", "stream_seq": 999, "deliveries": 1}'):
        await raw.publish(place, nonsense)
    stored = await raw.publish("mw.nobody.knows", b"")
    await raw.publish(place, f'{{"consumer": "somebody", "stream_seq": {stored.seq}, "deliveries": 1}}'.encode())
    recorder = await _recorder(make_app)
    letter = await anext(aiter(recorder.bus.follow(OPERATIONS_RUN)))
    assert isinstance(letter, MessageAbandoned)
    assert (letter.consumer, letter.abandoned_subject) == ("somebody", "mw.nobody.knows")


async def _unused(_: object) -> list[SimulationFailed]:
    return []
