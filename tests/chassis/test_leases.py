"""Who holds what: on a ledger in memory with a clock that stands still, and on a real server."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Protocol
from uuid import uuid4

import pytest
from chassis.errors import BusUnavailableError, LeaseLostError
from chassis.leases.bucket import BUCKET, LeaseBucket
from chassis.leases.lease import (
    GIVE_UP_TTLS,
    TAKEOVER_TTLS,
    LeaseHeldError,
    Leases,
    LeaseStore,
    LeaseStoreUnavailableError,
)
from chassis.settings import BusSettings
from chassis.testing import FakeLeaseClient, FakeLeaseStore
from nats.js import JetStreamContext

Eventually = Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]
TTL_S = 0.2
KEY = "session.a.engineer"


class Server(Protocol):
    def kill(self) -> None: ...

    def start(self) -> None: ...


class Clock:
    """A clock that somebody else moves."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def ledger() -> FakeLeaseStore:
    return FakeLeaseStore()


class Party:
    """Processes that want leases, each with its end of the ledger and its own clock."""

    def __init__(self, ledger: FakeLeaseStore, stack: AsyncExitStack) -> None:
        self._ledger = ledger
        self._stack = stack

    async def joins(self, name: str) -> tuple[Leases, FakeLeaseClient, Clock]:
        side, clock = self._ledger.client(), Clock()
        leases = Leases(name, side, TTL_S, clock)
        await leases.start()
        self._stack.push_async_callback(leases.stop)
        return leases, side, clock


@pytest.fixture
async def party(ledger: FakeLeaseStore) -> AsyncIterator[Party]:
    async with AsyncExitStack() as stack:
        yield Party(ledger, stack)


async def test_one_of_many_that_ask_at_once_gets_it(party: Party) -> None:
    everybody = [(await party.joins(f"worker {number}"))[0] for number in range(5)]
    taken = await asyncio.gather(*(each.acquire(KEY) for each in everybody))
    (lease,) = [each for each in taken if each is not None]
    assert lease.epoch == 1
    await lease.confirm()


async def test_whoever_holds_it_gets_the_same_again(party: Party) -> None:
    leases, _, _ = await party.joins("worker")
    first, second = await asyncio.gather(leases.acquire(KEY), leases.acquire(KEY))
    assert first is second is not None


async def test_it_is_taken_after_its_time_under_a_larger_epoch(party: Party) -> None:
    first, side, _ = await party.joins("first")
    second, _, clock = await party.joins("second")
    assert await first.acquire(KEY) is not None
    assert await second.acquire(KEY) is None
    side.is_unavailable = True
    clock.now_s += TAKEOVER_TTLS * TTL_S * 0.9
    assert await second.acquire(KEY) is None
    clock.now_s += TAKEOVER_TTLS * TTL_S * 0.2
    taken = await second.acquire(KEY)
    assert taken is not None
    assert taken.epoch == 2


async def test_a_released_one_is_taken_at_once_and_one_that_is_erased_begins_anew(party: Party) -> None:
    first, _, _ = await party.joins("first")
    second, _, _ = await party.joins("second")
    for for_good, epoch in ((False, 2), (True, 1)):
        lease = await first.acquire(KEY)
        assert lease is not None
        await first.release(lease, for_good=for_good)
        with pytest.raises(LeaseLostError):
            await lease.confirm()
        taken = await second.acquire(KEY)
        assert taken is not None
        assert taken.epoch == epoch
        await second.release(taken, for_good=True)


async def test_a_holder_doubts_before_anybody_else_can_take_it(party: Party) -> None:
    first, side, clock = await party.joins("first")
    lease = await first.acquire(KEY)
    assert lease is not None
    side.is_unavailable = True
    clock.now_s += TTL_S
    waiting = asyncio.create_task(lease.confirm())
    await asyncio.sleep(TTL_S)
    assert not waiting.done()
    side.is_unavailable = False
    await waiting
    assert not lease.lost.is_set()


async def test_a_holder_that_comes_back_to_another_holder_learns_that_it_has_lost(party: Party) -> None:
    first, side, clock = await party.joins("first")
    second, _, others_clock = await party.joins("second")
    lease = await first.acquire(KEY)
    assert lease is not None
    assert await second.acquire(KEY) is None
    side.is_unavailable = True
    clock.now_s += 10 * TTL_S / 2
    others_clock.now_s += 10 * TTL_S / 2
    assert await second.acquire(KEY) is not None
    side.is_unavailable = False
    with pytest.raises(LeaseLostError, match="epoch 1"):
        await lease.confirm()
    await lease.lost.wait()
    assert await first.acquire(KEY) is None


