"""Random cells in real kernels: `./run fuzz [--cells 10000] [--seed 0]`, in Markdown.

Exit code 1 if the worker leaks a process, a descriptor or a workspace. If the worker dies, the table is missing.
"""

import argparse
import asyncio
import sys
import time

from tests.fuzz.cells import random_cells
from tests.fuzz.fuzzer import FuzzReport, fuzz
from tests.support.kernel_world import kernel_world
from tests.support.measurements import setting

BATCH = 500


def main() -> int:
    """Run the cells and print the leaked resources."""
    parser = argparse.ArgumentParser(description="Random cells in real kernels.")
    parser.add_argument("--cells", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    return asyncio.run(_measure(arguments.cells, arguments.seed))


async def _measure(count: int, seed: int) -> int:
    print(f"# {count} random cells, seed {seed}\n\n{setting(('hypothesis', 'build123d', 'pydantic'))}\n", flush=True)
    began = time.monotonic()
    total: list[FuzzReport] = []
    async with kernel_world() as world:
        session = await world.session()
        workspaces = session.workspace.folder.parent
        for start in range(0, count, BATCH):
            cells = random_cells(min(BATCH, count - start), seed + start)
            total.append(await fuzz(world.host, world.order, workspaces, cells))
            print(f"- {start + len(cells)}: {_statuses(total[-1:])}", flush=True)
        await session.close()
    first, last = total[0].before, total[-1].after
    print(f"\nIn all {_statuses(total)}, in {time.monotonic() - began:.0f} s; the worker survived.")
    print(f"Before: {first}; after: {last}.")
    return 0 if first == last else 1


def _statuses(reports: list[FuzzReport]) -> str:
    statuses = sum((each.statuses for each in reports), start=type(reports[0].statuses)())
    return ", ".join(f"{count} {status}" for status, count in sorted(statuses.items()))


if __name__ == "__main__":
    sys.exit(main())
