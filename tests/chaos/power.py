"""Power cuts under load: `./run chaos power [--cuts 50] [--sync-interval always] [--seed 0]`. Needs root.

NATS and Postgres keep their data on a disk that loses what was not synced. Publishers, a role with checkpoints and the
recorder work while both servers are killed and the disk loses its dirty pages. After each cut, every event that was
acknowledged before must be in the stream; at the end all must be recorded, and the role must have decided on each of
its inputs. With `--sync-interval 2m`, the server's default, the trial loses events. Exit code 1 if anything is lost.
"""

import argparse
import asyncio
import logging
import random
import sys
import time
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from local_stack.servers.nats import SYNC_ALWAYS

from tests.chaos.power_load import PowerLoad, started_load
from tests.chaos.power_servers import PowerServers, started_on
from tests.chaos.volatile_disk import VolatileDisk, is_possible
from tests.support.measurements import setting

SHORTEST_S, LONGEST_S = 0.5, 4.0
"""Between the servers' return and the next cut."""


def main() -> int:
    """Cut, then print what was lost."""
    parser = argparse.ArgumentParser(description="Cuts the power of NATS and Postgres under load.")
    parser.add_argument("--cuts", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0, help="of the times between cuts")
    parser.add_argument("--sync-interval", default=SYNC_ALWAYS, help="of NATS; its own default is 2m")
    arguments = parser.parse_args()
    if not is_possible():
        print("run `./run chaos power` as root, with loop devices: it mounts a file system", file=sys.stderr)
        return 2
    home = Path(mkdtemp(prefix="millwright-power-"))
    home.chmod(0o755)  # Postgres has an account of its own
    logging.basicConfig(filename=home / "services.log", level=logging.INFO)
    with VolatileDisk(home) as disk:
        exit_code = asyncio.run(_try(arguments, disk, home))
    if exit_code:
        print(f"logs are in {home}", file=sys.stderr)
    else:
        rmtree(home)
    return exit_code


async def _try(arguments: argparse.Namespace, disk: VolatileDisk, home: Path) -> int:
    print(f"# Power cuts under load\n\n{setting()}")
    print(f"- {arguments.cuts} cuts, seed {arguments.seed}, sync_interval {arguments.sync_interval}\n", flush=True)
    async with started_on(disk, home, arguments.sync_interval) as servers, started_load(servers) as load:
        losing = await cut_under_load(servers, load, arguments.cuts, random.Random(arguments.seed))
        unanswered, unrecorded = await load.unanswered(), await load.unrecorded()
    print(f"{len(load.acknowledged)} events acknowledged, {len(load.lost)} of them lost, in {losing} of the cuts;")
    print(f"{unanswered} inputs of the role without a decision, {unrecorded} events not recorded")
    return 1 if load.lost or unanswered or unrecorded else 0


async def cut_under_load(servers: PowerServers, load: PowerLoad, cuts: int, dice: random.Random) -> int:
    """Cut the power so often; return how many cuts lost something."""
    losing = 0
    async with load.publishing():
        for number in range(1, cuts + 1):
            await asyncio.sleep(dice.uniform(SHORTEST_S, LONGEST_S))
            began_s = time.monotonic()
            await servers.cut()
            lost = await load.audit()
            losing += bool(lost)
            counts = f"{len(load.acknowledged)} acknowledged, {lost} lost"
            print(f"cut {number}: {counts}, {time.monotonic() - began_s:.1f} s", file=sys.stderr, flush=True)
    return losing


if __name__ == "__main__":
    sys.exit(main())
