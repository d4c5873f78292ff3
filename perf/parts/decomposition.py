"""Collision geometry of known and random parts: `./run perf parts/decomposition [--random 24] [--first 0]`.

Times are CPU times of this process, so other load on the machine does not count. Goals are printed as well; the exit
code is always 0.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial
from statistics import median

from build123d import Solid
from geometry.collision.decomposition import collision_geometry
from geometry.collision.results import MAX_GEOMS, CollisionGeometry, NotDecomposableError

from tests.support.measurements import setting, table
from tests.support.solids import known_solids
from tests.support.solids.random_solids import COUNT, heldout

KNOWN: tuple[Callable[[], Solid], ...] = (
    known_solids.bowl,
    known_solids.rounded_bowl,
    partial(known_solids.bowl, 60.0, 5.0),
    partial(known_solids.bowl, 90.0, 6.0),
    known_solids.channel,
    known_solids.rounded_channel,
    known_solids.tube,
    known_solids.rounded_tube,
    known_solids.flanged_tube,
    known_solids.funnel,
    known_solids.rounded_funnel,
    known_solids.ring,
    known_solids.gear,
    known_solids.plate,
    known_solids.perforated_plate,
    known_solids.rounded_plate,
    known_solids.bracket,
    known_solids.hook,
)
HEAD = ("part", "geoms", "CPU s", "filled outside", "empty inside", "protrusion mm", "verdict")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Collision geometry of known and random parts.")
    parser.add_argument("--random", type=int, default=COUNT, help="how many random parts")
    parser.add_argument("--first", type=int, default=0, help="number of the first one")
    chosen = parser.parse_args()
    print(f"# Collision geometry\n\n{setting(('build123d', 'numpy', 'scipy'))}\n", flush=True)
    _group("Known parts", [(_name(make), make()) for make in KNOWN])
    numbers = range(chosen.first, chosen.first + chosen.random)
    _group(f"Random parts {numbers.start} to {numbers.stop - 1}", [heldout(number) for number in numbers])


def _name(make: Callable[[], Solid]) -> str:
    return f"{make.func.__name__}-{make.args[0]:g}" if isinstance(make, partial) else make.__name__


def _group(title: str, parts: list[tuple[str, Solid]]) -> None:
    rows: list[tuple[str, ...]] = []
    times: list[float] = []
    refusals: list[str] = []
    for name, solid in parts:
        began = time.process_time()
        found = _prepared(solid)
        times.append(time.process_time() - began)
        rows.append((name, *_cells(found, times[-1])))
        if isinstance(found, NotDecomposableError):
            refusals.append(f"- {name}: {found}")
    accepted = len(parts) - len(refusals)
    counts = [int(row[1]) for row in rows if row[1]]
    print(f"## {title}: {accepted} of {len(parts)} accepted\n")
    print(f"Median {median(times):.2f} s of CPU (goal 2 s), longest {max(times):.2f} s; ", end="")
    print(f"median {median(counts):g} geoms, most {max(counts)} (goal {MAX_GEOMS})\n")
    print(table(HEAD, rows), "", *refusals, "", sep="\n", flush=True)


def _prepared(solid: Solid) -> CollisionGeometry | NotDecomposableError:
    try:
        return collision_geometry(solid)
    except NotDecomposableError as refusal:
        return refusal


def _cells(found: CollisionGeometry | NotDecomposableError, seconds: float) -> tuple[str, ...]:
    if isinstance(found, NotDecomposableError):
        return ("", f"{seconds:.2f}", "", "", "", "refused")
    deviation = found.deviation
    shares = (f"{deviation.filled_outside:.4f}", f"{deviation.empty_inside:.4f}", f"{deviation.protrusion_mm:.3f}")
    return (str(len(found.geoms)), f"{seconds:.2f}", *shares, "accepted")


if __name__ == "__main__":
    main()
