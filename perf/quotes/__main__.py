"""Time and memory of quotes; one verdict for one solid: `./run perf quotes [--parts 50] [--solids 2000] [--seed 0]`.

Quotes bought parts of the catalog, whose shapes are public, from STEP files by all methods at quantities 1 and 1000,
each in a process of its own with the libraries loaded: CPU seconds and the growth of memory. Then draws solids from a
grammar, and each again in many ways (`perf/quotes/metamorphic.py`). Prints Markdown; the exit code is 1 if a goal is
missed. `--record FILE` keeps the solids that are done, and goes on after them.
"""

import argparse
import io
import resource
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from build123d import (
    export_step,  # pyright: ignore[reportUnknownVariableType] - it takes paths of open type; we pass a stream
)
from cad_worker.job_protocol import FileQuoteRequest
from cad_worker.jobs.part_file import quote_file
from catalog_shapes.bought_parts import bought_part
from contracts.quotes import QuoteChoice
from parts_catalog.methods.registry import METHODS
from parts_catalog.parts import UnknownPartError, parts

from perf.quotes.metamorphic import campaign, campaign_text
from tests.support.measurements import setting, table

GOAL_S, WORST_S = 1.0, 10.0
PACKAGES = ("build123d", "cadquery-ocp-novtk", "trimesh", "embreex")
CHOICE = QuoteChoice(methods=tuple(METHODS), quantities=(1, 1000))

Row = tuple[str, int, float, float, str]
"""Part, faces, CPU seconds, MiB, verdict."""


def main() -> int:
    """Print the results; the exit code is 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description="Time, memory and verdicts of quotes.")
    parser.add_argument("--parts", type=int, default=50)
    parser.add_argument("--solids", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0, help="of the first solid")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--record", type=Path)
    options = parser.parse_args()
    print(f"# Quotes\n\n{setting(PACKAGES)}\n", flush=True)
    is_good = _print_times(options.parts) if options.parts else True
    if not options.solids:
        return 0 if is_good else 1
    seeds = range(options.seed, options.seed + options.solids)
    with TemporaryDirectory() as folder:
        results = campaign(seeds, options.processes, options.record or Path(folder) / "record.jsonl")
    print(f"\n# One solid, one verdict\n\nSeeds {seeds.start} to {seeds.stop - 1}.\n\n{campaign_text(results)}")
    return 0 if is_good and not any(result.differences for result in results) else 1


def _print_times(count: int) -> bool:
    """Print the table of public parts; return whether the goals are met."""
    rows = [row for name in _spread(list(parts()), count) if (row := _measured(name)) is not None]
    seconds = [row[2] for row in rows]
    print(
        f"{len(rows)} parts: median {median(seconds):.2f} s (goal {GOAL_S:g} s), worst {max(seconds):.2f} s "
        f"(goal {WORST_S:g} s), most memory {max(row[3] for row in rows):.0f} MiB\n"
    )
    texts = [(name, str(faces), f"{cpu_s:.2f}", f"{mib:.0f}", verdict) for name, faces, cpu_s, mib, verdict in rows]
    print(table(("part", "faces", "CPU s", "MiB", "verdict"), texts), flush=True)
    return median(seconds) <= GOAL_S and max(seconds) <= WORST_S


def _spread(names: Sequence[str], count: int) -> list[str]:
    step = max(1, len(names) // count)
    return list(names[::step][:count])


def _measured(name: str) -> Row | None:
    with ProcessPoolExecutor(1, get_context("fork")) as pool:
        return pool.submit(_quoted, name).result()


def _quoted(name: str) -> Row | None:
    stream = io.BytesIO()
    try:
        shape = bought_part(name)
    except UnknownPartError:
        return None  # it is part of a joint, and has no shape of its own
    export_step(shape, stream)
    request = FileQuoteRequest(file=f"{name}.step", name=name, choice=CHOICE, data=stream.getvalue())
    before_mib, began_s = _peak_mib(), time.process_time()
    result = quote_file(request)
    return name, len(shape.faces()), time.process_time() - began_s, _peak_mib() - before_mib, result.quote.verdict


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    sys.exit(main())
