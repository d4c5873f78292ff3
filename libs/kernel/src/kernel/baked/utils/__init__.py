"""Functions for designing machines. Read-only.

- `ManufacturingMethod`: how a part is made: CNC, TURNING, SHEET_METAL, PRINTING_3D or INJECTION_MOLDING.
- `validate_and_price(component)`: prints the workbenches' findings on a part or an assembly and its prices; returns the
  unit price in USD, a number with `.findings`, `.is_makeable`, `.mass_kg`, and the price of a part: `pricing["leg"]`.
- `price((60, 40, 4), "3d_printing", "pla")`: the same of a box of this size, without printing, before it is built;
  `volume_cm3=` if it is hollow; `price(part, quantity=100)` of a part.
- `simulate(assembly)`: a free preview of the physics; prints a summary, returns a run: `run.verdict`, `run.summary_md`,
  and motion by absolute time in seconds: `run.payload_mm`, `run.joint("hinge")`, `run.at(1.25)`, `run[1.0:2.5]`;
  `show(run)` and `show(run[1.0:2.5])` draw it. `simulate(assembly, replicas=8, seed=1)` adds jittered repeats, 16 at
  most, as a verdict does; `simulate(assembly, payload_at_mm=(x, y, z))` tests one station and proves nothing.
- `clearance(run, *things)`: prints and returns the smallest gap in mm between the payload's path and each part, zone or
  solid of the environment that stays where it is: `clearance(run, environment, benchmark.goal_zone)`.
- `sweep(lambda width: simulate(machine(width)), [30, 34, 38])`: runs a function over values, prints one table.
- `show(*things, label=None)`: shows parts, assemblies, matplotlib figures, uint8 arrays or runs as pictures.
- `run_script()`: runs script.py in a fresh kernel, prints and returns its observation.
- `submit_for_review(assembly)`: submits script.py for the verdict; ends the cell. `submit` is the same.
- `refuse_plan(proof)`: states that the plan is impossible; the critic judges it. The proof explains why in a sentence
  or two and must cite the evidence as `[cell 3]` or `[simulation 1]`, counted over the run.

An assembly is a build123d `Compound` whose children are labelled parts, each with
`part.metadata = {"manufacturing_method": ManufacturingMethod.CNC, "material_id": "aluminum-6061"}`.

A part that nothing holds falls. Connections and drives are listed in `assembly.metadata = {"mechanism": [...]}`:

- `*bond_contacts(*parts, to=environment)`: glues all parts that touch each other or the environment.
- `glue(leg, "floor")`: glues two. Give a part itself or its label.
- `screw(arm, frame, "iso4762-m4x16", at=[(0, 0, 9)], into=(0, 0, -1))`: screws, one per position of a head.
- `bearing("608zz", joint="hinge")`: a bought bearing instead of a plain one.
- `drive(servo, joint="hinge", control=Positions(times_s=[1, 2], targets=[0, 60]))`: a bought motor on a joint.
  `Constant(share=0.5)` and `Steps(times_s=[0, 2], shares=[1, 0])` give shares of the motor's voltage, `Positions` and
  `Oscillation(amplitude=20, frequency_hz=0.5)` targets in degrees or millimetres, from the initial pose.
  A motor on a sliding joint climbs along a rack by a pinion, both parts of the assembly with a price:
  `drive(motor, joint="slide", control=..., pinion="pinion", rack="rail")`. The pinion is a disc of its pitch diameter
  on the motor's shaft, which alone holds it (leave it out of bond_contacts). The rack belongs to the other side of the
  joint; its straight side touches the pinion's rim over the whole travel.
- `gears("pinion", "wheel", ratio=-12 / 36)` and `rack("pinion", "slide", pinion_radius_mm=10)`: meshing joints. The
  ratio must be that of the wheels: discs of the pitch diameter, on the axes, that touch.
- Other names of the same: `bonded(a, b)` is `glue(a, b)`, `fastened(...)` is `screw(...)`, and
  `carried("hinge", "608zz")` is `bearing("608zz", joint="hinge")`.

Joints are build123d's own: `RevoluteJoint("hinge", base, axis=Axis.Z).connect_to(RigidJoint("pin", arm), angle=0)`, and
LinearJoint, CylindricalJoint and BallJoint; their label is the joint's name. `connect_to` moves the other part. The
range is a limit: (0, 360) turns freely. What slides needs a limit, and a partner that is a rail beside it all the way.
Two RigidJoints glue. Connect the parts themselves, never copies, before they go into the assembly.

Bought parts: `catalog.search("a 12 V gear motor with at least 1 N m, cheap")` finds parts by a description, in a cell
only; `catalog.part("mg996r")`, also written `catalog_part("mg996r")`, creates one by its id, also in script.py. Of a
motor it is the housing: +z at its origin is the axis of its shaft. `print(HARDWARE)` lists motors, screws and bearings.
"""

from kernel.api import catalog_api as catalog
from kernel.api.clearances import clearance
from kernel.api.engineer_api import (
    ManufacturingMethod,
    refuse_plan,
    run_script,
    simulate,
    submit,
    submit_for_review,
)
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
from kernel.api.pricing import price, validate_and_price
from kernel.api.sweeps import sweep
from parts_catalog.hardware import HARDWARE

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
    "catalog",
    "catalog_part",
    "clearance",
    "drive",
    "fastened",
    "gears",
    "glue",
    "price",
    "rack",
    "refuse_plan",
    "run_script",
    "screw",
    "simulate",
    "submit",
    "submit_for_review",
    "sweep",
    "validate_and_price",
]
