"""One benchmark, solved by models of six manners: `./run perf manners [--only NAME]`.

The offline expert's replies are written as models of each manner would write them, behind a real HTTP server; client,
services and servers are the real ones. Exit code 1 if a manner does not solve the benchmark, or builds another machine.
"""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.clusters.cluster import start_cluster
from tests.support.clusters.manner_runs import BENCHMARK, OFFLINE, SEED, MannerRun, run_manners
from tests.support.clusters.model_manners import MANNERS
from tests.support.measurements import setting, table

HEAD = ("manner", "digest", "replies", "refused", "tokens of all requests", "of the largest")


def main() -> int:
    """Print a row per manner."""
    names = [OFFLINE, *(manner.name for manner in MANNERS)]
    parser = argparse.ArgumentParser(description="Models of six manners.")
    parser.add_argument("--only", action="append", choices=names, help="default: all")
    chosen: list[str] = parser.parse_args().only or names
    runs = asyncio.run(_run(chosen))
    print(setting(("langchain-openai", "openai")), f"- {BENCHMARK}, seed {SEED}\n", sep="\n")
    print(table(HEAD, [_row(run) for run in runs]))
    print(*(f"\n{run.name}: {run.end!r}" for run in runs if not run.digest), sep="\n")
    return 0 if all(run.digest for run in runs) and len({run.digest for run in runs}) == 1 else 1


async def _run(names: Sequence[str]) -> list[MannerRun]:
    with TemporaryDirectory() as folder:
        async with start_cluster(Path(folder)) as cluster:
            return await run_manners(cluster.endpoints, names)


def _row(run: MannerRun) -> tuple[str, ...]:
    tokens = run.request_tokens
    figures = (len(run.calls), len(run.refused), sum(tokens), max(tokens, default=0))
    return (run.name, run.digest[:12] or "not solved", *(f"{figure:,}" for figure in figures))


if __name__ == "__main__":
    sys.exit(main())
