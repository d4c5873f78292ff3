"""The cache of ended runs is as good as a check of the log."""

from uuid import UUID, uuid4

import pytest
from chassis.delivery import run_cancellation
from chassis.delivery.run_cancellation import EndedRuns

RUN, OTHER = uuid4(), uuid4()


class Log:
    """An event log that counts checks. `end_published_meanwhile` is published during each."""

    def __init__(self) -> None:
        self.ended: set[UUID] = set()
        self.checked: list[UUID] = []
        self.reconnects = 0
        self.runs = EndedRuns(self.look_up, lambda: self.reconnects, max_age_s=10.0)
        self.end_published_meanwhile: UUID | None = None

    async def look_up(self, run_id: UUID) -> bool:
        self.checked.append(run_id)
        found = run_id in self.ended
        if self.end_published_meanwhile is not None:
            self.runs.note_published_end(self.end_published_meanwhile)
        return found

    async def has_ended(self, run_id: UUID = RUN, times: int = 3) -> list[bool]:
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
    monkeypatch.setattr(run_cancellation, "time", clock)
    return clock


@pytest.fixture
def log(clock: Clock) -> Log:
    return Log()


async def test_run_that_goes_on_is_checked_once(log: Log) -> None:
    assert await log.has_ended() == [False] * 3
    assert await log.has_ended(OTHER) == [False] * 3
    assert log.checked == [RUN, OTHER]


async def test_end_is_cached_for_good(log: Log, clock: Clock) -> None:
    log.ended.add(RUN)
    assert await log.has_ended() == [True] * 3
    clock.now_s += 1e6
    log.reconnects += 1
    assert await log.has_ended() == [True] * 3
    assert log.checked == [RUN]


async def test_published_end_is_checked_until_it_is_stored(log: Log, clock: Clock) -> None:
    await log.has_ended()
    log.runs.note_published_end(RUN)
    assert await log.has_ended(times=2) == [False, False]
    log.ended.add(RUN)
    assert await log.has_ended(times=2) == [True, True]
    assert len(log.checked) == 1 + 2 + 1


async def test_published_end_that_is_refused_is_forgotten(log: Log, clock: Clock) -> None:
    log.runs.note_published_end(RUN)
    await log.has_ended(times=2)
    clock.now_s += run_cancellation.STORED_WITHIN_S
    await log.has_ended(times=5)
    assert len(log.checked) == 2 + 1


async def test_end_published_during_a_check_is_checked_again(log: Log) -> None:
    log.end_published_meanwhile = RUN
    assert await log.has_ended(times=1) == [False]
    log.ended.add(RUN)
    assert await log.has_ended(times=1) == [True]


async def test_run_is_checked_again_after_reconnect_or_time(log: Log, clock: Clock) -> None:
    await log.has_ended()
    log.reconnects += 1
    await log.has_ended()
    clock.now_s += 10.0
    await log.has_ended()
    assert len(log.checked) == 3


async def test_cache_is_limited(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_cancellation, "MAX_CACHED_RUNS", 2)
    runs = [uuid4() for _ in range(4)]
    for run_id in runs:
        await log.has_ended(run_id)
    await log.has_ended(runs[-1])
    assert len(log.checked) == 4
    await log.has_ended(runs[0])
    assert len(log.checked) == 5
