"""What is recorded again after a backup was restored: everything that Postgres has no longer, before the next batch."""

from collections.abc import AsyncIterator, Sequence
from typing import cast

import pytest
from chassis.delivery.batch_reader import RawMessage
from chassis.recovery.reread import AcknowledgedMessages
from recorder.gap import GapRecorder
from store.log import EventLog


class Stream:
    """A stream whose messages are their sequences, and a database that has recorded some of them."""

    def __init__(self, last: int, recorded: int) -> None:
        self.acknowledged, self.newest = last, recorded
        self.batches: list[list[int]] = []
        self.lookups = 0

    async def newest_sequence(self) -> int:
        self.lookups += 1
        return self.newest

    async def last(self) -> int:
        return self.acknowledged

    async def between(self, first: int, last: int) -> AsyncIterator[RawMessage]:
        for sequence in range(first, last + 1):
            yield cast("RawMessage", sequence)

    async def record(self, batch: Sequence[RawMessage]) -> None:
        numbers = [cast("int", each) for each in batch]
        self.batches.append(numbers)
        self.newest = max([self.newest, *numbers])

    def recorder(self) -> GapRecorder:
        return GapRecorder(cast("EventLog", self), cast("AcknowledgedMessages", self), self.record)


def batch(*sequences: int) -> list[RawMessage]:
    return [cast("RawMessage", each) for each in sequences]


@pytest.mark.parametrize(
    ("recorded", "batches"),
    [
        (250, []),
        (300, []),
        (249, [[250]]),
        (200, [[*range(201, 251)]]),
        (40, [[*range(41, 141)], [*range(141, 241)], [*range(241, 251)]]),
    ],
)
async def test_gap_is_filled_at_the_start_in_batches_of_a_hundred(recorded: int, batches: list[list[int]]) -> None:
    stream = Stream(last=250, recorded=recorded)
    recorder = stream.recorder()
    await recorder.start()
    assert stream.batches == batches
    await recorder.stop()


async def test_gap_that_appears_between_two_batches_is_filled_before_the_next() -> None:
    stream = Stream(last=10, recorded=10)
    recorder = stream.recorder()
    await recorder.start()
    await recorder.record(batch(11, 12))
    stream.acknowledged = 12
    await recorder.record(batch(13))
    assert stream.batches == [[11, 12], [13]]
    stream.acknowledged, stream.newest = 13, 8  # a backup is restored
    await recorder.record(batch(14))
    assert stream.batches[2:] == [[9, 10, 11, 12, 13], [14]]
    stream.acknowledged = 14
    await recorder.record(batch(15))
    assert stream.batches[4:] == [[15]]


async def test_first_batch_looks_for_a_gap() -> None:
    stream = Stream(last=5, recorded=3)
    await stream.recorder().record(batch(6))
    assert stream.batches == [[4, 5], [6]]
