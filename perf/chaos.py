"""Everybody dies, again and again: `python -m perf.chaos --minutes 20 [--seed 0] [--pause-s 5] [--ack-wait-s 10]`.

Servers and services are processes of their own, started again by a supervisor. Four runs of the offline expert are
always under way while random ones of them are killed with -9. Then the runs under way may end in peace, and all are
audited: each must have succeeded, once, with every event in the stream and in Postgres. Prints Markdown, and what
happens meanwhile to stderr. Exit code 1 when a run was lost, something stands twice, or an event was not recorded.

Time to resume: from a kill until each run that was then under way says its next event, needed or not whoever was
killed; further kills in between count in.
"""

import argparse
import asyncio
import logging
import random
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from uuid import UUID

from perf.campaign.house import House, house
from perf.campaign.killing import Killer, Pulse
from perf.campaign.ordering import Runs
from perf.messages.timing import setting

AT_ONCE = 4
TELL_EVERY_S = 15.0
WARM_UP_S = 10.0
"""Before the first kill, so that all runs are under way."""


@dataclass(frozen=True)
class Wish:
    """What is wanted."""

    minutes: float
    seed: int
    pause_s: float
    ack_wait_s: float


def main() -> int:
    """Kill, then print the account."""
    parser = argparse.ArgumentParser(description="Kills random processes while runs go on.")
    parser.add_argument("--minutes", type=float, default=20.0, help="how long somebody is killed")
    parser.add_argument("--seed", type=int, default=0, help="of who dies when")
    parser.add_argument("--pause-s", type=float, default=5.0, help="between two kills, in the mean")
    parser.add_argument("--ack-wait-s", type=float, default=10.0, help="BUS_ACK_WAIT_S of all services")
    wish = Wish(**vars(parser.parse_args()))
    return asyncio.run(_campaign(wish))


async def _campaign(wish: Wish) -> int:
    folder = Path(mkdtemp(prefix="millwright-chaos-"))
    wrong = await _killing(wish, folder)
    if wrong:
        _tell(f"data and logs stay in {folder}")
    else:
        rmtree(folder)
    return wrong


async def _killing(wish: Wish, folder: Path) -> int:
    print(f"# Everybody dies\n\n{setting()}", flush=True)
    print(f"- seed {wish.seed}, {wish.minutes:g} minutes, a kill every {wish.pause_s:g} s in the mean,", end=" ")
    print(f"{AT_ONCE} runs at once, BUS_ACK_WAIT_S={wish.ack_wait_s:g}\n", flush=True)
    _tell(f"data and logs in {folder}")
    form = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    logging.basicConfig(filename=folder / "campaign.log", level=logging.INFO, format=form)
    async with house(folder, {"BUS_ACK_WAIT_S": str(wish.ack_wait_s), "BUS_DRAIN_S": "1"}) as home:
        killer = Killer(home, random.Random(wish.seed), wish.pause_s)  # noqa: S311 - dice, no secret
        pulse = Pulse(killer.kills)
        runs = Runs(home, pulse.take)
        begun_s = time.monotonic()
        flying = asyncio.create_task(runs.keep_flying(AT_ONCE))
        telling = asyncio.create_task(_tell_now_and_then(killer, runs, begun_s))
        await asyncio.sleep(WARM_UP_S)
        await killer.go_round(60 * wish.minutes, runs.in_flight)
        runs.is_closing = True
        _tell("no more kills; the runs under way may end in peace")
        await flying
        telling.cancel()
        return _account(home, killer, runs, pulse, time.monotonic() - begun_s)


def _account(home: House, killer: Killer, runs: Runs, pulse: Pulse, seconds: float) -> int:
    lost = [account for account in runs.audits if account.lost]
    doubled = [account for account in runs.audits if account.doubled]
    unrecorded = sum(account.unrecorded for account in runs.audits)
    events = sum(account.events for account in runs.audits)
    print(f"{len(killer.kills)} kills, {len(runs.audits)} runs finished, {len(lost)} lost, {len(doubled)} doubled;")
    print(f"{events} events, {unrecorded} of them not both in the stream and in Postgres; {seconds:.0f} s\n")
    print(pulse.markdown(home.victims))
    print("\nResumed: from a kill until each run then under way said its next event; further kills count in.")
    for account in (*lost, *doubled):
        for what in (*account.lost, *account.doubled):
            print(f"\n- {account.name}, {account.run_id}: {what}")
    return 1 if lost or doubled or unrecorded else 0


async def _tell_now_and_then(killer: Killer, runs: Runs, begun_s: float) -> None:
    while True:
        await asyncio.sleep(TELL_EVERY_S)
        under_way = ", ".join(_age(run_id, runs) for run_id in runs.in_flight)
        wrong = sum(bool(each.lost or each.doubled or each.unrecorded) for each in runs.audits)
        said = f"{len(killer.kills)} kills, {runs.ended} runs ended, {len(runs.audits)} audited, {wrong} wrong"
        _tell(f"{time.monotonic() - begun_s:5.0f} s: {said}; under way: {under_way or 'none'}")


def _age(run_id: UUID, runs: Runs) -> str:
    return f"{str(run_id)[:8]} {runs.age_s(run_id):.0f} s"


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
