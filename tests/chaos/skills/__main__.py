"""Skills while processes die and versions change: `./run chaos skills [--versions 50] [--point POINT] [--only PART]`.

The skill-learner dies at each event that it publishes; then versions are published while four sessions run. Exit code 1
if something happens twice or differs, or if a session sees anything but the one version that it was offered.
"""

import argparse
import asyncio
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.chaos.crashes.crash_points import Point
from tests.chaos.skills.learner_kills import POINTS, crash_points, differences, learner_cluster
from tests.chaos.skills.session_updates import KEPT, update_cluster
from tests.support.measurements import setting


def main() -> int:
    """Print a line per story and the totals of both parts."""
    parser = argparse.ArgumentParser(description="Skills while processes die and versions change.")
    parser.add_argument("--only", choices=("kills", "updates"))
    parser.add_argument("--versions", type=int, default=50)
    parser.add_argument("--point", action="append", choices=POINTS, help="default: all")
    arguments = parser.parse_args()
    print(f"# Skills under load and deaths\n\n{setting()}", flush=True)
    wrong = 0
    if arguments.only != "updates":
        wrong += asyncio.run(_kill(arguments.point or POINTS))
    if arguments.only != "kills":
        wrong += asyncio.run(_update(arguments.versions))
    return 1 if wrong else 0


async def _kill(points: Sequence[Point]) -> int:
    print("\n## Deaths of the skill-learner\n\n```", flush=True)
    started_s, crashes, wrong = time.monotonic(), 0, 0
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        async with learner_cluster(Path(folder)) as cluster:
            undisturbed = await cluster.perform("undisturbed")
            for number, crash in enumerate(crash_points(points)):
                finished = await cluster.perform(f"story-{number}", [crash])
                found = differences(finished, undisturbed)
                crashes, wrong = crashes + len(finished.crashes), wrong + bool(found)
                print(f"{crash}: {len(finished.crashes)} deaths, {'; '.join(found) or 'as undisturbed'}", flush=True)
    print(f"{crashes} deaths, {wrong} stories with a difference, {time.monotonic() - started_s:.0f} s\n```")
    return wrong


async def _update(versions: int) -> int:
    print(f"\n## {versions} versions while {KEPT} sessions run\n", flush=True)
    started_s = time.monotonic()
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        async with update_cluster(Path(folder)) as updates:
            seen = await updates.run(versions)
    print(f"- {len(seen.versions)} sessions opened, with {len(set(seen.versions))} different versions")
    print(f"- {seen.cells} cells looked at the skill; {seen.notices} named a newer version")
    print(f"- {len(seen.problems)} mixtures, changes within a session, restarts or outdated offers")
    print("".join(f"  - {each}\n" for each in seen.problems), end="")
    print(f"- {time.monotonic() - started_s:.0f} s")
    return len(seen.problems)


if __name__ == "__main__":
    sys.exit(main())
