"""What every machine designer needs. Read-only.

- `ManufacturingMethod`: how a part is made: CNC, PRINTING_3D or INJECTION_MOLDING.
- `validate_and_price(component)`: prints what the workbenches say of a part or an assembly, returns its price in USD.
- `simulate(assembly)`: a free preview of the physics; prints what happened, returns a run: `run.verdict`,
  `run.summary_md`, and what moved when (seconds, absolute): `run.payload_mm`, `run.joint("hinge")`, `run.at(1.25)`,
  `run[1.0:2.5]`; `show(run)` and `show(run[1.0:2.5])` draw it.
- `show(*things, label=None)`: lets you see parts, assemblies, matplotlib figures, uint8 arrays or runs.
- `run_script()`: runs script.py in a fresh kernel, prints what came of it and returns its observation.
- `submit_for_review(assembly)`: hands script.py in for the verdict; ends the cell.
- `refuse_plan(proof)`: says that the plan is impossible; the critic judges it. The proof says why in a sentence or two
  and cites what shows it as `[cell 3]` or `[simulation 1]`, counted over the run; without, nothing is refused.

An assembly is a build123d `Compound` whose children are labelled parts, each with
`part.metadata = {"manufacturing_method": ManufacturingMethod.CNC, "material_id": "aluminum-6061"}`.

A part that nothing holds falls. What holds and drives parts stands in `assembly.metadata = {"mechanism": [...]}`:

- `*bond_contacts(*parts, to=environment)`: glues all that touch, with each other and with the environment.
- `bonded(leg, "floor")`: glues two. A part may stand for itself or be named by its label.
- `fastened(arm, frame, "iso4762-m4x16", at=[(0, 0, 9)], into=(0, 0, -1))`: screws, one per place of a head.
- `drive(servo, joint="hinge", control=Positions(times_s=[1, 2], targets=[0, 60]))`: a bought motor on a joint.
  `Constant(share=0.5)` and `Steps(times_s=[0, 2], shares=[1, 0])` give shares of the motor's voltage, `Positions` and
  `Oscillation(amplitude=20, frequency_hz=0.5)` targets in degrees or millimetres, from the initial pose.
- `gears("pinion", "wheel", ratio=-12 / 36)` and `rack("pinion", "slide", pinion_radius_mm=10)`: meshing joints.
- `carried("hinge", "608zz")`: a bought bearing instead of a plain one.

Joints are build123d's own: `RevoluteJoint("hinge", base, axis=Axis.Z).connect_to(RigidJoint("pin", arm), angle=0)`, and
LinearJoint, CylindricalJoint and BallJoint; their label is the joint's name. `connect_to` moves the other part. The
range counts: (0, 360) turns freely. Two RigidJoints glue. Connect parts before they go into the assembly, never copies.

What is bought: `catalog.search("a 12 V gear motor with at least 1 N m, cheap")` finds parts by words, in a cell only;
`catalog.part("mg996r")`, also written `catalog_part("mg996r")`, makes one by its id, in script.py, too. Of a motor it
is the housing: +z at its origin is the axis of its shaft. `print(HARDWARE)` lists motors, screws and bearings in short.
"""

from contracts.models.mechanism import Constant, Oscillation, Positions, Steps
from kernel.api import catalog_api as catalog
from kernel.api.engineering import (
    ManufacturingMethod,
    refuse_plan,
    run_script,
    simulate,
    submit_for_review,
    validate_and_price,
)
from kernel.api.mechanism_api import bond_contacts, bonded, carried, catalog_part, drive, fastened, gears, rack
from parts_catalog.hardware import HARDWARE

__all__ = [
    "HARDWARE",
    "Constant",
    "ManufacturingMethod",
    "Oscillation",
    "Positions",
    "Steps",
    "bond_contacts",
    "bonded",
    "carried",
    "catalog",
    "catalog_part",
    "drive",
    "fastened",
    "gears",
    "rack",
    "refuse_plan",
    "run_script",
    "simulate",
    "submit_for_review",
    "validate_and_price",
]
