"""What is remembered of the ends of runs is as good as a look."""

from uuid import UUID, uuid4

import pytest
from chassis.delivery import ended_runs
from chassis.delivery.ended_runs import EndedRuns

RUN, OTHER = uuid4(), uuid4()


class Log:
    """Counts looks. `says` is what happens while one is under way."""

    def __init__(self) -> None:
        self.ended: set[UUID] = set()
        self.looks: list[UUID] = []
        self.reconnects = 0
        self.runs = EndedRuns(self.look, lambda: self.reconnects, lasting_s=10.0)
        self.heard_meanwhile: UUID | None = None

    async def look(self, run_id: UUID) -> object | None:
        self.looks.append(run_id)
        found = run_id if run_id in self.ended else None
        if self.heard_meanwhile is not None:
            self.runs.hear(self.heard_meanwhile)
        return found

    async def ask(self, run_id: UUID = RUN, times: int = 3) -> list[bool]:
        return [await self.runs.has_ended(run_id) for _ in range(times)]


class Clock:
    """The monotonic clock, moved by hand."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def monotonic(self) -> float:
        return self.now_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(ended_runs, "time", clock)
    return clock


@pytest.fixture
def log(clock: Clock) -> Log:
    return Log()


async def test_a_run_that_goes_on_costs_one_look(log: Log) -> None:
    assert await log.ask() == [False] * 3
    assert await log.ask(OTHER) == [False] * 3
    assert log.looks == [RUN, OTHER]


async def test_an_end_is_remembered_for_good(log: Log, clock: Clock) -> None:
    log.ended.add(RUN)
    assert await log.ask() == [True] * 3
    clock.now_s += 1e6
    log.reconnects += 1
    assert await log.ask() == [True] * 3
    assert log.looks == [RUN]


async def test_an_end_that_is_heard_is_looked_for_until_it_must_be_stored(log: Log, clock: Clock) -> None:
    await log.ask()
    log.runs.hear(RUN)
    assert await log.ask(times=2) == [False, False]
    log.ended.add(RUN)
    assert await log.ask(times=2) == [True, True]
    assert len(log.looks) == 1 + 2 + 1


async def test_an_end_that_is_heard_and_refused_is_forgotten(log: Log, clock: Clock) -> None:
    log.runs.hear(RUN)
    await log.ask(times=2)
    clock.now_s += ended_runs.STORED_WITHIN_S
    await log.ask(times=5)
    assert len(log.looks) == 2 + 1


async def test_an_end_that_is_heard_while_looking_is_looked_for_again(log: Log) -> None:
    log.heard_meanwhile = RUN
    assert await log.ask(times=1) == [False]
    log.ended.add(RUN)
    assert await log.ask(times=1) == [True]


async def test_a_lost_connection_or_time_makes_it_look_again(log: Log, clock: Clock) -> None:
    await log.ask()
    log.reconnects += 1
    await log.ask()
    clock.now_s += 10.0
    await log.ask()
    assert len(log.looks) == 3


async def test_what_is_remembered_is_limited(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ended_runs, "MOST_REMEMBERED", 2)
    runs = [uuid4() for _ in range(4)]
    for run_id in runs:
        await log.ask(run_id)
    await log.ask(runs[-1])
    assert len(log.looks) == 4
    await log.ask(runs[0])
    assert len(log.looks) == 5
