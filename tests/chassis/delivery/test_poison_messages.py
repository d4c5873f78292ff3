"""Poison messages are abandoned with a reason and the next message is handled, in every mode of subscription."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from chassis.app import App
from chassis.delivery.batch_reader import RawMessage
from chassis.delivery.dead_letter import OPERATIONS_RUN, Cause, FailedMessage, dead_letter
from chassis.stream.parser import MAX_EVENT_BYTES, parse_message
from contracts.envelope import Event, outcome_id
from contracts.events.dead_letters import MessageAbandoned
from contracts.events.simulation import SimulationFailed, SimulationRequested
from nats.js import JetStreamContext

from tests.chassis.fixture_types import MakeApp, MakeEnd, MakeRequest, UntilSettled
from tests.chassis.outcomes import outcome_of

DEEP = 100_000


def _with(request: Event, **changes: object) -> bytes:
    return json.dumps({**json.loads(request.model_dump_json()), **changes}).encode()


def _in_text(request: Event, raw: bytes) -> bytes:
    """Return the request with these bytes, as they are, inside a text."""
    return _with(request, producer="MARK").replace(b"MARK", raw)


POISONS: dict[str, tuple[Callable[[SimulationRequested], bytes], str]] = {
    "nothing": (lambda _: b"", "bad_input"),
    "not JSON": (lambda _: b"{not json", "bad_input"),
    "not an object": (lambda _: b"[1, 2]", "bad_input"),
    "missing fields": (lambda _: b'{"seed": 1}', "bad_input"),
    "not UTF-8": (lambda _: b"\xff\xfe\x00", "bad_input"),
    "a raw NUL in a text": (lambda request: _in_text(request, b"a\x00b"), "bad_input"),
    "a raw surrogate": (lambda request: _in_text(request, b"\xed\xa0\x80"), "bad_input"),
    "an escaped lone surrogate": (lambda request: _in_text(request, rb"\ud800"), "bad_input"),
    "deeply nested": (
        lambda request: _with(request, scene=0)[:-1] + b', "x": ' + b"[" * DEEP + b"]" * DEEP + b"}",
        "bad_input",
    ),
    "endlessly opened": (lambda _: b'{"a":' * DEEP, "bad_input"),
    "a number without end": (
        lambda request: _with(request, seed="MARK").replace(b'"MARK"', b"9" * 5000),
        "bad_input",
    ),
    "a negative infinity": (
        lambda request: _with(request, replicas="MARK").replace(b'"MARK"', b"-1e999"),
        "bad_input",
    ),
    "another run": (lambda request: _with(request, run_id=str(uuid4())), "bad_input"),
    "another role": (lambda request: _with(request, role="critic"), "bad_input"),
    "another id": (lambda request: _with(request, id=str(uuid4())), "bad_input"),
    "too large": (lambda request: _with(request, producer="x" * MAX_EVENT_BYTES), "too_large"),
}


@dataclass
class Consumer:
    """Consumes requests in one mode, and notes their seeds."""

    mode: str = "answers"
    seeds: list[int] = field(default_factory=list[int])

    async def answer(self, request: SimulationRequested) -> SimulationFailed:
        self.seeds.append(request.seed)
        return outcome_of(request)

    async def consume(self, request: SimulationRequested) -> Sequence[Event]:
        self.seeds.append(request.seed)
        return []


def _now(_: Event) -> datetime:
    return datetime.now(UTC)


async def _start(app: App, consumer: Consumer, run_id: UUID) -> str:
    """Start the app with its consumer; return the durable name."""
    mode = consumer.mode
    if mode == "answers":
        app.answers(SimulationRequested, consumer.answer)
    elif mode == "subscribes":
        app.subscribes(SimulationRequested, consumer.consume)
    elif mode == "schedules":
        app.schedules(SimulationRequested, _now, consumer.consume)
    await app.start()
    if mode == "serves_thread":
        await app.serve_thread(run_id, "engineer", {SimulationRequested: consumer.answer})
        return f"{app.name}-attends-{run_id}-engineer"
    token = {"answers": "", "subscribes": "hears-", "schedules": "reminds-"}[mode]
    return f"{app.name}-{token}simulation-requested"


@pytest.fixture
def consumer(request: pytest.FixtureRequest) -> Consumer:
    return Consumer(getattr(request, "param", "answers"))


@pytest.mark.parametrize("consumer", ["answers", "subscribes", "schedules", "serves_thread"], indirect=True)
async def test_every_poison_message_is_abandoned_and_the_next_handled(
    make_app: MakeApp, consumer: Consumer, make_request: MakeRequest, js: JetStreamContext, until_settled: UntilSettled
) -> None:
    app = make_app("sim-worker")
    durable = await _start(app, consumer, make_request().run_id)
    poisoned: dict[str, SimulationRequested] = {}
    for seed, (name, (spoil, _)) in enumerate(POISONS.items()):
        poisoned[name] = make_request(seed=1000 + seed)
        await js.publish(poisoned[name].full_subject, spoil(poisoned[name]))
        await app.bus.publish(make_request(seed=seed))
    await until_settled(durable)
    history = await app.bus.history(make_request().run_id)
    letters = {each.causation_id: each for each in history if isinstance(each, MessageAbandoned)}
    reasons = {name: letters[request.id].reason for name, request in poisoned.items()}
    assert reasons == {name: reason for name, (_, reason) in POISONS.items()}
    assert {letter.consumer for letter in letters.values()} == {durable}
    assert consumer.seeds == list(range(len(POISONS)))
    if consumer.mode in {"answers", "serves_thread"}:
        assert {each.id for each in letters.values()} == {outcome_id(request.id) for request in poisoned.values()}


async def test_message_from_the_future_is_left_to_a_newer_process(  # noqa: PLR0917 - fixtures
    make_app: MakeApp,
    consumer: Consumer,
    make_request: MakeRequest,
    make_end: MakeEnd,
    js: JetStreamContext,
    until_settled: UntilSettled,
) -> None:
    """As during an update of one service after the other; no attempt is counted, and the end of the run ends it."""
    app = make_app("sim-worker", bus_max_retry_delay_s=0.1)
    durable = await _start(app, consumer, make_request().run_id)
    early = make_request(seed=1)
    await js.publish(early.full_subject, _with(early, schema_version=7, seed="a word of the future"))
    await app.bus.ask(make_request(seed=2))
    for _ in range(6):  # three attempts would be over by then
        await asyncio.sleep(0.15)
        assert await app.bus.find(early.run_id, early.role, outcome_id(early.id)) is None
    (problem,) = await app.health()
    assert problem == f"1 messages, such as {early.full_subject}, wait for a newer version: update this service"
    await app.bus.publish(make_end())
    await until_settled(durable)
    assert consumer.seeds == [2]
    assert await app.bus.latest(MessageAbandoned, early.run_id) is None


async def test_batch_contains_poison_messages_unchanged(
    make_app: MakeApp, make_request: MakeRequest, js: JetStreamContext, until_settled: UntilSettled
) -> None:
    recorded: list[RawMessage] = []

    async def record(batch: list[RawMessage]) -> None:
        recorded.extend(batch)

    app = make_app("recorder")
    app.records(record, batch_size=5)
    await app.start()
    published: list[bytes] = []
    for spoil, _ in POISONS.values():
        request = make_request()
        published.append(spoil(request))
        await js.publish(request.full_subject, published[-1])
    await until_settled("recorder-records")
    assert [each.data for each in sorted(recorded, key=lambda each: each.sequence)] == published


async def test_escaped_nul_in_a_text_is_accepted(make_app: MakeApp, make_request: MakeRequest) -> None:
    async def echo(request: SimulationRequested) -> SimulationFailed:
        return outcome_of(request, f"{request.producer} and back")

    app = make_app("sim-worker")
    app.answers(SimulationRequested, echo)
    await app.start()
    outcome = await app.bus.ask(make_request().model_copy(update={"producer": "a\x00b"}))
    assert isinstance(outcome, SimulationFailed)
    assert outcome.detail == "a\x00b and back"


async def test_message_delivered_twice_takes_effect_once(
    make_app: MakeApp, consumer: Consumer, make_request: MakeRequest, js: JetStreamContext, until_settled: UntilSettled
) -> None:
    """As after a lost acknowledgement; here none was sent."""
    first, second = make_app("sim-worker"), make_app("sim-worker")
    durable = await _start(first, consumer, make_request().run_id)
    await first.stop()
    request = make_request()
    await js.publish(request.full_subject, request.model_dump_json().encode())
    silent = await js.pull_subscribe_bind(durable, "MILLWRIGHT")
    await silent.fetch(1, timeout=5)
    outcome = outcome_of(request)
    await js.publish(outcome.full_subject, outcome.model_dump_json().encode())
    await _start(second, consumer, request.run_id)
    await until_settled(durable)
    assert consumer.seeds == []
    assert await second.bus.history(request.run_id) == [request, outcome]


async def test_subject_without_run_gets_a_dead_letter_in_operations(
    make_app: MakeApp, consumer: Consumer, make_request: MakeRequest, js: JetStreamContext, until_settled: UntilSettled
) -> None:
    app = make_app("sim-worker")
    durable = await _start(app, consumer, make_request().run_id)
    subject = f"{SimulationRequested.subject}.no.such.address"
    stored = await js.publish(subject, b"{}")
    await app.bus.ask(make_request(seed=2))
    await until_settled(durable)
    (letter,) = await app.bus.history(OPERATIONS_RUN)
    assert isinstance(letter, MessageAbandoned)
    assert (letter.kind, letter.role, letter.reason) == ("operations", "planner", "bad_input")
    assert (letter.abandoned_subject, letter.stream_sequence) == (subject, stored.seq)


def test_dead_letter_can_quote_any_text() -> None:
    for text in ("\x00", "\ud800", "x" * 100_000, "𝄞\r\n"):
        failed = FailedMessage(f"mw.{text}", 7, "recorder-records")
        letter = dead_letter(failed, Cause("unknown_type", text), "recorder")
        assert letter is not None
        assert parse_message(letter.full_subject, letter.model_dump_json().encode()) == letter
        assert (letter.run_id, letter.stream_sequence) == (OPERATIONS_RUN, 7)


def test_dead_letters_have_one_id_per_message() -> None:
    def letter_of(sequence: int) -> MessageAbandoned:
        letter = dead_letter(
            FailedMessage("mw.unknown.subject", sequence, "recorder-records"), Cause("unknown_type", ""), "recorder"
        )
        assert letter is not None
        return letter

    assert letter_of(1).id == letter_of(1).id
    assert letter_of(1).id != letter_of(2).id


def test_dead_letter_gets_no_dead_letter(make_request: MakeRequest) -> None:
    request = make_request()
    letter = dead_letter(FailedMessage(request.full_subject, 1, "sim-worker"), Cause("bad_input", ""), "sim-worker")
    assert letter is not None
    assert dead_letter(FailedMessage(letter.full_subject, 2, "planner"), Cause("bad_input", ""), "planner") is None
