"""Everybody dies once at every point of every event: `python -m perf.kills [--scenario NAME] [--point POINT]`.

The matrix comes from the language table (`perf/mortality/scenarios.py`). Each scenario is first run undisturbed, then
once for each point, in which the owner of each event that can be said in it is killed with -9 there. Exit code 1 when a
run ends otherwise than undisturbed, an id stands twice, or more model calls were paid than recorded plus kills.
"""

import argparse
import asyncio
import logging
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

from perf.fakes.openai_server import FakeOpenAI
from perf.messages.timing import setting
from perf.mortality.fates import POINTS, Point
from perf.mortality.house import House, house
from perf.mortality.killing import Played, faults, play
from perf.mortality.scenarios import SCENARIOS, Commission, Scenario, missing


def main() -> int:
    """Print a line per run and the sums."""
    parser = argparse.ArgumentParser(description="Kills the owner of every event at every point.")
    parser.add_argument("--scenario", action="append", choices=[each.name for each in SCENARIOS], help="default: all")
    parser.add_argument("--point", action="append", choices=POINTS, help="default: all")
    parser.add_argument("--undisturbed", action="store_true", help="let nobody die")
    arguments = parser.parse_args()
    wanted = [each for each in SCENARIOS if each.name in (arguments.scenario or [each.name for each in SCENARIOS])]
    # The poisoned run holds a message that nobody can read, on purpose; the log of a run says so at every look.
    logging.getLogger("chassis.stream.jetstream_bus").setLevel(logging.ERROR)
    print(f"# Everybody dies once, everywhere\n\n{setting()}\n\n```", flush=True)
    if missing():
        print("no scenario kills for:", ", ".join(missing()))
    wrong = asyncio.run(_measure(wanted, () if arguments.undisturbed else arguments.point or POINTS))
    print("```")
    return wrong


async def _measure(scenarios: Sequence[Scenario], points: Sequence[Point]) -> int:
    begun_s = time.monotonic()
    kills = wrong = runs = 0
    scripts = {each.name: each.script for each in SCENARIOS}
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder, FakeOpenAI(scripts) as model:
        async with house(Path(folder), model.base_url) as home:
            for scenario in scenarios:
                for played, found in await _rounds(home, model, scenario, points):
                    kills, runs, wrong = kills + len(played.kills), runs + 1, wrong + bool(found)
    print(f"{runs} runs, {kills} kills, {wrong} runs that went otherwise, {time.monotonic() - begun_s:.0f} s")
    return 1 if wrong or missing() else 0


async def _rounds(
    home: House, model: FakeOpenAI, scenario: Scenario, points: Sequence[Point]
) -> list[tuple[Played, list[str]]]:
    undisturbed = await play(home, model, Commission(scenario, uuid4(), "undisturbed"))
    rounds = [(undisturbed, faults(undisturbed))]
    _show("undisturbed", *rounds[0])
    for point in points:
        if fates := scenario.fates(point):
            played = await play(home, model, Commission(scenario, uuid4(), point, fates))
            rounds.append((played, faults(played, undisturbed)))
            _show(point, *rounds[-1])
    return rounds


def _show(what: str, played: Played, found: list[str]) -> None:
    name = played.commission.scenario.name
    said = (
        f"{len(played.events):>4} events {len(played.kills):>3} kills {played.calls:>3} calls {played.seconds:6.1f} s"
    )
    print(f"{name:<12}{what:<24}{said}  {'as undisturbed' if not found else 'WRONG'}", flush=True)
    for each in found:
        print(f"    {each}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
