"""The job that writes the build package of a judged design, apart from the verdict, which must not fail with it."""

from build_package.machine import Machine, MadePart
from build_package.package import build_package, zipped
from geometry.single_solid import read_single_solid
from parts_catalog.methods.workshop_figures import ToleranceClass
from workbenches.quote import choose_tolerance_class

from cad_worker.job_protocol import BuildFiles, BuildRequest


def build(request: BuildRequest) -> BuildFiles:
    """Return the package."""
    solids = {part.label: read_single_solid(part.brep) for part in request.design.parts}
    classes: dict[str, ToleranceClass] = {
        part.label: choose_tolerance_class(part.tolerance_class) for part in request.design.parts
    }
    made = tuple(
        MadePart(solids[first.label], (first, *more), classes[first.label], request.part_steps[first.label])
        for first, *more in request.bill.kinds
    )
    machine = Machine(
        title=request.title,
        run=request.run,
        bill=request.bill,
        made=made,
        solids=solids,
        catalog_ids={part.label: part.catalog_id for part in request.design.parts if part.catalog_id is not None},
        mechanism=request.design.mechanism,
        drives=tuple(drive for drive in request.drives if drive.label in solids),
        assembly=request.assembly,
    )
    return BuildFiles(zip=zipped(build_package(machine)))
