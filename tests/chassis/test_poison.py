"""What nobody can read is given up by name, and the next message is worked on, in every manner of reading."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from chassis.app import App
from chassis.delivery.dead_letter import OPERATIONS_RUN, Cause, FailedMessage, dead_letter
from chassis.delivery.raw_reader import RawMessage
from chassis.stream.parser import MAX_EVENT_BYTES, parse_message
from contracts.envelope import Event, outcome_id
from contracts.events.dead_letters import MessageAbandoned
from contracts.events.simulation import SimulationFailed, SimulationRequested
from nats.js import JetStreamContext

MakeApp = Callable[..., App]
Ask = Callable[..., SimulationRequested]
Refuse = Callable[..., SimulationFailed]
UntilSettled = Callable[[str], Awaitable[None]]

DEEP = 100_000


def _with(request: Event, **changes: object) -> bytes:
    return json.dumps({**json.loads(request.model_dump_json()), **changes}).encode()


def _in_text(request: Event, raw: bytes) -> bytes:
    """Return the request with these very bytes inside a text."""
    return _with(request, producer="PLACE").replace(b"PLACE", raw)


POISONS: dict[str, tuple[Callable[[SimulationRequested], bytes], str]] = {
    "nothing": (lambda _: b"", "bad_input"),
    "no json": (lambda _: b"{not json", "bad_input"),
    "no object": (lambda _: b"[1, 2]", "bad_input"),
    "missing fields": (lambda _: b'{"seed": 1}', "bad_input"),
    "no utf-8": (lambda _: b"\xff\xfe\x00", "bad_input"),
    "a raw NUL in a text": (lambda request: _in_text(request, b"a\x00b"), "bad_input"),
    "a raw surrogate": (lambda request: _in_text(request, b"\xed\xa0\x80"), "bad_input"),
    "an escaped lone surrogate": (lambda request: _in_text(request, rb"\ud800"), "bad_input"),
    "deeply nested": (
        lambda request: _with(request, scene=0)[:-1] + b', "x": ' + b"[" * DEEP + b"]" * DEEP + b"}",
        "bad_input",
    ),
    "endlessly opened": (lambda _: b'{"a":' * DEEP, "bad_input"),
    "a number without end": (
        lambda request: _with(request, seed="PLACE").replace(b'"PLACE"', b"9" * 5000),
        "bad_input",
    ),
    "a negative infinity": (
        lambda request: _with(request, replicas="PLACE").replace(b'"PLACE"', b"-1e999"),
        "bad_input",
    ),
    "another run": (lambda request: _with(request, run_id=str(uuid4())), "bad_input"),
    "another role": (lambda request: _with(request, role="critic"), "bad_input"),
    "another id": (lambda request: _with(request, id=str(uuid4())), "bad_input"),
    "the future": (lambda request: _with(request, schema_version=2), "future_version"),
    "a future without anything else": (lambda _: b'{"schema_version": 7, "what": "ever"}', "future_version"),
    "too large": (lambda request: _with(request, producer="x" * MAX_EVENT_BYTES), "too_large"),
}


@dataclass
class Reader:
    """A service that reads requests in one manner, and notes whose work it has done."""

    refuse: Refuse
    manner: str = "answers"
    worked: list[int] = field(default_factory=list[int])

    async def answer(self, request: SimulationRequested) -> SimulationFailed:
        self.worked.append(request.seed)
        return self.refuse(request)

    async def hear(self, request: SimulationRequested) -> Sequence[Event]:
        self.worked.append(request.seed)
        return []


def _now(_: Event) -> datetime:
    return datetime.now(UTC)


async def _reading(app: App, reader: Reader, run_id: UUID) -> str:
    """Start the app with its reader; return the name of its consumer."""
    manner = reader.manner
    if manner == "answers":
        app.answers(SimulationRequested, reader.answer)
    elif manner == "hears":
        app.subscribes(SimulationRequested, reader.hear)
    elif manner == "reminds":
        app.schedules(SimulationRequested, _now, reader.hear)
    await app.start()
    if manner == "attends":
        await app.serve_thread(run_id, "engineer", {SimulationRequested: reader.answer})
        return f"{app.name}-attends-{run_id}-engineer"
    word = "" if manner == "answers" else f"{manner}-"
    return f"{app.name}-{word}simulation-requested"


@pytest.fixture
def reader(refuse: Refuse, request: pytest.FixtureRequest) -> Reader:
    return Reader(refuse, getattr(request, "param", "answers"))


@pytest.mark.parametrize("reader", ["answers", "hears", "reminds", "attends"], indirect=True)
async def test_every_poison_is_abandoned_with_its_reason_and_the_next_message_is_worked_on(
    make_app: MakeApp, reader: Reader, ask_for: Ask, raw: JetStreamContext, until_settled: UntilSettled
) -> None:
    app = make_app("sim-worker")
    durable = await _reading(app, reader, ask_for().run_id)
    poisoned: dict[str, SimulationRequested] = {}
    for seed, (name, (spoil, _)) in enumerate(POISONS.items()):
        poisoned[name] = ask_for(seed=1000 + seed)
        await raw.publish(poisoned[name].full_subject, spoil(poisoned[name]))
        await app.bus.publish(ask_for(seed=seed))
    await until_settled(durable)
    history = await app.bus.history(ask_for().run_id)
    letters = {each.causation_id: each for each in history if isinstance(each, MessageAbandoned)}
    reasons = {name: letters[request.id].reason for name, request in poisoned.items()}
    assert reasons == {name: reason for name, (_, reason) in POISONS.items()}
    assert {letter.consumer for letter in letters.values()} == {durable}
    assert reader.worked == list(range(len(POISONS)))
    if reader.manner in {"answers", "attends"}:
        assert {each.id for each in letters.values()} == {outcome_id(request.id) for request in poisoned.values()}


async def test_a_batch_holds_the_poison_as_it_is_and_the_next_messages(
    make_app: MakeApp, ask_for: Ask, raw: JetStreamContext, until_settled: UntilSettled
) -> None:
    recorded: list[RawMessage] = []

    async def record(batch: list[RawMessage]) -> None:
        recorded.extend(batch)

    app = make_app("recorder")
    app.records(record, batch_size=5)
    await app.start()
    said: list[bytes] = []
    for spoil, _ in POISONS.values():
        request = ask_for()
        said.append(spoil(request))
        await raw.publish(request.full_subject, said[-1])
    await until_settled("recorder-records")
    assert [each.data for each in sorted(recorded, key=lambda each: each.sequence)] == said


async def test_an_escaped_nul_is_a_character_like_any_other(make_app: MakeApp, ask_for: Ask, refuse: Refuse) -> None:
    async def echo(request: SimulationRequested) -> SimulationFailed:
        return refuse(request, f"{request.producer} and back")

    app = make_app("sim-worker")
    app.answers(SimulationRequested, echo)
    await app.start()
    outcome = await app.bus.ask(ask_for().model_copy(update={"producer": "a\x00b"}))
    assert isinstance(outcome, SimulationFailed)
    assert outcome.detail == "a\x00b and back"


async def test_a_message_that_is_delivered_twice_has_its_effects_once(
    make_app: MakeApp, reader: Reader, ask_for: Ask, raw: JetStreamContext, until_settled: UntilSettled
) -> None:
    """Its acknowledgement was lost; here nobody ever sent one."""
    first, second = make_app("sim-worker"), make_app("sim-worker")
    durable = await _reading(first, reader, ask_for().run_id)
    await first.stop()
    request = ask_for()
    await raw.publish(request.full_subject, request.model_dump_json().encode())
    deaf = await raw.pull_subscribe_bind(durable, "MILLWRIGHT")
    await deaf.fetch(1, timeout=5)
    outcome = reader.refuse(request)
    await raw.publish(outcome.full_subject, outcome.model_dump_json().encode())
    await _reading(second, reader, request.run_id)
    await until_settled(durable)
    assert reader.worked == []
    assert await second.bus.history(request.run_id) == [request, outcome]


async def test_a_subject_that_names_no_run_has_its_letter_in_the_operations_run(
    make_app: MakeApp, reader: Reader, ask_for: Ask, raw: JetStreamContext, until_settled: UntilSettled
) -> None:
    app = make_app("sim-worker")
    durable = await _reading(app, reader, ask_for().run_id)
    subject = f"{SimulationRequested.subject}.no.such.address"
    stored = await raw.publish(subject, b"{}")
    await app.bus.ask(ask_for(seed=2))
    await until_settled(durable)
    (letter,) = await app.bus.history(OPERATIONS_RUN)
    assert isinstance(letter, MessageAbandoned)
    assert (letter.kind, letter.role, letter.reason) == ("operations", "planner", "bad_input")
    assert (letter.abandoned_subject, letter.stream_sequence) == (subject, stored.seq)


def test_a_letter_about_anything_can_be_stored_and_read() -> None:
    """Whatever stands in the subject or in the fault."""
    for text in ("\x00", "\ud800", "x" * 100_000, "𝄞\r\n"):
        given_up = FailedMessage(f"mw.{text}", 7, "recorder-records")
        letter = dead_letter(given_up, Cause("unknown_type", text), "recorder")
        assert letter is not None
        assert parse_message(letter.full_subject, letter.model_dump_json().encode()) == letter
        assert (letter.run_id, letter.stream_sequence) == (OPERATIONS_RUN, 7)


def test_the_same_message_given_up_twice_has_one_letter_and_two_messages_have_two() -> None:
    def written(sequence: int) -> MessageAbandoned:
        letter = dead_letter(
            FailedMessage("mw.nobody.knows", sequence, "recorder-records"), Cause("unknown_type", ""), "recorder"
        )
        assert letter is not None
        return letter

    assert written(1).id == written(1).id
    assert written(1).id != written(2).id


def test_there_is_no_letter_about_a_letter(ask_for: Ask) -> None:
    request = ask_for()
    letter = dead_letter(FailedMessage(request.full_subject, 1, "sim-worker"), Cause("bad_input", ""), "sim-worker")
    assert letter is not None
    assert dead_letter(FailedMessage(letter.full_subject, 2, "planner"), Cause("bad_input", ""), "planner") is None
