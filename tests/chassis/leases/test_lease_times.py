"""When a lease is doubted, taken and given up, to the very second, on clocks that the test moves."""

import asyncio
from collections.abc import Callable

import pytest
from chassis.errors import LeaseLostError
from chassis.leases.bucket import bucket_config
from chassis.leases.lease import Lease, LeaseRecord, Leases, OnChange
from chassis.testing import FakeLeaseClient, FakeLeaseStore
from pydantic import ValidationError

from tests.support.clusters.cluster import started
from tests.support.manual_clock import ManualClock

TTL_S = 4.0
"""Exact in binary numbers, as are its multiples here; nothing is renewed for a second."""
KEY = "session.a.engineer"


class SilentClient(FakeLeaseClient):
    """A client that is not notified of writes."""

    def __init__(self, store: FakeLeaseStore) -> None:
        super().__init__(store)
        self.reconnect: Callable[[], None] = lambda: None

    async def open(self, on_change: OnChange, on_reconnect: Callable[[], None]) -> None:
        await super().open(lambda _, __: None, on_reconnect)
        self.reconnect = on_reconnect


async def hold(store: FakeLeaseStore, key: str = KEY) -> None:
    """Let a process take a lease that it never renews."""
    record = LeaseRecord(holder="first", epoch=3)
    await FakeLeaseClient(store).write(key, record.data, 0)


@pytest.mark.parametrize(("waited_s", "is_free"), [(4.875, False), (5.0, True), (5.125, True)])
@pytest.mark.parametrize("client_class", [FakeLeaseClient, SilentClient])
async def test_lease_is_taken_after_one_and_a_quarter_times_its_life(
    client_class: type[FakeLeaseClient], waited_s: float, is_free: bool
) -> None:
    """Counted from the moment at which it was first seen."""
    store, clock = FakeLeaseStore(), ManualClock()
    leases = Leases("second", client_class(store), TTL_S, clock)
    async with started(leases):
        await hold(store)
        clock.now_s = 100.0
        assert await leases.acquire(KEY) is None
        clock.now_s = 100.0 + waited_s
        taken = await leases.acquire(KEY)
    assert (taken is not None) is is_free
    if taken is not None:
        assert (taken.epoch, taken.renewed_s) == (4, 100.0 + waited_s)


async def test_reconnect_begins_to_count_again() -> None:
    store, clock = FakeLeaseStore(), ManualClock()
    client = SilentClient(store)
    leases = Leases("second", client, TTL_S, clock)
    async with started(leases):
        await hold(store)
        await hold(store, "other")
        assert await leases.acquire(KEY) is None
        assert await leases.acquire("other") is None
        clock.now_s = 5.0
        client.reconnect()
        assert await leases.acquire(KEY) is None
        assert await leases.acquire("other") is None
        clock.now_s = 10.0
        assert await leases.acquire(KEY) is not None


async def test_renewal_of_another_begins_to_count_again() -> None:
    store, clock = FakeLeaseStore(), ManualClock()
    leases = Leases("second", SilentClient(store), TTL_S, clock)
    async with started(leases):
        await hold(store)
        assert await leases.acquire(KEY) is None
        clock.now_s = 4.5
        renewed = LeaseRecord(holder="first", epoch=3, renewals=1)
        await FakeLeaseClient(store).write(KEY, renewed.data, store.values[KEY].revision)
        assert await leases.acquire(KEY) is None
        clock.now_s = 9.0
        assert await leases.acquire(KEY) is None
        clock.now_s = 9.5
        assert await leases.acquire(KEY) is not None


async def test_lease_that_is_released_is_free_at_once_and_one_that_is_erased_is_new() -> None:
    store, clock = FakeLeaseStore(), ManualClock()
    noted: list[str] = []
    leases = Leases("second", SilentClient(store), TTL_S, clock, lambda: noted.append("taken"))
    released = LeaseRecord(holder="first", epoch=3, is_released=True)
    await FakeLeaseClient(store).write(KEY, released.data, 0)
    async with started(leases):
        taken = await leases.acquire(KEY)
        new = await leases.acquire("new")
    assert taken is not None
    assert new is not None
    assert (taken.epoch, new.epoch, noted) == (4, 1, [])


@pytest.mark.parametrize(("unrenewed_s", "is_doubted"), [(3.875, False), (4.0, True), (31.875, True)])
async def test_lease_is_doubted_from_its_life_on(unrenewed_s: float, is_doubted: bool) -> None:
    clock = ManualClock()
    record = LeaseRecord(holder="worker", epoch=7)
    lease = Lease(KEY, record, 1, 100.0, TTL_S, clock, asyncio.get_running_loop())
    clock.now_s = 100.0 + unrenewed_s
    assert lease.unrenewed_s == unrenewed_s
    confirming = asyncio.create_task(lease.confirm())
    await asyncio.sleep(0.12)
    assert confirming.done() is not is_doubted
    assert not lease.is_over
    lease.renewed_s = clock.now_s
    await asyncio.wait_for(confirming, 5)


async def test_lease_is_given_up_after_eight_times_its_life() -> None:
    clock = ManualClock()
    lease = Lease(KEY, LeaseRecord(holder="worker", epoch=7), 1, 100.0, TTL_S, clock, asyncio.get_running_loop())
    clock.now_s = 131.875
    assert not lease.is_given_up
    clock.now_s = 132.0
    assert lease.is_given_up
    with pytest.raises(LeaseLostError, match=r"session\.a\.engineer is no longer held by this process \(epoch 7\)"):
        await lease.confirm()
    assert lease.is_over
    await asyncio.wait_for(lease.lost.wait(), 5)


def test_record_of_a_lease_does_not_change() -> None:
    record = LeaseRecord(holder="worker", epoch=1)
    assert (record.renewals, record.is_released) == (0, False)
    with pytest.raises(ValidationError):
        record.epoch = 2  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(ValidationError):
        LeaseRecord(holder="worker", epoch=0)


def test_server_remembers_a_lease_for_a_week() -> None:
    assert bucket_config().max_age == 604_800
