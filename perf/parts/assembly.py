"""Orders of assembly of machines of thirty parts: `./run perf parts/assembly`.

Times are CPU times of this process, so other load on the machine does not count. The goal is printed as well; the exit
code is always 0.
"""

import time

from geometry.assembly.order import assembly_order

from tests.support.measurements import setting, table
from tests.support.solids.assemblies import THIRTY_PARTS, placed

GOAL_S = 5.0
HEAD = ("machine", "parts", "CPU s", "steps", "not straight", "locked", "goal")


def main() -> None:
    """Measure and print."""
    print(f"# Orders of assembly\n\n{setting(('build123d', 'numpy', 'scipy'))}\n", flush=True)
    print(
        f"Goal: {GOAL_S:g} s of CPU for 30 parts, without their meshes and convex shapes, which the judge has anyway\n"
    )
    print(table(HEAD, []), flush=True)
    for make in THIRTY_PARTS:
        parts = [placed(label, shape) for label, shape in make().items()]
        began = time.process_time()
        order = assembly_order(parts)
        took_s = time.process_time() - began
        bent = sum(step.direction is None for step in order.steps)
        counts = (str(len(parts)), f"{took_s:.2f}", str(len(order.steps)), str(bent), str(len(order.locked)))
        cells = (make.__name__.replace("_", " "), *counts, "kept" if took_s <= GOAL_S else "missed")
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
