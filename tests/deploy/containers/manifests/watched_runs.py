"""Runs in the pods of the dev overlay, during which something is done to the pods: all are solved, nothing is lost."""

import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from uuid import UUID

from contracts.envelope import Event

from tests.chaos.run_load import lost_of
from tests.chaos.traces import duplicates
from tests.deploy.containers.manifests.pods_of_dev import PodsOfDev

RUNS = 10


def watched_runs(running: PodsOfDev, name: str, at: dict[int, Callable[[], None]]) -> Sequence[Event]:
    """Let ten runs be solved; `at`: what to do after so many have ended. Return their events, which are complete."""
    before, began_s = len(running.events()), time.monotonic()
    with running.begin_runs(RUNS, name) as solving:
        assert solving.stdout is not None
        printed, ended = "", 0
        for line in solving.stdout:
            printed += line
            if f"/{RUNS} gravity-chute" in line:
                ended += 1
                at.get(ended, lambda: None)()
    assert solving.returncode == 0, printed
    assert printed.count(": solved,") == RUNS, printed
    report(f"{RUNS} of {RUNS} solved in {time.monotonic() - began_s:.0f} s")
    return complete_events(running, before)


def complete_events(running: PodsOfDev, before: int) -> Sequence[Event]:
    """Return the events after `before`, once nothing is missing, or fail after two minutes."""
    deadline = time.monotonic() + 120.0
    while True:
        events = running.events(before)
        by_run: dict[UUID, list[Event]] = defaultdict(list)
        for event in events:
            by_run[event.run_id].append(event)
        lost = {run: found for run, of_run in by_run.items() if (found := lost_of(of_run))}
        if not lost or time.monotonic() > deadline:
            break
        time.sleep(2.0)
    assert lost == {}
    doubled = {run: found for run, of_run in by_run.items() if (found := duplicates(of_run))}
    assert doubled == {}
    assert len(by_run) == RUNS
    report(f"{len(events)} events of {len(by_run)} runs: nothing lost, nothing doubled")
    return events


def report(text: str) -> None:
    """Print a figure."""
    sys.stdout.write(f"{text}\n")
