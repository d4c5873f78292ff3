"""Our kernel beside the notebook's: `python -m perf.kernel [--starts 20] [--rivals 3] [--count 300] [--cycles 500]`.

Prints Markdown: session ready and first CAD cell, round trip of `x = 1` with its observation in the worker and through
NATS, memory of 8 and 100 sessions, the checker on a long cell, and what is left of many sessions. Goals stand beside
the figures; nothing fails.
"""

import argparse
import asyncio

from perf.kernels import jupyter, own_kernel, through_nats
from tests.support.kernel_world import ground
from tests.support.measurements import percentile, setting, table

PACKAGES = ("build123d", "cadquery-ocp-novtk", "numpy", "ipykernel", "jupyter-client", "nats-py", "pydantic")
CROWDS = (8, 100)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Our kernel beside the notebook's.")
    parser.add_argument("--starts", type=int, default=20, help="sessions opened for the first table")
    parser.add_argument("--rivals", type=int, default=3, help="ipykernels started")
    parser.add_argument("--count", type=int, default=300, help="cells for each round trip")
    parser.add_argument("--cycles", type=int, default=500, help="sessions for the search for leaks")
    arguments = parser.parse_args()
    asyncio.run(_measure(arguments))


async def _measure(arguments: argparse.Namespace) -> None:
    print(f"# Our kernel beside the notebook's\n\n{setting(PACKAGES)}\n", flush=True)
    async with ground() as standing:
        mine, theirs = await own_kernel.starts(standing, arguments.starts), await jupyter.starts(arguments.rivals)
        print(
            f"## Start, {arguments.starts} of own_kernel, {arguments.rivals} ipykernels\n\n{_starts(mine, theirs)}\n",
            flush=True,
        )
        in_worker, in_notebook = (
            await own_kernel.round_trips(standing, arguments.count),
            await jupyter.round_trips(arguments.count),
        )
        through = await through_nats.round_trips(arguments.count)
        print(f"## `x = 1` and back, {arguments.count} each\n")
        print(_trips(in_worker, through, in_notebook), flush=True)
        crowds = [await own_kernel.memory(standing, count) for count in CROWDS]
        print(f"\n## Many at once, a CAD cell in each\n\n{_crowds(crowds)}\n", flush=True)
        checking = _one("judging", own_kernel.checking_ms(20), "p50 < 20")
        print(f"## Checker on {own_kernel.CHECKED_LINES} lines\n\n{checking}\n")
        print(_leaks(await own_kernel.leaks(standing, arguments.cycles)), flush=True)


def _starts(mine: own_kernel.Starts, theirs: own_kernel.Starts) -> str:
    total_mine = [sum(pair) for pair in zip(mine.ready_ms, mine.first_cell_ms, strict=True)]
    total_theirs = [sum(pair) for pair in zip(theirs.ready_ms, theirs.first_cell_ms, strict=True)]
    ratio = percentile(total_theirs, 50) / percentile(total_mine, 50)
    rows = [
        _row("ours: session ready", mine.ready_ms, "p50 <= 50"),
        _row("ours: first CAD cell, from asking for the session", total_mine, "p50 <= 600"),
        _row("ipykernel: started, build123d imported", theirs.ready_ms, ""),
        _row("ipykernel: first CAD cell, from starting it", total_theirs, ""),
    ]
    return f"{_table(rows)}\n\nFirst CAD cell: own_kernel is {ratio:.0f} times as fast (goal: 10 times)."


def _trips(in_worker: list[float], through: list[float], in_notebook: list[float]) -> str:
    return _table(
        [
            _row("ours, in the worker", in_worker, "p50 <= 2"),
            _row("ours, through NATS and back", through, "p50 <= 10"),
            _row("ipykernel, over its sockets", in_notebook, ""),
        ]
    )


def _crowds(crowds: list[own_kernel.Memory]) -> str:
    rows = [
        (
            str(crowd.sessions),
            str(crowd.alive),
            f"{crowd.opened_s:.1f}",
            f"{crowd.first_cells_s:.1f}",
            f"{sum(crowd.pss_mib) / len(crowd.pss_mib):.0f}" if crowd.pss_mib else "not told here",
            "PSS <= 80" if crowd.sessions == min(CROWDS) else "all alive",
        )
        for crowd in crowds
    ]
    return table(("sessions", "alive", "all open after s", "CAD cells s", "PSS each MiB", "goal"), rows)


def _leaks(leaks: own_kernel.Leaks) -> str:
    return (
        f"## Left of {leaks.cycles} sessions\n\ndescriptors {leaks.descriptors}, processes {leaks.processes}, "
        f"shared memories {leaks.shared_memories}, workspaces {leaks.folders} (goal: 0 each)"
    )


def _one(what: str, spent_ms: list[float], goal: str) -> str:
    return _table([_row(what, spent_ms, goal)])


def _table(rows: list[tuple[str, ...]]) -> str:
    return table(("", "p50 ms", "p95 ms", "least ms", "goal"), rows)


def _row(what: str, spent_ms: list[float], goal: str) -> tuple[str, ...]:
    return what, f"{percentile(spent_ms, 50):.2f}", f"{percentile(spent_ms, 95):.2f}", f"{min(spent_ms):.2f}", goal


if __name__ == "__main__":
    main()
