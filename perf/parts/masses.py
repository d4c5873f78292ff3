"""Mass, centre and inertia of random parts compared with a fine mesh: `./run perf parts/masses [--count 200]`."""

import argparse
import sys

import numpy as np
from geometry.mass_properties import mass_properties
from geometry.occt.meshes import closed_mesh

from tests.support.measurements import percentile, setting
from tests.support.solids.mesh_moments import moments, worst_difference
from tests.support.solids.random_solids import heldout

FIRST = 1000
LIMIT = 1e-3
CHORD_MM, ANGLE_RAD = 0.01, 0.1


def main() -> int:
    """Measure, print, and return 1 if any part differs by more than the limit."""
    parser = argparse.ArgumentParser(description="Mass, centre and inertia of random parts compared with a fine mesh.")
    parser.add_argument("--count", type=int, default=200)
    count = parser.parse_args().count
    print(f"# Masses of {count} random parts\n\n{setting(('build123d', 'numpy'))}\n", flush=True)
    differences = [_difference(number) for number in range(FIRST, FIRST + count)]
    worst = int(np.argmax(differences))
    print(f"Greatest relative difference of mass, centre or inertia from a mesh {CHORD_MM} mm fine, limit {LIMIT:g}:")
    print(
        f"p50 {percentile(differences, 50):.1e}, p95 {percentile(differences, 95):.1e}, worst {differences[worst]:.1e}"
    )
    print(f"({heldout(FIRST + worst)[0]}); {sum(each > LIMIT for each in differences)} beyond the limit")
    return int(max(differences) > LIMIT)


def _difference(number: int) -> float:
    _, solid = heldout(number)
    found = mass_properties(solid, 1e9)
    inertia = tuple(value * 1e6 for value in found.inertia_kg_m2)
    expected = moments(closed_mesh(solid, CHORD_MM, ANGLE_RAD))
    return worst_difference((found.mass_kg, *inertia), np.array(found.center_mm), expected)


if __name__ == "__main__":
    sys.exit(main())
