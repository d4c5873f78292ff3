"""The job that writes the build package of a judged design, apart from the verdict, which must not fail with it."""

from build_package.archive import zipped
from build_package.machine import Machine, MadePart
from build_package.package import build_package
from geometry.single_solid import read_single_solid
from parts_catalog.methods.workshop_figures import ToleranceClass
from workbenches.quote import choose_tolerance_class

from cad_worker.bodies.solid_bodies import Part
from cad_worker.job_protocol import BuildFiles, BuildRequest
from cad_worker.validation.transmission.teeth import pitch_lines_mm


def build(request: BuildRequest) -> BuildFiles:
    """Return the package."""
    solids = {part.label: read_single_solid(part.brep) for part in request.design.parts}
    classes: dict[str, ToleranceClass] = {
        part.label: choose_tolerance_class(part.tolerance_class) for part in request.design.parts
    }
    parts = [Part(each.label, solids[each.label], catalog_id=each.catalog_id) for each in request.design.parts]
    made = tuple(
        MadePart(
            solids[first.label],
            (first, *more),
            classes[first.label],
            request.part_steps[first.label],
        )
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
        scene=request.scene,
        assembly=request.assembly,
        teeth_mm=pitch_lines_mm(parts, request.design.mechanism),
    )
    return BuildFiles(zip=zipped(build_package(machine)))
