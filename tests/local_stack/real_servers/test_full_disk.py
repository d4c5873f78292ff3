"""The disk of one server gets full under a stack that is up: nothing is lost, and work resumes by itself."""

import asyncio
from pathlib import Path
from random import Random
from shutil import rmtree

import pytest
from chassis.disk_space import DiskSpace
from chassis.settings import BusSettings
from local_stack.migration import migrate_all
from local_stack.processes.supervisor import Supervisor
from local_stack.server_access import settings_from
from local_stack.servers.disk_watch import DiskWatch
from local_stack.servers.server_stack import ServerStack

from tests.chaos.operator.sequence import FULL_S, REFUSALS
from tests.chaos.operator.stack_of_data import Lost, opened
from tests.support.clusters.small_disk import fill, free_again, small_disk

DISK_MB = 500


@pytest.mark.parametrize("server", ["nats", "seaweedfs"])
async def test_work_resumes_by_itself_after_the_disk_of_one_server_was_full(server: str, tmp_path: Path) -> None:
    dice, reported = Random(0), list[str]()
    ServerStack(tmp_path / "data").start().stop()
    rmtree(tmp_path / "data" / server)
    with small_disk(tmp_path / "data" / server, DISK_MB) as disk:
        supervisor = Supervisor()
        async with ServerStack(tmp_path / "data", supervisor) as servers:
            space = DiskSpace.of(settings_from(BusSettings, servers.environment()))
            watch = DiskWatch(space, reported.append, supervisor.renew_servers)
            supervisor.is_paused = watch.is_full
            await migrate_all(servers.environment())
            async with opened(servers.environment()) as stack:
                acknowledged = [await stack.record(dice)]
                fill(disk)
                await watch.look()
                with pytest.raises((TimeoutError, *REFUSALS)):
                    async with asyncio.timeout(FULL_S):
                        await stack.record(dice)
                assert f"free on the disk of {disk}: new runs wait" in reported[-1]
                free_again(disk)
                await watch.look()
                acknowledged.append(await stack.record(dice))
                assert await stack.audit(*zip(*acknowledged, strict=True)) == Lost((), ())
        servers.erase()
    assert reported[-1] == "there is space on the disk again: new runs begin"
