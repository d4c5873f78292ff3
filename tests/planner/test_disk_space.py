"""New runs wait while a disk of the servers is almost full, and begin by themselves afterwards."""

from pathlib import Path
from typing import ClassVar

import pytest
from chassis.disk_space import DiskSpace
from chassis.errors import DiskSpaceError
from chassis.settings import BusSettings
from chassis.testing import FakeBus
from contracts.events.run import EngineeringQueued, EngineeringRequested, EngineeringStarted
from local_stack.servers.disk_watch import FULL_BYTES, RENEWED_BYTES, DiskWatch
from planner.admission import Admission

from tests.agent.role_harness import engineering_requested

MB = 1 << 20


class ChangingDisk(DiskSpace):
    """A disk whose free space a test sets."""

    free: ClassVar[list[int]] = [2000 * MB]

    def least(self) -> tuple[int, Path] | None:
        return self.free[0], Path("/data")


@pytest.fixture
def disk() -> ChangingDisk:
    ChangingDisk.free[0] = 2000 * MB
    return ChangingDisk((), 300 * MB)


def test_space_below_the_reserve_is_named_with_the_disk(tmp_path: Path) -> None:
    settings = BusSettings.model_validate({"disk_folders": f"{tmp_path}:/nowhere", "disk_reserve_mb": 1 << 40})
    space = DiskSpace.of(settings)
    assert f"MB are free on the disk of {tmp_path}" in (space.problem() or "")
    with pytest.raises(DiskSpaceError, match="new runs wait"):
        space.require()
    assert DiskSpace.of(BusSettings()).problem() is None


async def test_new_run_waits_while_the_disk_is_almost_full_and_begins_by_itself(disk: ChangingDisk) -> None:
    bus, request = FakeBus(), engineering_requested()
    admission = Admission(bus, 2, disk)
    await bus.publish(request)
    disk.free[0] = 200 * MB
    (queued,) = await admission.enqueue(request)
    await admission.resume()
    assert [isinstance(queued, EngineeringQueued), *map(type, bus.events)] == [True, EngineeringRequested]
    disk.free[0] = 2000 * MB
    await admission.resume()
    assert [type(event) for event in bus.events] == [EngineeringRequested, EngineeringStarted]


async def test_watch_warns_and_restarts_servers_once_there_is_space_after_a_full_disk(disk: ChangingDisk) -> None:
    lines: list[str] = []
    renewed: list[int] = []

    async def renew() -> None:
        renewed.append(disk.free[0])

    watch = DiskWatch(disk, lines.append, renew)
    for free in (900 * MB, 200 * MB, FULL_BYTES - 1, FULL_BYTES + 1, RENEWED_BYTES + 1, 2000 * MB):
        disk.free[0] = free
        await watch.look()
    assert renewed == [RENEWED_BYTES + 1]
    assert ["below 300 MB new runs wait" in lines[0], "new runs wait for 300 MB" in lines[1]] == [True, True]
    assert lines[2:] == ["there is space on the disk again: new runs begin"]
