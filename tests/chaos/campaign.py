"""Random kills under load: `./run chaos campaign [--minutes 30] [--seed 0] [--pause-s 10]`.

Servers and two replicas of every service are processes, restarted by a supervisor. Two runs of the offline expert, with
small films, are always under way. First nothing is killed for `--quiet-minutes`; then random processes are killed with
-9. Then the runs under way may end undisturbed, and all are audited: each must have succeeded, once, with every event
in the stream and in Postgres. Nothing may be left of them: no thread, lease or message in hand. Prints Markdown, and
progress to stderr. Exit code 1 if a run was lost, something occurs twice, an event was not recorded, or something is
left.

Time to resume: from a kill until each run then under way publishes its next event, whether or not it needs the killed
process; further kills in between count. The row "nothing" has the same times from random moments before the first kill:
how long steps take anyway.
"""

import argparse
import asyncio
import logging
import os
import random
import sys
import time
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from local_stack.servers.server_stack import ALL
from local_stack.services import EMBEDDED, WORKERS

from tests.chaos.leftovers import settled_leftovers
from tests.chaos.random_kills import NOTHING, Killer, ResumeTimes
from tests.chaos.run_load import RunLoad
from tests.support.clusters.cluster import Client, Cluster, ModuleProcess, RestartingSupervisor, start_cluster
from tests.support.measurements import setting

REPLICAS = 2
PROGRESS_S = 15.0
WARM_UP_S = 10.0
"""Before the first kill, so that all runs are under way."""
SLOWEST = 10
"""How many of the longest times are shown with the events around them."""
FILM = {"SIM_VIDEO_WIDTH": "160", "SIM_VIDEO_HEIGHT": "120"}
SERVICES = (*EMBEDDED, *WORKERS)


def main() -> int:
    """Kill, then print the audit."""
    parser = argparse.ArgumentParser(description="Kills random processes under load.")
    parser.add_argument("--minutes", type=float, default=30.0, help="duration of the kills")
    parser.add_argument("--quiet-minutes", type=float, default=2.0, help="duration of the comparison before them")
    parser.add_argument("--seed", type=int, default=0, help="of victims and pauses")
    parser.add_argument("--pause-s", type=float, default=10.0, help="mean time between two kills")
    parser.add_argument("--at-once", type=int, default=2, help="number of runs under way")
    arguments = parser.parse_args()
    folder = Path(mkdtemp(prefix="millwright-chaos-"))
    exit_code = asyncio.run(_campaign(arguments, folder))
    if exit_code:
        _progress(f"data and logs are in {folder}")
    else:
        rmtree(folder)
    return exit_code


async def _campaign(arguments: argparse.Namespace, folder: Path) -> int:
    print(f"# Random kills under load\n\n{setting()}", flush=True)
    print(f"- seed {arguments.seed}, {arguments.minutes:g} minutes, a kill every {arguments.pause_s:g} s on average,")
    print(f"  {arguments.at_once} runs at once, {REPLICAS} replicas of every service\n", flush=True)
    _progress(f"data and logs in {folder}")
    log_format = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    logging.basicConfig(filename=folder / "campaign.log", level=logging.INFO, format=log_format)
    async with start_cluster(folder, supervisor=RestartingSupervisor()) as cluster:
        processes = _replicas(cluster, folder / "logs")
        async with cluster.run(processes, restarts=True), Client(cluster.endpoints) as client:
            victims = (*(each.name for each in processes), *ALL)
            killer = Killer(cluster.supervisor, victims, random.Random(arguments.seed), arguments.pause_s)
            times = ResumeTimes(killer.kills)
            load = RunLoad(client, times.take)
            took_s = await _kill_under_load(killer, load, arguments)
            is_clean = _report(killer, load, times, took_s)
            left = await settled_leftovers(cluster.endpoints, client)
            print(f"\n{len(left)} things left" + "".join(f"\n- left: {each}" for each in left))
            return 0 if is_clean and not left else 1


def _replicas(cluster: Cluster, logs: Path) -> list[ModuleProcess]:
    logs.mkdir(exist_ok=True)
    environment = cluster.environment({"BUS_DRAIN_S": "1", **FILM})
    return [
        ModuleProcess(f"{name}-{number}", name.replace("-", "_"), environment, logs / f"{name}-{number}.log")
        for name in SERVICES
        for number in range(1, REPLICAS + 1)
    ]


async def _kill_under_load(killer: Killer, load: RunLoad, arguments: argparse.Namespace) -> float:
    """Return how many seconds it took until all runs had ended and were audited."""
    started_s = time.monotonic()
    running = asyncio.create_task(load.keep_running(arguments.at_once))
    reporting = asyncio.create_task(_report_progress(killer, load, started_s))
    await asyncio.sleep(WARM_UP_S)
    await killer.kill_for(60 * arguments.quiet_minutes, load.in_flight, only=NOTHING)
    await killer.kill_for(60 * arguments.minutes, load.in_flight)
    load.is_closing = True
    _progress("no more kills; the runs under way may end undisturbed")
    await running
    reporting.cancel()
    return time.monotonic() - started_s


def _report(killer: Killer, load: RunLoad, times: ResumeTimes, seconds: float) -> bool:
    """Print the figures and return whether every run is complete, once."""
    lost = [audit for audit in load.audits if audit.lost]
    doubled = [audit for audit in load.audits if audit.duplicates]
    unrecorded = sum(audit.unrecorded for audit in load.audits)
    events = sum(audit.events for audit in load.audits)
    kills = sum(kill.victim != NOTHING for kill in killer.kills)
    print(f"{kills} kills, {len(load.audits)} runs finished, {len(lost)} lost, {len(doubled)} doubled;")
    print(f"{events} events, {unrecorded} of them not both in the stream and in Postgres")
    print(f"{seconds:.0f} s, load average at the end {os.getloadavg()[0]:.1f}\n")
    print(times.markdown(_victims_by_name()))
    print("\nResumed: from a kill until the next event of each run then under way; further kills count. The slowest:\n")
    print("\n".join(f"- {line}" for line in times.slowest(SLOWEST)), flush=True)
    for audit in (*lost, *doubled):
        for problem in (*audit.lost, *audit.duplicates):
            print(f"\n- {audit.name}, {audit.run_id}: {problem}")
    return not (lost or doubled or unrecorded)


def _victims_by_name() -> dict[str, list[str]]:
    """Return the processes of each row of the table."""
    replicas = {name: [f"{name}-{number}" for number in range(1, REPLICAS + 1)] for name in SERVICES}
    servers = {name: [name] for name in ALL}
    every = [victim for victims in (replicas | servers).values() for victim in victims]
    return {NOTHING: [NOTHING]} | replicas | servers | {"all": every}


async def _report_progress(killer: Killer, load: RunLoad, started_s: float) -> None:
    while True:
        await asyncio.sleep(PROGRESS_S)
        running = ", ".join(f"{str(run_id)[:8]} {load.age_s(run_id):.0f} s" for run_id in load.in_flight)
        wrong = sum(not audit.is_clean for audit in load.audits)
        counts = f"{len(killer.kills)} kills, {load.ended} runs ended, {len(load.audits)} audited, {wrong} wrong"
        _progress(f"{time.monotonic() - started_s:5.0f} s: {counts}; under way: {running or 'none'}")


def _progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
