"""What every machine designer needs. Read-only.

- `ManufacturingMethod`: how a part is made: CNC, PRINTING_3D or INJECTION_MOLDING.
- `validate_and_price(component)`: prints what the workbenches say of a part or an assembly, returns its price in USD.
- `simulate(assembly)`: a free preview of the physics; prints what happened, returns a `SimulationResult`.
- `show(*things, label=None)`: lets you see parts, assemblies, matplotlib figures, uint8 arrays or simulation results.
- `run_script()`: runs script.py in a fresh kernel, prints what came of it and returns its observation.
- `submit_for_review(assembly)`: hands script.py in for the verdict; ends the cell.
- `refuse_plan(proof)`: tells the planner that the plan is impossible, and why; ends the cell.

An assembly is a build123d `Compound` whose children are labelled parts, each with
`part.metadata = {"manufacturing_method": ManufacturingMethod.CNC, "material_id": "aluminum-6061"}`.
"""

from kernel.engineering import (
    ManufacturingMethod,
    refuse_plan,
    run_script,
    simulate,
    submit_for_review,
    validate_and_price,
)

__all__ = [
    "ManufacturingMethod",
    "refuse_plan",
    "run_script",
    "simulate",
    "submit_for_review",
    "validate_and_price",
]
