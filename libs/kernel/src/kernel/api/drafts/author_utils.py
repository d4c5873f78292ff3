"""Functions for inventing benchmarks. Read-only.

- `create()`: builds the nominal world of benchmark.yaml and environment.py in this kernel, prints what was built
  (solids, zones, payloads, joints, motors) and every refusal of the format; `create(seed=3)` builds the world of a
  seed. Returns a world: `world.benchmark` (what `build(variant)` got), `world.environment`, `world.faults`,
  `world.is_sound`.
- `test(seeds=(0, 1))`: has the worlds of up to 4 seeds built and certified by the platform, exactly as those of a
  draft: without a machine nothing may reach the goal, with witness.py it must, robustly. Prints a table and all
  findings; returns `.is_certified`, `.worlds`, `.findings`. Costs no draft; each test needs an entry in journal.md.
- `render()`, `render(seed=3)`, `render(machine=True)`: shows a picture of a world, with the machine of witness.py if
  wanted. `show(world.environment, label="...")` shows any shape.
- `write("witness.py", text)`: writes a file of the benchmark from a cell, for models that cannot call `write_file`.
- `submit_for_review()`: submits the three files of the workspace; ends the cell. Every item of todo.md must be settled,
  and every test must have its entry in journal.md. `submit` is the same.
- `refuse_plan(reason)`: gives the approved plan up, because no world of it can be certified; plan again then.

What environment.py and witness.py may import from `utils` is here, too, so that cells can try it: `catalog_part`,
`bond_contacts`, `glue`, `screw`, `bearing`, `drive`, `gears`, `rack`, `Constant`, `Steps`, `Positions`, `Oscillation`,
`ManufacturingMethod`, `HARDWARE`.
"""

from parts_catalog.hardware import HARDWARE

from kernel.api.drafts.author_api import create, refuse_plan, render, submit, submit_for_review, test, write
from kernel.api.engineer_api import ManufacturingMethod
from kernel.api.mechanism_api import (
    bearing,
    bond_contacts,
    bonded,
    carried,
    catalog_part,
    drive,
    fastened,
    gears,
    glue,
    rack,
    screw,
)
from kernel.api.motor_programs import Constant, Oscillation, Positions, Steps

__all__ = [
    "HARDWARE",
    "Constant",
    "ManufacturingMethod",
    "Oscillation",
    "Positions",
    "Steps",
    "bearing",
    "bond_contacts",
    "bonded",
    "carried",
    "catalog_part",
    "create",
    "drive",
    "fastened",
    "gears",
    "glue",
    "rack",
    "refuse_plan",
    "render",
    "screw",
    "submit",
    "submit_for_review",
    "test",
    "write",
]
