"""Collision geometry of known and of random parts: `python -m perf.decomposition [--random 24]`, in Markdown.

Times are of this process's CPU: other work on the machine does not count. The goals stand beside; nothing fails.
"""

import argparse
import time
from collections.abc import Callable
from statistics import median

from build123d import Solid
from cad_worker.geometry.collision.preparing import collision_geometry
from cad_worker.geometry.collision.results import CollisionGeometry, NotDecomposableError

from perf.geometry import shapes
from perf.geometry.heldout import COUNT, heldout
from perf.messages.timing import setting, table

KNOWN: tuple[Callable[[], Solid], ...] = (
    shapes.bowl, shapes.rounded_bowl, shapes.channel, shapes.rounded_channel, shapes.tube, shapes.rounded_tube,
    shapes.funnel, shapes.gear, shapes.plate, shapes.rounded_plate, shapes.bracket, shapes.hook,
)  # fmt: skip
HEAD = ("part", "geoms", "CPU s", "filled outside", "empty inside", "stands out mm", "verdict")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Collision geometry of known and of random parts.")
    parser.add_argument("--random", type=int, default=COUNT, help="how many random parts")
    count = parser.parse_args().random
    print(f"# Collision geometry\n\n{setting(('build123d', 'numpy', 'scipy'))}\n", flush=True)
    _group("Known parts", [(make.__name__, make()) for make in KNOWN])
    _group("Random parts, held out", [heldout(number) for number in range(count)])


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
    print(f"## {title}: {accepted} of {len(parts)} accepted, median {median(times):.2f} s (goal 2 s)\n")
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
