"""Limits of watched children, from both sides, by what they are measured to use."""

import asyncio
import signal
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

import pytest
from sandbox import watchdog
from sandbox.disk import Size
from sandbox.usage import ResourceUsage, usage_of
from sandbox.watchdog import Allowance, Watchdog
from sandbox.zygote.client import ConfinedChild

MIB = 1 << 20
T = TypeVar("T")
MODEST = ResourceUsage(memory_mib=100.0, threads=3)


class MeasuredChild:
    """A child that is measured, and notes its signals."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.killed_for: str | None = None
        self.signals: list[int] = []
        self.exited: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def signal(self, number: int) -> None:
        self.signals.append(number)


class Machine:
    """What is measured of children, by their pids and workspaces, and of the machine. An exception is raised."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.usages: dict[int, ResourceUsage | Exception | None] = {}
        self.sizes: dict[Path, Size | Exception] = {}
        self.available_mib, self.free_disk_mib = 9000.0, 9000.0
        self.looks = {"usage": 0, "size": 0, "memory": 0}
        self.folders: set[Path] = set()
        self.most_entries: set[int] = set()
        for name in ("usage_of", "measure", "available_mib", "free_disk_mib"):
            monkeypatch.setattr(watchdog, name, getattr(self, f"_{name}"))
        monkeypatch.setattr(watchdog, "INTERVAL_S", 0.001)

    def _usage_of(self, pid: int) -> ResourceUsage | None:
        self.looks["usage"] += 1
        return _value(self.usages.get(pid, MODEST))

    def _measure(self, folder: Path, most_entries: int) -> Size:
        self.looks["size"] += 1
        self.most_entries.add(most_entries)
        return _value(self.sizes.get(folder, Size(1, MIB)))

    def _available_mib(self) -> float:
        self.looks["memory"] += 1
        return self.available_mib

    def _free_disk_mib(self, folder: Path) -> float:
        self.folders.add(folder)
        return self.free_disk_mib


def _value(found: T | Exception) -> T:
    if isinstance(found, Exception):
        raise found
    return found


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(monkeypatch)


def folder(pid: int) -> Path:
    return Path(f"/workspaces/{pid}")


async def watched(*pids: int, rounds: int = 12, allowance: Allowance | None = None) -> list[MeasuredChild]:
    """Watch children for some rounds, and return them."""
    children = [MeasuredChild(pid) for pid in pids]
    dog = Watchdog(allowance)
    for child in children:
        dog.watch(cast("ConfinedChild", child), folder(child.pid))
    await dog.start()
    for _ in range(rounds):
        await asyncio.sleep(0.004)
    await dog.stop()
    assert dog.problem is None
    return children


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (ResourceUsage(2048.0, 200), None),
        (ResourceUsage(2048.6, 1), "it held 2049 MiB of memory; at most 2048 MiB are allowed"),
        (ResourceUsage(1.0, 201), "it ran 201 threads; at most 200 are allowed"),
        (None, None),
        (ValueError("cut off"), "what it uses cannot be read: ValueError('cut off')"),
        (KeyError("Threads"), "what it uses cannot be read: KeyError('Threads')"),
    ],
)
async def test_child_may_use_its_allowance_and_no_more(
    machine: Machine, found: ResourceUsage | Exception | None, reason: str | None
) -> None:
    machine.usages[1] = found
    one, other = await watched(1, 2)
    assert (one.killed_for, other.killed_for) == (reason, None)
    assert one.signals == ([] if reason is None else [signal.SIGKILL]), "once"


@pytest.mark.parametrize(
    ("size", "reason"),
    [
        (Size(5000, 512 * MIB), None),
        (Size(1, 512 * MIB + 1), "its workspace held more than 512 MiB"),
        (Size(5001, 0), "its workspace held more than 5000 files or folders, or very deep ones"),
        (Size(1, 0, is_hidden=True), "its workspace held a folder that cannot be listed"),
    ],
)
async def test_workspace_may_hold_its_allowance_and_no_more(machine: Machine, size: Size, reason: str | None) -> None:
    machine.sizes[folder(2)] = size
    one, other = await watched(1, 2)
    assert (one.killed_for, other.killed_for) == (None, reason)
    assert machine.most_entries == {5000}


@pytest.mark.parametrize(("available_mib", "is_short"), [(256.0, False), (255.9, True)])
async def test_largest_child_makes_room_where_memory_runs_short(
    machine: Machine, available_mib: float, is_short: bool
) -> None:
    machine.available_mib = available_mib
    machine.usages |= {2: ResourceUsage(700.4, 3), 3: ResourceUsage(300.0, 9)}
    children = await watched(1, 2, 3)
    reason = f"there were {available_mib:.0f} MiB left, and it held 700 MiB, more than any other" if is_short else None
    assert [child.killed_for for child in children] == [None, reason, None], "not the next one, while it dies"


@pytest.mark.parametrize(
    ("free_mib", "held_mib", "is_killed"),
    [(256.0, 300, False), (255.0, 300, True), (255.0, 16, True), (255.0, 15, False)],
)
async def test_largest_workspace_makes_room_where_the_disk_runs_short(
    machine: Machine, free_mib: float, held_mib: int, is_killed: bool
) -> None:
    machine.free_disk_mib = free_mib
    machine.sizes |= {folder(1): Size(1, (held_mib - 1) * MIB), folder(2): Size(1, held_mib * MIB)}
    one, other = await watched(1, 2)
    text = f"there were {free_mib:.0f} MiB of disk left, and its workspace held {held_mib} MiB, more than any other"
    assert (one.killed_for, other.killed_for) == (None, text if is_killed else None)
    assert machine.folders == {Path("/workspaces")}


