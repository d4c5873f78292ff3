"""Runs in the pods of the dev overlay, during which something is done to the pods: all are solved, nothing is lost."""

import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from uuid import UUID

from contracts.envelope import Event
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded

from tests.chaos.run_load import lost_of
from tests.chaos.traces import duplicates
from tests.deploy.containers.manifests.pods_of_dev import PodsOfDev

RUNS = 10
KILLED = 137
"""Exit code of a command in a container that SIGKILL ended."""

WatchRuns = Callable[[PodsOfDev, str, dict[int, Callable[[], None]]], Sequence[Event]]


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


def left_runs(running: PodsOfDev, name: str, at: dict[int, Callable[[], None]]) -> Sequence[Event]:
    """As `watched_runs`, of a command that is killed as soon as the runs are requested.

    Services solve a run without its command. One of an older version could not read what newer workers publish.
    """
    before, began_s = len(running.events()), time.monotonic()
    with running.begin_runs(RUNS, name) as beginning:
        _wait_for_runs(running, before, EngineeringRequested, RUNS)
        running.kill_command()
    assert beginning.returncode == KILLED
    for ended in range(1, RUNS + 1):
        _wait_for_runs(running, before, RunSucceeded, ended)
        at.get(ended, lambda: None)()
    report(f"{RUNS} of {RUNS} solved in {time.monotonic() - began_s:.0f} s, without their command")
    return complete_events(running, before)


def _wait_for_runs(running: PodsOfDev, before: int, event_class: type[Event], count: int) -> None:
    """Wait until so many runs have an event of a class; fail after ten minutes, or if a run fails."""
    deadline = time.monotonic() + 600.0
    while True:
        events = running.events(before)
        assert [event for event in events if isinstance(event, RunFailed)] == []
        if len({event.run_id for event in events if isinstance(event, event_class)}) >= count:
            return
        assert time.monotonic() < deadline, f"{event_class.__name__}: fewer than {count} runs have one"
        time.sleep(2.0)


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
