"""Work at least once, effects once per id; what cannot be done is said aloud."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from uuid import UUID

import pytest
from chassis.app import App
from chassis.settings import BusSettings
from chassis.stream.subjects import STREAM
from contracts.envelope import Event, outcome_id
from contracts.events.dead_letters import MessageAbandoned
from contracts.events.run import RunFailed
from contracts.events.simulation import SimulationFailed, SimulationRequested
from nats.js import JetStreamContext

MakeApp = Callable[..., App]
Ask = Callable[..., SimulationRequested]
Refuse = Callable[..., SimulationFailed]
End = Callable[[], RunFailed]
Eventually = Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]


class Simulator:
    """Answers, counts, and may take its time or fail."""

    def __init__(self, refuse: Refuse, *, takes_s: float = 0.0, failures: int = 0) -> None:
        self._refuse = refuse
        self._takes_s = takes_s
        self._failures = failures
        self.seeds: list[int] = []
        self.at_once = 0
        self.most_at_once = 0

    async def simulate(self, request: SimulationRequested) -> SimulationFailed:
        self.seeds.append(request.seed)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await asyncio.sleep(self._takes_s)
        self.at_once -= 1
        if len(self.seeds) <= self._failures:
            raise OSError("the disk is full")
        return self._refuse(request)


async def test_a_stored_outcome_is_not_worked_for_again(make_app: MakeApp, ask_for: Ask, refuse: Refuse) -> None:
    simulator = Simulator(refuse)
    before, app = make_app("planner"), make_app("sim-worker")
    await before.start()
    answered, fresh = ask_for(seed=1), ask_for(seed=2)
    await before.bus.publish(answered)
    await before.bus.publish(refuse(answered))
    app.answers(SimulationRequested, simulator.simulate)
    await app.start()
    await app.bus.ask(fresh)
    assert simulator.seeds == [2]


async def test_a_long_job_is_kept_alive_and_stays_single(make_app: MakeApp, ask_for: Ask, refuse: Refuse) -> None:
    simulator = Simulator(refuse, takes_s=1.3)
    first, second = (make_app("sim-worker", bus_ack_wait_s=0.4) for _ in range(2))
    for app in (first, second):
        app.answers(SimulationRequested, simulator.simulate)
        await app.start()
    await first.bus.ask(ask_for(seed=1))
    assert simulator.seeds == [1]


async def test_a_handler_that_blocks_the_loop_is_kept_alive_too(
    make_app: MakeApp, ask_for: Ask, refuse: Refuse, raw: JetStreamContext
) -> None:
    async def block(request: SimulationRequested) -> SimulationFailed:
        time.sleep(1.3)  # noqa: ASYNC251 - the offence that is to be survived
        return refuse(request)

    app = make_app("sim-worker", bus_ack_wait_s=0.4)
    app.answers(SimulationRequested, block, workers=2)
    await app.start()
    await app.bus.ask(ask_for())
    info = await raw.consumer_info(STREAM, "sim-worker-simulation-requested")
    assert info.delivered is not None
    assert info.delivered.consumer_seq == 1


async def test_workers_work_side_by_side_and_each_job_once(make_app: MakeApp, ask_for: Ask, refuse: Refuse) -> None:
    simulator = Simulator(refuse, takes_s=0.3)
    app = make_app("sim-worker")
    app.answers(SimulationRequested, simulator.simulate, workers=4)
    await app.start()
    await asyncio.gather(*(app.bus.ask(ask_for(seed=seed)) for seed in range(8)))
    assert sorted(simulator.seeds) == list(range(8))
    assert simulator.most_at_once == 4


async def test_a_surprise_is_tried_again(make_app: MakeApp, ask_for: Ask, refuse: Refuse) -> None:
    simulator = Simulator(refuse, failures=2)
    app = make_app("sim-worker")
    app.answers(SimulationRequested, simulator.simulate)
    await app.start()
    assert isinstance(await app.bus.ask(ask_for()), SimulationFailed)
    assert len(simulator.seeds) == 3


async def test_exhausted_input_is_abandoned_and_whoever_asked_is_told(
    make_app: MakeApp, ask_for: Ask, refuse: Refuse
) -> None:
    simulator = Simulator(refuse, failures=100)
    app = make_app("sim-worker")
    app.answers(SimulationRequested, simulator.simulate)
    await app.start()
    request = ask_for()
    letter = await app.bus.ask(request)
    assert isinstance(letter, MessageAbandoned)
    assert (letter.reason, letter.consumer) == ("exhausted", "sim-worker-simulation-requested")
    assert (letter.causation_id, letter.id) == (request.id, outcome_id(request.id))
    assert "OSError: the disk is full" in letter.detail
    assert len(simulator.seeds) == 3


async def test_a_job_that_kills_its_worker_each_time_is_abandoned(
    make_app: MakeApp, ask_for: Ask, refuse: Refuse, raw: JetStreamContext
) -> None:
    """Deliveries that end in silence count, too: here nobody ever acknowledges."""
    app = make_app("sim-worker")
    app.answers(SimulationRequested, Simulator(refuse).simulate)
    await app.start()
    await app.stop()
    request = ask_for()
    await raw.publish(request.full_subject, request.model_dump_json().encode())
    deaf = await raw.pull_subscribe_bind("sim-worker-simulation-requested", STREAM)
    for _ in range(3):
        await deaf.fetch(1, timeout=5)
    simulator = Simulator(refuse)
    second = make_app("sim-worker")
    second.answers(SimulationRequested, simulator.simulate)
    await second.start()
    letter = await second.bus.ask(request)
    assert isinstance(letter, MessageAbandoned)
    assert letter.reason == "exhausted"
    assert simulator.seeds == []


@pytest.mark.parametrize("data", [b"{not json", b'{"seed": 1}', b"\xff\xfe"])
async def test_bad_input_is_abandoned_at_once_and_blocks_nobody(
    make_app: MakeApp, ask_for: Ask, refuse: Refuse, raw: JetStreamContext, data: bytes
) -> None:
    simulator = Simulator(refuse)
    app = make_app("sim-worker")
    app.answers(SimulationRequested, simulator.simulate)
    await app.start()
    broken = ask_for(seed=1)
    stored = await raw.publish(broken.full_subject, data)
    assert isinstance(await app.bus.ask(ask_for(seed=2)), SimulationFailed)
    letter = await app.bus.find(broken.run_id, "engineer", outcome_id(broken.id))
    assert isinstance(letter, MessageAbandoned)
    assert (letter.reason, letter.stream_sequence) == ("bad_input", stored.seq)
    assert (letter.causation_id, letter.abandoned_subject) == (broken.id, broken.full_subject)
    assert simulator.seeds == [2]


async def test_content_that_contradicts_its_subject_is_bad_input(
    make_app: MakeApp, ask_for: Ask, refuse: Refuse, raw: JetStreamContext
) -> None:
    app = make_app("sim-worker")
    app.answers(SimulationRequested, Simulator(refuse).simulate)
    await app.start()
    request, other = ask_for(seed=1), ask_for(seed=2)
    await raw.publish(request.full_subject, other.model_dump_json().encode())
    letter = await app.bus.ask(request)
    assert isinstance(letter, MessageAbandoned)
    assert letter.reason == "bad_input"


async def test_a_subject_of_nobody_is_dropped_and_blocks_nobody(
    make_app: MakeApp, ask_for: Ask, refuse: Refuse, raw: JetStreamContext
) -> None:
    app = make_app("sim-worker")
    app.answers(SimulationRequested, Simulator(refuse).simulate)
    await app.start()
    await raw.publish(f"{SimulationRequested.subject}.no.such.address", b"{}")
    assert isinstance(await app.bus.ask(ask_for()), SimulationFailed)


async def test_an_answer_that_does_not_fit_is_abandoned_at_once(
    make_app: MakeApp, ask_for: Ask, refuse: Refuse
) -> None:
    async def chatter(request: SimulationRequested) -> SimulationFailed:
        return refuse(request, "x" * 2_000_000)

    app = make_app("sim-worker")
    app.answers(SimulationRequested, chatter)
    await app.start()
    letter = await app.bus.ask(ask_for())
    assert isinstance(letter, MessageAbandoned)
    assert letter.reason == "too_large"


async def test_a_wrong_answer_is_never_published(make_app: MakeApp, ask_for: Ask, end: End, run_id: UUID) -> None:
    async def confuse(request: SimulationRequested) -> Event:
        return end()

    app = make_app("sim-worker")
    app.answers(SimulationRequested, confuse)
    await app.start()
    letter = await app.bus.ask(ask_for())
    assert isinstance(letter, MessageAbandoned)
    assert "confuse answered SimulationRequested with RunFailed" in letter.detail
    assert await app.bus.ended(run_id) is None


async def test_nobody_acts_for_a_run_that_has_ended(  # noqa: PLR0917 - fixtures
    make_app: MakeApp, ask_for: Ask, refuse: Refuse, end: End, eventually: Eventually, raw: JetStreamContext
) -> None:
    simulator, late = Simulator(refuse), Simulator(refuse)
    heard: list[str] = []

    async def hear(event: Event) -> Sequence[Event]:
        heard.append(type(event).__name__)
        return []

    app, after = make_app("sim-worker"), make_app("skill-learner")
    app.answers(SimulationRequested, simulator.simulate)
    app.subscribes(RunFailed, hear)
    app.subscribes(SimulationRequested, hear)
    after.answers(SimulationRequested, late.simulate, after_end=True)
    await app.start()
    await app.bus.publish(end())
    await app.bus.publish(ask_for(seed=3))
    await after.start()

    async def everything_is_read() -> bool:
        return late.seeds == [3] and await _has_read_all(
            raw, "sim-worker-simulation-requested", "sim-worker-hears-simulation-requested"
        )

    await eventually(everything_is_read)
    assert simulator.seeds == []
    assert heard == ["RunFailed"]


async def test_what_a_listener_returns_is_published_once(
    make_app: MakeApp, ask_for: Ask, refuse: Refuse, run_id: UUID
) -> None:
    heard: list[str] = []

    async def hear(event: SimulationRequested) -> Sequence[Event]:
        heard.append(event.role)
        return [refuse(event)]

    app = make_app("critic")
    app.subscribes(SimulationRequested, hear, role="critic")
    await app.start()
    mine, other = ask_for(role="critic"), ask_for(role="engineer")
    await app.bus.publish(other)
    outcome = await app.bus.ask(mine)
    assert outcome.causation_id == mine.id
    assert heard == ["critic"]
    assert await app.bus.history(run_id) == [other, mine, outcome]


def test_two_handlers_for_one_consumer_are_refused(refuse: Refuse) -> None:
    app = App("sim-worker", BusSettings())
    app.answers(SimulationRequested, Simulator(refuse).simulate)
    with pytest.raises(ValueError, match="two handlers for consumer sim-worker-simulation-requested"):
        app.answers(SimulationRequested, Simulator(refuse).simulate)


async def _has_read_all(raw: JetStreamContext, *durables: str) -> bool:
    infos = [await raw.consumer_info(STREAM, durable) for durable in durables]
    return all(info.num_pending == 0 and info.num_ack_pending == 0 for info in infos)
