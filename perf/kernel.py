"""Our kernel compared with ipykernel: `./run perf kernel [--starts 20] [--notebooks 3] [--count 300] [--cycles 500]`.

Prints Markdown: start of a session and its first CAD cell, round trip of `x = 1` in the worker and through NATS, memory
of 8 and 100 sessions, the checker on a long cell, and resources leaked by many sessions. Goals are printed as well; the
exit code is always 0.
"""

import argparse
import asyncio

from perf.kernels import jupyter, own_kernel, through_nats
from tests.support.kernel_world import kernel_world
from tests.support.measurements import percentile, setting, table

PACKAGES = ("build123d", "cadquery-ocp-novtk", "numpy", "ipykernel", "jupyter-client", "nats-py", "pydantic")
SESSION_COUNTS = (8, 100)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Our kernel compared with ipykernel.")
    parser.add_argument("--starts", type=int, default=20, help="sessions opened for the first table")
    parser.add_argument("--notebooks", type=int, default=3, help="ipykernels started")
    parser.add_argument("--count", type=int, default=300, help="cells for each round trip")
    parser.add_argument("--cycles", type=int, default=500, help="sessions for the leak check")
    arguments = parser.parse_args()
    asyncio.run(_measure(arguments))


async def _measure(arguments: argparse.Namespace) -> None:
    print(f"# Our kernel compared with ipykernel\n\n{setting(PACKAGES)}\n", flush=True)
    async with kernel_world() as world:
        ours, notebooks = await own_kernel.starts(world, arguments.starts), await jupyter.starts(arguments.notebooks)
        print(
            f"## Start, {arguments.starts} sessions, {arguments.notebooks} ipykernels\n\n{_starts(ours, notebooks)}\n",
            flush=True,
        )
        in_worker, in_notebook = (
            await own_kernel.round_trips(world, arguments.count),
            await jupyter.round_trips(arguments.count),
        )
        through = await through_nats.round_trips(arguments.count)
        print(f"## `x = 1` and back, {arguments.count} each\n")
        print(_trips(in_worker, through, in_notebook), flush=True)
        usages = [await own_kernel.memory(world, count) for count in SESSION_COUNTS]
        print(f"\n## Concurrent sessions, a CAD cell in each\n\n{_usages(usages)}\n", flush=True)
        checking = _table([_row("check", own_kernel.checking_ms(20), "p50 < 20")])
        print(f"## Checker on {own_kernel.CHECKED_LINES} lines\n\n{checking}\n")
        print(_leaks(await own_kernel.leaks(world, arguments.cycles)), flush=True)


def _starts(ours: own_kernel.Starts, notebooks: own_kernel.Starts) -> str:
    total_ours = [sum(pair) for pair in zip(ours.ready_ms, ours.first_cell_ms, strict=True)]
    total_notebooks = [sum(pair) for pair in zip(notebooks.ready_ms, notebooks.first_cell_ms, strict=True)]
    ratio = percentile(total_notebooks, 50) / percentile(total_ours, 50)
    rows = [
        _row("ours: session ready", ours.ready_ms, "p50 <= 50"),
        _row("ours: first CAD cell, from the request for the session", total_ours, "p50 <= 600"),
        _row("ipykernel: started, build123d imported", notebooks.ready_ms, ""),
        _row("ipykernel: first CAD cell, from its start", total_notebooks, ""),
    ]
    return f"{_table(rows)}\n\nFirst CAD cell: a session is {ratio:.0f} times as fast as ipykernel (goal: 10 times)."


def _trips(in_worker: list[float], through: list[float], in_notebook: list[float]) -> str:
    return _table(
        [
            _row("ours, in the worker", in_worker, "p50 <= 2"),
            _row("ours, through NATS and back", through, "p50 <= 10"),
            _row("ipykernel, over its sockets", in_notebook, ""),
        ]
    )


def _usages(usages: list[own_kernel.Memory]) -> str:
    rows = [
        (
            str(usage.sessions),
            str(usage.alive),
            f"{usage.opened_s:.1f}",
            f"{usage.first_cells_s:.1f}",
            f"{sum(usage.pss_mib) / len(usage.pss_mib):.0f}" if usage.pss_mib else "not readable",
            "PSS <= 80" if usage.sessions == min(SESSION_COUNTS) else "all alive",
        )
        for usage in usages
    ]
    return table(("sessions", "alive", "all open after s", "CAD cells s", "PSS each MiB", "goal"), rows)


def _leaks(leaks: own_kernel.Leaks) -> str:
    return (
        f"## Leaked by {leaks.cycles} sessions\n\ndescriptors {leaks.descriptors}, processes {leaks.processes}, "
        f"shared memories {leaks.shared_memories}, workspaces {leaks.folders} (goal: 0 each)"
    )


def _table(rows: list[tuple[str, ...]]) -> str:
    return table(("", "p50 ms", "p95 ms", "least ms", "goal"), rows)


def _row(name: str, spent_ms: list[float], goal: str) -> tuple[str, ...]:
    return name, f"{percentile(spent_ms, 50):.2f}", f"{percentile(spent_ms, 95):.2f}", f"{min(spent_ms):.2f}", goal


if __name__ == "__main__":
    main()
