"""Time of the workbenches per part: `./run perf parts/workbenches [--repetitions 3]`.

Prints Markdown: milliseconds per part and workbench for all checks and the price, beginning with the B-rep, and the
milliseconds of the mesh that they share. Goals are printed as well; the exit code is always 0.
"""

import argparse
from collections.abc import Callable
from statistics import median
from time import perf_counter

from build123d import Solid
from contracts.models.design import Method
from parts_catalog.materials import MATERIALS
from parts_catalog.methods.registry import METHODS
from workbenches.interface import PartOrder, Workbench
from workbenches.part_mesh import PartMesh
from workbenches.registry import WORKBENCHES

from perf.workpieces.overlapping_parts import PARTS, interference_ms
from perf.workpieces.single_parts import solids
from tests.support.measurements import setting, table

PACKAGES = ("build123d", "embreex", "numpy", "trimesh")
GOAL_MS = 250
MATERIAL: dict[Method, str] = {method: facts.usual_material for method, facts in METHODS.items()}
MATERIAL["injection_molding"] = "abs"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Time of the workbenches per part.")
    parser.add_argument("--repetitions", type=int, default=3, help="of each measurement; medians are printed")
    repetitions: int = parser.parse_args().repetitions
    print(f"# Workbenches\n\n{setting(PACKAGES)}\n", flush=True)
    rows = [_row(name, solid, repetitions) for name, solid in solids().items()]
    print(
        table(("part", "faces", "triangles", "mesh", *WORKBENCHES, "findings (errors)"), [cells for cells, _ in rows])
    )
    print()
    for index, method in enumerate(WORKBENCHES):
        middle = median(times[index] for _, times in rows)
        print(f"- {method}: median {middle:.0f} ms, slowest {max(times[index] for _, times in rows):.0f} ms", end="")
        print(f" (goal: median <= {GOAL_MS} ms)")
    interference, overlaps = interference_ms(repetitions)
    print(
        f"- {PARTS} parts checked for interference: {interference:.0f} ms, {overlaps} overlaps (goal: <= {GOAL_MS} ms)"
    )


def _row(name: str, solid: Solid, repetitions: int) -> tuple[tuple[str, ...], list[float]]:
    mesh_ms = median(_ms(lambda: PartMesh.of(solid)) for _ in range(repetitions))
    mesh = PartMesh.of(solid)
    times: list[float] = []
    found: list[str] = []
    for method, bench in WORKBENCHES.items():
        order = PartOrder(label=name, material=MATERIALS[MATERIAL[method]], quantity=100)

        def check(order: PartOrder = order, bench: Workbench = bench) -> None:
            part = PartMesh.of(solid)
            bench.findings(part, order)
            bench.price(part, order)

        times.append(median(_ms(check) for _ in range(repetitions)))
        findings = bench.findings(mesh, order)
        found.append(f"{len(findings)} ({sum(finding.severity == 'error' for finding in findings)})")
    cells = (name, str(len(mesh.surfaces)), str(len(mesh.triangles)), f"{mesh_ms:.0f}", *(f"{ms:.0f}" for ms in times))
    return (*cells, " / ".join(found)), times


def _ms(work: Callable[[], object]) -> float:
    begun = perf_counter()
    work()
    return 1000 * (perf_counter() - begun)


if __name__ == "__main__":
    main()
