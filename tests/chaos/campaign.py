"""Random kills under load: `./run chaos campaign --minutes 20 [--seed 0] [--pause-s 5] [--ack-wait-s 10]`.

Servers and services are processes, restarted by a supervisor. Four runs of the offline expert are always under way
while random processes are killed with -9. Then the runs under way may end undisturbed, and all are audited: each must
have succeeded, once, with every event in the stream and in Postgres. Prints Markdown, and progress to stderr. Exit code
1 if a run was lost, something occurs twice, or an event was not recorded.

Time to resume: from a kill until each run then under way publishes its next event, whether or not it needs the killed
process; further kills in between count.
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

from local_stack.servers.server_stack import ALL
from local_stack.services import EMBEDDED, WORKERS, ServiceProcess

from tests.chaos.random_kills import Killer, ResumeTimes
from tests.chaos.run_load import RunLoad
from tests.support.clusters.cluster import Client, RestartingSupervisor, start_cluster
from tests.support.measurements import setting

AT_ONCE = 4
PROGRESS_S = 15.0
WARM_UP_S = 10.0
"""Before the first kill, so that all runs are under way."""
VICTIMS = (*EMBEDDED, *WORKERS, *ALL)


def main() -> int:
    """Kill, then print the audit."""
    parser = argparse.ArgumentParser(description="Kills random processes under load.")
    parser.add_argument("--minutes", type=float, default=20.0, help="duration of the kills")
    parser.add_argument("--seed", type=int, default=0, help="of victims and pauses")
    parser.add_argument("--pause-s", type=float, default=5.0, help="mean time between two kills")
    parser.add_argument("--ack-wait-s", type=float, default=10.0, help="BUS_ACK_WAIT_S of all services")
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
    print(f"  {AT_ONCE} runs at once, BUS_ACK_WAIT_S={arguments.ack_wait_s:g}\n", flush=True)
    _progress(f"data and logs in {folder}")
    log_format = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    logging.basicConfig(filename=folder / "campaign.log", level=logging.INFO, format=log_format)
    async with start_cluster(folder, supervisor=RestartingSupervisor()) as cluster:
        environment = cluster.environment({"BUS_ACK_WAIT_S": str(arguments.ack_wait_s), "BUS_DRAIN_S": "1"})
        services = [ServiceProcess(name, environment, folder / "logs") for name in (*EMBEDDED, *WORKERS)]
        async with cluster.run(services, restarts=True), Client(cluster.endpoints) as client:
            dice = random.Random(arguments.seed)
            killer = Killer(cluster.supervisor, VICTIMS, dice, arguments.pause_s)
            return await _kill_under_load(killer, client, arguments.minutes)


async def _kill_under_load(killer: Killer, client: Client, minutes: float) -> int:
    times = ResumeTimes(killer.kills)
    load = RunLoad(client, times.take)
    started_s = time.monotonic()
    running = asyncio.create_task(load.keep_running(AT_ONCE))
    reporting = asyncio.create_task(_report_progress(killer, load, started_s))
    await asyncio.sleep(WARM_UP_S)
    await killer.kill_for(60 * minutes, load.in_flight)
    load.is_closing = True
    _progress("no more kills; the runs under way may end undisturbed")
    await running
    reporting.cancel()
    return _report(killer, load, times, time.monotonic() - started_s)


def _report(killer: Killer, load: RunLoad, times: ResumeTimes, seconds: float) -> int:
    lost = [audit for audit in load.audits if audit.lost]
    doubled = [audit for audit in load.audits if audit.duplicates]
    unrecorded = sum(audit.unrecorded for audit in load.audits)
    events = sum(audit.events for audit in load.audits)
    print(f"{len(killer.kills)} kills, {len(load.audits)} runs finished, {len(lost)} lost, {len(doubled)} doubled;")
    print(f"{events} events, {unrecorded} of them not both in the stream and in Postgres; {seconds:.0f} s\n")
    print(times.markdown(killer.victims))
    print("\nResumed: from a kill until the next event of each run then under way; further kills count.")
    for audit in (*lost, *doubled):
        for problem in (*audit.lost, *audit.duplicates):
            print(f"\n- {audit.name}, {audit.run_id}: {problem}")
    return 1 if lost or doubled or unrecorded else 0


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
