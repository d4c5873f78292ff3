"""Time and memory of quotes: `./run perf quotes [--parts 50]`.

Quotes bought parts of the catalog, whose shapes are public, from STEP files by all methods at quantities 1 and 1000,
each in a process of its own with the libraries loaded. Prints Markdown: CPU seconds and the growth of memory.
"""

import argparse
import io
import resource
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from statistics import median

from build123d import (
    export_step,  # pyright: ignore[reportUnknownVariableType] - it takes paths of open type; we pass a stream
)
from cad_worker.catalog_shapes.bought_parts import bought_part
from cad_worker.job_protocol import FileQuoteRequest
from cad_worker.jobs.part_file import quote_file
from contracts.quotes import QuoteChoice
from parts_catalog.methods.registry import METHODS
from parts_catalog.parts import UnknownPartError, parts

from tests.support.measurements import setting, table

GOAL_S, WORST_S = 1.0, 10.0
PACKAGES = ("build123d", "cadquery-ocp-novtk", "trimesh", "embreex")
CHOICE = QuoteChoice(methods=tuple(METHODS), quantities=(1, 1000))

Row = tuple[str, int, float, float, str]
"""Part, faces, CPU seconds, MiB, verdict."""


def main() -> int:
    """Print the table; the exit code is 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description="Time and memory of quotes.")
    parser.add_argument("--parts", type=int, default=50)
    names = _spread(list(parts()), parser.parse_args().parts)
    rows = [row for name in names if (row := _measured(name)) is not None]
    seconds = [row[2] for row in rows]
    print(f"# Quotes\n\n{setting(PACKAGES)}, {len(rows)} parts\n")
    print(
        f"median {median(seconds):.2f} s (goal {GOAL_S:g} s), worst {max(seconds):.2f} s (goal {WORST_S:g} s), "
        f"most memory {max(row[3] for row in rows):.0f} MiB\n"
    )
    texts = [(name, str(faces), f"{cpu_s:.2f}", f"{mib:.0f}", verdict) for name, faces, cpu_s, mib, verdict in rows]
    print(table(("part", "faces", "CPU s", "MiB", "verdict"), texts))
    return 0 if median(seconds) <= GOAL_S and max(seconds) <= WORST_S else 1


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