async def test_own_excess_is_the_reason_before_a_shortage(machine: Machine) -> None:
    machine.available_mib = machine.free_disk_mib = 1.0
    machine.usages[1] = ResourceUsage(3000.0, 3)
    machine.sizes[folder(1)] = Size(1, 600 * MIB)
    (child,) = await watched(1, allowance=Allowance(memory_mib=200))
    assert child.killed_for == "it held 3000 MiB of memory; at most 200 MiB are allowed"


async def test_disk_is_looked_at_in_every_fifth_round(machine: Machine) -> None:
    await watched(1, rounds=40)
    assert machine.looks["memory"] >= machine.looks["size"] - 1 >= 1  # the last round may be cut off between the two
    assert machine.looks["usage"] // 5 - 1 <= machine.looks["size"] <= machine.looks["usage"] // 5 + 1


async def test_child_that_has_ended_is_not_watched_any_more(machine: Machine) -> None:
    child, dog = MeasuredChild(1), Watchdog()
    dog.watch(cast("ConfinedChild", child), folder(1))
    child.exited.set_result(0)
    await asyncio.sleep(0)
    machine.usages[1] = ResourceUsage(9000.0, 3)
    await dog.start()
    await asyncio.sleep(0.05)
    await dog.stop()
    assert (child.killed_for, machine.looks["usage"]) == (None, 0)


def failing(times: int, error: Exception) -> Callable[[], float]:
    """Return a measurement that fails so many times, and is fine then."""
    left = iter([error] * times)

    def measured() -> float:
        found = next(left, None)
        if found is not None:
            raise found
        return 9000.0

    return measured


@pytest.mark.parametrize("error", [OSError("busy"), ValueError("odd"), LookupError("gone")])
async def test_measurement_may_fail_nine_times_in_a_row(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """Not ten times: then none can be watched any more, and all are killed."""
    monkeypatch.setattr(watchdog, "_ROUNDS_PER_FULL_LOOK", 1)
    for times, is_fatal in ((9, False), (10, True)):
        monkeypatch.setattr(watchdog, "available_mib", failing(times, error))
        child, dog = MeasuredChild(1), Watchdog()
        dog.watch(cast("ConfinedChild", child), folder(1))
        await dog.start()
        await asyncio.sleep(0.3)
        text = f"the watchdog has ended: {error!r}; restart the worker"
        assert dog.problem == child.killed_for == (text if is_fatal else None)
        if is_fatal:
            assert await asyncio.wait_for(dog.failure(), 5) == text
        await dog.stop()
    assert machine.looks["usage"] > 9


async def test_failures_count_in_a_row_only(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog, "_ROUNDS_PER_FULL_LOOK", 1)
    calls = 0

    def available_mib() -> float:
        nonlocal calls
        calls += 1
        if calls % 6:
            raise OSError("busy")
        return 9000.0

    monkeypatch.setattr(watchdog, "available_mib", available_mib)
    (child,) = await watched(1, rounds=60)
    assert calls > 12
    assert child.killed_for is None
    assert machine.looks["usage"] >= calls


async def test_unexpected_error_ends_the_watchdog_at_once(machine: Machine) -> None:
    machine.usages[1] = RuntimeError("surprise")
    children, dog = [MeasuredChild(1), MeasuredChild(2)], Watchdog()
    for child in children:
        dog.watch(cast("ConfinedChild", child), folder(child.pid))
    await dog.start()
    assert "surprise" in await asyncio.wait_for(dog.failure(), 5)
    assert [child.signals for child in children] == [[signal.SIGKILL]] * 2
    await dog.stop()


async def test_stopped_watchdog_states_that_it_was_stopped() -> None:
    dog = Watchdog()
    await dog.start()
    failure = asyncio.create_task(dog.failure())
    await asyncio.sleep(0)
    await dog.stop()
    assert await asyncio.wait_for(failure, 5) == "the watchdog was stopped"
    await dog.stop()


def test_use_is_read_from_the_fields_of_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name may hold any byte but a line feed; what is shared with others does not count."""
    texts = {
        "/proc/7/status": (
            b"Name:\tRssAnon: 9\xff\nThreads:\t12\nRssAnon:\t    1024 kB\nRssFile:\t 99999 kB\nRssShmem:\t 512 kB\n"
            b"VmPTE:\t  256 kB\nVmRSS:\t 88888 kB\n"
        ),
        "/proc/8/status": b"Name:\tzombie\nThreads:\t1\n",
    }

    def read(path: Path) -> bytes:
        if str(path) not in texts:
            raise ProcessLookupError
        return texts[str(path)]

    monkeypatch.setattr(Path, "read_bytes", read)
    assert usage_of(7) == ResourceUsage(memory_mib=1.75, threads=12)
    assert usage_of(8) is None
    assert usage_of(9) is None
    texts["/proc/7/status"] = b"Name:\tx\nRssAnon:\t 1 kB\nRssShmem:\t 1 kB\nVmPTE:\t 1 kB\n"
    with pytest.raises(LookupError):
        usage_of(7)
