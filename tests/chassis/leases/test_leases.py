"""Leases: on a store in memory with clocks moved by the test, and on a server."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
import threading
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from uuid import uuid4

import pytest
from chassis.errors import BusUnavailableError, LeaseLostError
from chassis.leases.bucket import BUCKET, LeaseBucket
from chassis.leases.lease import (
    GIVE_UP_TTLS,
    TAKEOVER_TTLS,
    Lease,
    LeaseHeldError,
    LeaseRecord,
    Leases,
    LeaseStore,
    LeaseStoreUnavailableError,
)
from chassis.settings import BusSettings
from chassis.testing import FakeLeaseClient, FakeLeaseStore
from nats.js import JetStreamContext

from tests.chassis.fixture_types import Eventually
from tests.support.clusters.cluster import started
from tests.support.clusters.nats_server import NatsServer
from tests.support.manual_clock import ManualClock

TTL_S = 0.2
KEY = "session.a.engineer"


@pytest.fixture
def store() -> FakeLeaseStore:
    return FakeLeaseStore()


class Processes:
    """Processes that acquire leases, each with its client of the store and its own clock."""

    def __init__(self, store: FakeLeaseStore, stack: AsyncExitStack) -> None:
        self._store = store
        self._stack = stack

    async def add(self, name: str) -> tuple[Leases, FakeLeaseClient, ManualClock]:
        client, clock = self._store.client(), ManualClock()
        leases = Leases(name, client, TTL_S, clock)
        await leases.start()
        self._stack.push_async_callback(leases.stop)
        return leases, client, clock


@pytest.fixture
async def processes(store: FakeLeaseStore) -> AsyncIterator[Processes]:
    async with AsyncExitStack() as stack:
        yield Processes(store, stack)


async def test_one_of_many_processes_acquires_a_lease(processes: Processes) -> None:
    all_leases = [(await processes.add(f"worker {number}"))[0] for number in range(5)]
    taken = await asyncio.gather(*(each.acquire(KEY) for each in all_leases))
    (lease,) = [each for each in taken if each is not None]
    assert lease.epoch == 1
    await lease.confirm()


async def test_holder_acquires_the_same_lease_again(processes: Processes) -> None:
    leases, _, _ = await processes.add("worker")
    first, second = await asyncio.gather(leases.acquire(KEY), leases.acquire(KEY))
    assert first is second is not None


async def test_lease_without_renewal_is_taken_under_a_larger_epoch(processes: Processes) -> None:
    first, client, _ = await processes.add("first")
    second, _, clock = await processes.add("second")
    assert await first.acquire(KEY) is not None
    assert await second.acquire(KEY) is None
    client.is_unavailable = True
    clock.now_s += TAKEOVER_TTLS * TTL_S * 0.9
    assert await second.acquire(KEY) is None
    clock.now_s += TAKEOVER_TTLS * TTL_S * 0.2
    taken = await second.acquire(KEY)
    assert taken is not None
    assert taken.epoch == 2


async def test_takeover_from_a_silent_holder_is_noted_and_no_other(processes: Processes, store: FakeLeaseStore) -> None:
    noted: list[str] = []
    clock = ManualClock()
    next_holder = Leases("next", store.client(), TTL_S, clock, lambda: noted.append("taken"))
    first, client, _ = await processes.add("first")
    async with started(next_holder):
        released = await first.acquire("released")
        assert released is not None
        await first.release(released)
        assert await next_holder.acquire("released") is not None
        assert await next_holder.acquire("new") is not None
        assert noted == []
        assert await first.acquire(KEY) is not None
        assert await next_holder.acquire(KEY) is None
        client.is_unavailable = True
        clock.now_s += TAKEOVER_TTLS * TTL_S * 1.1
        assert await next_holder.acquire(KEY) is not None
    assert noted == ["taken"]


async def test_surprise_with_one_lease_costs_no_other(processes: Processes) -> None:
    leases, client, clock = await processes.add("worker")
    other, _, _ = await processes.add("other")
    broken, healthy = await leases.acquire(KEY), await leases.acquire("healthy")
    assert broken is not None
    assert healthy is not None
    client.surprises.add(KEY)
    revision = healthy.revision
    async with asyncio.timeout(120):
        while healthy.revision <= revision + 2:  # noqa: ASYNC110 - another thread renews it
            await asyncio.sleep(0.01)
    assert not healthy.is_over
    clock.now_s += GIVE_UP_TTLS * TTL_S
    with pytest.raises(LeaseLostError):
        await broken.confirm()
    assert await other.acquire("free") is not None


async def test_lease_that_the_renewing_thread_forgot_is_given_up_by_its_holder() -> None:
    clock = [0.0]
    record = LeaseRecord(holder="worker", epoch=1)
    lease = Lease(KEY, record, 1, 0.0, TTL_S, lambda: clock[0], asyncio.get_running_loop())
    confirming = asyncio.create_task(lease.confirm())
    clock[0] = GIVE_UP_TTLS * TTL_S
    with pytest.raises(LeaseLostError):
        await asyncio.wait_for(confirming, timeout=5)
    await asyncio.wait_for(lease.lost.wait(), timeout=5)


async def test_released_lease_keeps_its_epoch_unless_erased(processes: Processes) -> None:
    first, _, _ = await processes.add("first")
    second, _, _ = await processes.add("second")
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


async def test_holder_doubts_its_lease_before_another_can_take_it(processes: Processes) -> None:
    first, client, clock = await processes.add("first")
    lease = await first.acquire(KEY)
    assert lease is not None
    client.is_unavailable = True
    clock.now_s += TTL_S
    waiting = asyncio.create_task(lease.confirm())
    await asyncio.sleep(TTL_S)
    assert not waiting.done()
    client.is_unavailable = False
    await waiting
    assert not lease.lost.is_set()


async def test_slow_answer_leaves_the_holder_less_time(processes: Processes) -> None:
    leases, client, clock = await processes.add("worker")

    def takes_long() -> None:
        clock.now_s += TTL_S

    client.on_written = takes_long
    lease = await leases.acquire(KEY)
    assert lease is not None
    assert lease.unrenewed_s >= 0.99 * TTL_S, "counted from before it was acquired"
    while lease.record.renewals < 2:  # noqa: ASYNC110 - another thread renews
        await asyncio.sleep(TTL_S / 4)
    assert lease.unrenewed_s >= 0.99 * TTL_S, "counted from before it was renewed"


async def test_renewals_are_counted_one_by_one(processes: Processes, store: FakeLeaseStore) -> None:
    leases, client, _ = await processes.add("worker")
    written: list[int] = []
    third = threading.Event()

    def keep() -> None:
        written.append(LeaseRecord.model_validate_json(store.values[KEY].value).renewals)
        if len(written) == 3:
            third.set()

    client.on_written = keep
    await leases.acquire(KEY)
    assert await asyncio.to_thread(third.wait, 30)
    assert written[:3] == [0, 1, 2]


async def test_stopped_leases_leave_no_thread_behind(store: FakeLeaseStore) -> None:
    leases = Leases("stopped worker", store.client(), TTL_S)
    await leases.start()
    assert "stopped worker renews its leases" in {thread.name for thread in threading.enumerate()}
    await leases.stop()
    assert "stopped worker renews its leases" not in {thread.name for thread in threading.enumerate()}


async def test_disconnected_holder_loses_its_lease_to_another(processes: Processes) -> None:
    first, client, clock = await processes.add("first")
    second, _, second_clock = await processes.add("second")
    lease = await first.acquire(KEY)
    assert lease is not None
    assert await second.acquire(KEY) is None
    client.is_unavailable = True
    clock.now_s += 10 * TTL_S / 2
    second_clock.now_s += 10 * TTL_S / 2
    assert await second.acquire(KEY) is not None
    client.is_unavailable = False
    with pytest.raises(LeaseLostError, match="epoch 1"):
        await lease.confirm()
    await lease.lost.wait()
    assert await first.acquire(KEY) is None


async def test_holder_that_cannot_renew_gives_its_lease_up(processes: Processes) -> None:
    first, client, clock = await processes.add("first")
    lease = await first.acquire(KEY)
    assert lease is not None
    client.is_unavailable = True
    clock.now_s += GIVE_UP_TTLS * TTL_S
    await lease.lost.wait()
    with pytest.raises(LeaseStoreUnavailableError):
        await first.acquire(KEY)
    client.is_unavailable = False
    again = await first.acquire(KEY)
    assert again is not None
    assert again.epoch == 2


async def test_renewal_whose_answer_is_lost_keeps_the_lease(processes: Processes) -> None:
    first, client, clock = await processes.add("first")
    lease = await first.acquire(KEY)
    assert lease is not None
    client.loses_answers = True
    await asyncio.sleep(2 * TTL_S)
    clock.now_s += TTL_S
    client.loses_answers = False
    await lease.confirm()
    assert lease.epoch == 1


async def test_lease_survives_the_loss_of_the_store(processes: Processes, store: FakeLeaseStore) -> None:
    first, _, clock = await processes.add("first")
    lease = await first.acquire(KEY)
    assert lease is not None
    with store.lock:
        store.values.clear()
    clock.now_s += TTL_S
    await lease.confirm()
    assert KEY in store.values


async def test_blocked_event_loop_keeps_its_lease(processes: Processes) -> None:
    first, _, _ = await processes.add("first")
    second, _, clock = await processes.add("second")
    assert await first.acquire(KEY) is not None
    for _ in range(6):
        time.sleep(TTL_S / 2)  # noqa: ASYNC251 - what the test is about
        clock.now_s += TTL_S / 2
    assert await second.acquire(KEY) is None


@pytest.fixture(params=["memory", "server"])
def lease_store(request: pytest.FixtureRequest) -> LeaseStore:
    """Both implementations."""
    if request.param == "memory":
        return FakeLeaseStore().client()
    return LeaseBucket("cad-worker", request.getfixturevalue("settings"))


async def test_store_overwrites_only_the_newest_revision(lease_store: LeaseStore, eventually: Eventually) -> None:
    changes: list[tuple[str, bytes]] = []
    key = f"session.{uuid4()}.engineer"
    await lease_store.open(lambda key, value: changes.append((key, value)), lambda: None)
    assert await lease_store.read(key) is None
    first = await lease_store.write(key, b"1", 0)
    with pytest.raises(LeaseHeldError):
        await lease_store.write(key, b"2", 0)
    second = await lease_store.write(key, b"2", first)
    with pytest.raises(LeaseHeldError):
        await lease_store.write(key, b"3", first)
    with pytest.raises(LeaseHeldError):
        await lease_store.erase(key, first)
    stored = await lease_store.read(key)
    assert stored is not None
    assert (stored.value, stored.revision) == (b"2", second)
    await lease_store.erase(key, second)
    assert await lease_store.read(key) is None
    await lease_store.write(key, b"4", 0)

    async def all_changes_are_reported() -> bool:
        return {value for name, value in changes if name == key} >= {b"1", b"2", b"", b"4"}

    await eventually(all_changes_are_reported)
    await lease_store.close()


async def test_next_worker_takes_the_lease_of_a_dead_one(settings: BusSettings) -> None:
    first = Leases("first", LeaseBucket("cad-worker", settings), TTL_S)
    second = Leases("second", LeaseBucket("cad-worker", settings), TTL_S)
    await first.start()
    await second.start()
    lease = await first.acquire(KEY)
    assert lease is not None
    await asyncio.sleep(2 * TTL_S)
    await lease.confirm()
    assert await second.acquire(KEY) is None
    await first.stop()  # without renewals, as if it had died
    while (taken := await second.acquire(KEY)) is None:  # noqa: ASYNC110 - time has to pass
        await asyncio.sleep(TTL_S / 4)
    assert taken.epoch == 2
    await second.stop()


async def test_server_restart_keeps_the_lease(server: NatsServer, settings: BusSettings) -> None:
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


async def test_start_without_the_bucket_names_the_remedy(js: JetStreamContext, settings: BusSettings) -> None:
    await js.delete_key_value(BUCKET)
    short = settings.model_copy(update={"bus_connect_timeout_s": 0.5})
    leases = Leases("worker", LeaseBucket("cad-worker", short), TTL_S)
    with pytest.raises(BusUnavailableError, match="millwright migrate"):
        await leases.start()
    await leases.stop()