async def test_a_holder_that_cannot_renew_for_very_long_gives_it_up(party: Party) -> None:
    first, side, clock = await party.joins("first")
    lease = await first.acquire(KEY)
    assert lease is not None
    side.is_unavailable = True
    clock.now_s += GIVE_UP_TTLS * TTL_S
    await lease.lost.wait()
    with pytest.raises(LeaseStoreUnavailableError):
        await first.acquire(KEY)
    side.is_unavailable = False
    again = await first.acquire(KEY)
    assert again is not None
    assert again.epoch == 2


async def test_a_renewal_whose_answer_is_lost_loses_nothing(party: Party) -> None:
    first, side, clock = await party.joins("first")
    lease = await first.acquire(KEY)
    assert lease is not None
    side.loses_answers = True
    await asyncio.sleep(2 * TTL_S)
    clock.now_s += TTL_S
    side.loses_answers = False
    await lease.confirm()
    assert lease.epoch == 1


async def test_a_ledger_that_was_lost_and_made_anew_loses_nothing(party: Party, ledger: FakeLeaseStore) -> None:
    first, _, clock = await party.joins("first")
    lease = await first.acquire(KEY)
    assert lease is not None
    with ledger.lock:
        ledger.values.clear()
    clock.now_s += TTL_S
    await lease.confirm()
    assert KEY in ledger.values


async def test_a_blocked_event_loop_loses_no_lease(party: Party) -> None:
    first, _, _ = await party.joins("first")
    second, _, clock = await party.joins("second")
    assert await first.acquire(KEY) is not None
    for _ in range(6):
        time.sleep(TTL_S / 2)  # noqa: ASYNC251 - the point
        clock.now_s += TTL_S / 2
    assert await second.acquire(KEY) is None


@pytest.fixture(params=["memory", "server"])
def side(request: pytest.FixtureRequest) -> LeaseStore:
    """Both ledgers."""
    if request.param == "memory":
        return FakeLeaseStore().client()
    return LeaseBucket("cad-worker", request.getfixturevalue("settings"))


async def test_ledgers_keep_what_only_who_knows_the_newest_revision_may_overwrite(
    side: LeaseStore, eventually: Eventually
) -> None:
    heard: list[tuple[str, bytes]] = []
    key = f"session.{uuid4()}.engineer"
    await side.open(lambda key, value: heard.append((key, value)), lambda: None)
    assert await side.read(key) is None
    first = await side.write(key, b"1", 0)
    with pytest.raises(LeaseHeldError):
        await side.write(key, b"2", 0)
    second = await side.write(key, b"2", first)
    with pytest.raises(LeaseHeldError):
        await side.write(key, b"3", first)
    with pytest.raises(LeaseHeldError):
        await side.erase(key, first)
    page = await side.read(key)
    assert page is not None
    assert (page.value, page.revision) == (b"2", second)
    await side.erase(key, second)
    assert await side.read(key) is None
    await side.write(key, b"4", 0)

    async def all_is_heard() -> bool:
        return {value for name, value in heard if name == key} >= {b"1", b"2", b"", b"4"}

    await eventually(all_is_heard)
    await side.close()


async def test_on_a_server_the_next_worker_takes_what_a_dead_one_held(settings: BusSettings) -> None:
    first = Leases("first", LeaseBucket("cad-worker", settings), TTL_S)
    second = Leases("second", LeaseBucket("cad-worker", settings), TTL_S)
    await first.start()
    await second.start()
    lease = await first.acquire(KEY)
    assert lease is not None
    await asyncio.sleep(2 * TTL_S)
    await lease.confirm()
    assert await second.acquire(KEY) is None
    await first.stop()  # renews no more, as if dead
    while (taken := await second.acquire(KEY)) is None:  # noqa: ASYNC110 - time has to pass
        await asyncio.sleep(TTL_S / 4)
    assert taken.epoch == 2
    await second.stop()


async def test_a_server_that_is_away_for_a_while_takes_no_lease(server: Server, settings: BusSettings) -> None:
    holder = Leases("holder", LeaseBucket("cad-worker", settings), 4 * TTL_S)
    other = Leases("other", LeaseBucket("cad-worker", settings), 4 * TTL_S)
    await holder.start()
    await other.start()
    lease = await holder.acquire(KEY)
    assert lease is not None
    assert await other.acquire(KEY) is None
    server.kill()
    await asyncio.sleep(4 * TTL_S)
    server.start()
    await lease.confirm()
    assert await other.acquire(KEY) is None
    assert not lease.lost.is_set()
    await holder.stop()
    await other.stop()


async def test_a_server_without_the_bucket_is_told_with_its_mend(raw: JetStreamContext, settings: BusSettings) -> None:
    await raw.delete_key_value(BUCKET)
    impatient = settings.model_copy(update={"bus_connect_timeout_s": 0.5})
    leases = Leases("worker", LeaseBucket("cad-worker", impatient), TTL_S)
    with pytest.raises(BusUnavailableError, match="millwright migrate"):
        await leases.start()
    await leases.stop()
