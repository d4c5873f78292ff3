"""Memory over many runs: `./run perf soak [--runs 200] [--film 640x480]`.

All services run as processes of their own on real servers, with the offline expert. Prints for each service the MiB
(proportional set size) after the first and the last run, the slope in MiB per run over the second half of the runs, and
the peak, sampled twice a second. Exit code 1 if a run is not solved.
"""

import argparse
import asyncio
import os
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from contracts.events.run import RunSucceeded
from local_stack.settings import CliSettings
from local_stack.stack import Stack, StackOptions, open_stack, run_or_fail

from perf.load import request_run
from perf.loads.usage import mib_by_group
from tests.support.measurements import setting, table

SAMPLE_S = 0.5
HEAD = ("service", "before", "after 1 run", "after all", "MiB per run, second half", "peak MiB")


class Soak:
    """What every service held before the runs, after each run, and at most."""

    def __init__(self) -> None:
        self.held: list[Counter[str]] = []
        self.peak: Counter[str] = Counter()

    async def watch(self) -> None:
        """Note the peaks until it is cancelled."""
        while True:
            self.peak |= await asyncio.to_thread(mib_by_group)
            await asyncio.sleep(SAMPLE_S)

    async def note(self) -> None:
        """Note what is held now."""
        self.held.append(await asyncio.to_thread(mib_by_group))
        self.peak |= self.held[-1]

    def rows(self) -> list[tuple[str, ...]]:
        """Return the cells below `HEAD`."""
        return [self._row(group) for group, _ in self.peak.most_common()]

    def _row(self, group: str) -> tuple[str, ...]:
        held = [each[group] for each in self.held]
        late = held[len(held) // 2 :]
        slope = float(np.polyfit(range(len(late)), late, 1)[0]) if len(late) > 1 else 0.0
        figures = (held[0], held[min(1, len(held) - 1)], held[-1])
        return (group, *(f"{figure:.0f}" for figure in figures), f"{slope:+.2f}", f"{self.peak[group]:.0f}")


def main() -> int:
    """Print a report in Markdown."""
    parser = argparse.ArgumentParser(description="Memory over many runs.")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--benchmark", default="gravity-chute")
    parser.add_argument("--film", default="640x480", help="size of films")
    parser.add_argument("--deadline", type=float, default=1800.0, help="of each run, in seconds")
    arguments = parser.parse_args()
    os.environ["SIM_VIDEO_WIDTH"], os.environ["SIM_VIDEO_HEIGHT"] = arguments.film.split("x")
    print(setting(), flush=True)
    soak, solved = asyncio.run(_measured(arguments))
    print(f"\n{solved} of {arguments.runs} runs of {arguments.benchmark} solved\n\n{table(HEAD, soak.rows())}")
    return 0 if solved == arguments.runs else 1


async def _measured(arguments: argparse.Namespace) -> tuple[Soak, int]:
    soak, solved = Soak(), 0
    with TemporaryDirectory() as folder:
        settings = CliSettings(millwright_data=Path(folder))
        async with open_stack(StackOptions(settings, separate=True)) as stack:
            await asyncio.to_thread(stack.supervisor.wait_until_ready)
            await soak.note()
            watch = asyncio.create_task(soak.watch())
            for seed in range(arguments.runs):
                solved += await run_or_fail(stack.failure, _is_solved(stack, arguments, seed))
                await soak.note()
                shown = ", ".join(f"{name} {mib:.0f}" for name, mib in soak.held[-1].most_common(4))
                print(f"run {seed + 1}: {shown}", flush=True)
            watch.cancel()
    return soak, solved


async def _is_solved(stack: Stack, arguments: argparse.Namespace, seed: int) -> bool:
    request = await request_run(stack, arguments, "offline", seed)
    end = await stack.bus.wait_for_end(request.run_id)
    return isinstance(end, RunSucceeded) and end.result.is_proven


if __name__ == "__main__":
    sys.exit(main())
