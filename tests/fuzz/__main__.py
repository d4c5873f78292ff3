"""Strange cells in real kernels: `python -m tests.fuzz.__main__ [--cells 10000] [--seed 0]`, in Markdown.

Exit code 1 when a process, a descriptor or a workspace is left. The worker itself must survive, or there is no output.
"""

import argparse
import asyncio
import sys
import time

from tests.fuzz.cells import some_cells
from tests.fuzz.fuzzer import Aftermath, fuzz
from tests.support.kernel_world import ground
from tests.support.measurements import setting

BATCH = 500


def main() -> int:
    """Run them, and print what was left."""
    parser = argparse.ArgumentParser(description="Strange cells in real kernels.")
    parser.add_argument("--cells", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    return asyncio.run(_measure(arguments.cells, arguments.seed))


async def _measure(count: int, seed: int) -> int:
    print(f"# {count} strange cells, seed {seed}\n\n{setting(('hypothesis', 'build123d', 'pydantic'))}\n", flush=True)
    began = time.monotonic()
    total: list[Aftermath] = []
    async with ground() as standing:
        session = await standing.session()
        lodging = session.workspace.folder.parent
        for start in range(0, count, BATCH):
            cells = some_cells(min(BATCH, count - start), seed + start)
            total.append(await fuzz(standing.host, standing.order, lodging, cells))
            print(f"- {start + len(cells)}: {_ends(total[-1:])}", flush=True)
        await session.close()
    first, last = total[0].before, total[-1].after
    print(f"\nIn all {_ends(total)}, in {time.monotonic() - began:.0f} s; the worker lived on.")
    print(f"Held before: {first}; after: {last}.")
    return 0 if first == last else 1


def _ends(aftermaths: list[Aftermath]) -> str:
    ends = sum((each.ends for each in aftermaths), start=type(aftermaths[0].ends)())
    return ", ".join(f"{count} {status}" for status, count in sorted(ends.items()))


if __name__ == "__main__":
    sys.exit(main())
