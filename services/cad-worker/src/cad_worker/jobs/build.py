"""The job that writes the build package of a judged design, apart from the verdict, which must not fail with it."""

from collections.abc import Iterator, Mapping

from build123d import Solid
from build_package.archive import zipped
from build_package.machine import Machine, MadePart
from build_package.package import build_package
from build_package.paths import GLB, STEP
from build_package.robot.groups import part_groups
from build_package.robot.links import robot_of
from build_package.screw_holes import DrilledPart, drilled_parts, insert_holes, screw_holes
from build_package.teeth.solids import ToothedPart, toothed_parts
from contracts.models.design import BillLine
from design_rules.bodies.multibody import MultibodySystem
from design_rules.bodies.solid_bodies import Part, SolidBody
from design_rules.transmission.mates import motor_fronts
from design_rules.transmission.teeth import pitch_lines_mm
from geometry.single_solid import read_single_solid
from parts_catalog.materials import MATERIALS
from workbenches.quote import choose_tolerance_class

from cad_worker.exports.colors import finish_of
from cad_worker.exports.gltf import assembly_glb
from cad_worker.exports.step import assembly_step, part_step
from cad_worker.job_protocol import BuildFiles, BuildRequest


def build(request: BuildRequest) -> BuildFiles:
    """Return the package."""
    solids = {part.label: read_single_solid(part.brep) for part in request.design.parts}
    parts = [Part(each.label, solids[each.label], catalog_id=each.catalog_id) for each in request.design.parts]
    made = {line.label: solids[line.label] for line in request.bill.lines}
    printed = frozenset(line.label for line in request.bill.lines if line.method == "3d_printing")
    mechanism = request.design.mechanism
    fronts = tuple(motor_fronts(MultibodySystem({part.label: part for part in parts}, mechanism)))
    wheels = {mesh.wheel.label for mesh in request.tooth_meshes}
    passages = (hole for front in fronts for hole in front.passages(made, wheels))
    catalog_ids = {part.label: part.catalog_id for part in request.design.parts if part.catalog_id is not None}
    drilled = drilled_parts((*screw_holes(mechanism), *insert_holes(mechanism, catalog_ids, solids), *passages), made)
    bored = {label: each.solid for label, each in drilled.items()}
    toothed, undrawn = toothed_parts(request.tooth_meshes, {**made, **bored}, printed)
    machine = Machine(
        title=request.title,
        run=request.run,
        bill=request.bill,
        made=tuple(_made_parts(request, made, toothed, drilled)),
        solids={**solids, **bored, **{label: each.solid for label, each in toothed.items()}},
        catalog_ids=catalog_ids,
        mechanism=mechanism,
        scene=request.scene,
        assembly=request.assembly,
        teeth_mm=pitch_lines_mm(parts, mechanism),
        tooth_meshes=request.tooth_meshes,
        fronts=fronts,
        undrawn=undrawn,
    )
    return BuildFiles(zip=zipped(build_package(machine) | _assembly_files(machine)))


def _assembly_files(machine: Machine) -> dict[str, bytes]:
    """Return the whole machine as it is built."""
    materials = {line.label: line.material_id for line in machine.bill.lines}
    bodies = [SolidBody(label, solid) for label, solid in machine.delivered.items()]
    finishes = [finish_of(materials.get(body.label, ""), body.label) for body in bodies]
    groups = part_groups(robot_of(machine.scene), machine.solids)
    step = assembly_step("machine", bodies, finishes, groups)
    return {STEP: step, GLB: assembly_glb("machine", bodies, finishes, kind="design")}


def _made_parts(
    request: BuildRequest,
    solids: Mapping[str, Solid],
    toothed: Mapping[str, ToothedPart],
    drilled: Mapping[str, DrilledPart],
) -> Iterator[MadePart]:
    """Yield each kind of made part; one with teeth or holes of screws is a kind of its own: they are where it needs
    them."""
    own = {*toothed, *drilled}
    for kind in request.bill.kinds:
        plain = tuple(line for line in kind if line.label not in own)
        for lines in ((plain,) if plain else ()) + tuple((line,) for line in kind if line.label in own):
            label = lines[0].label
            teeth, holes = toothed.get(label), drilled.get(label)
            cut = teeth or holes
            step = request.part_steps[label] if cut is None else _cut_step(lines[0], cut.solid)
            tolerance = next(each.tolerance_class for each in request.design.parts if each.label == label)
            tolerance_class = choose_tolerance_class(tolerance)
            yield MadePart(solids[label], lines, tolerance_class, step, teeth, holes, len(kind))


def _cut_step(line: BillLine, solid: Solid) -> bytes:
    body = Part(line.label, solid, MATERIALS[line.material_id])
    return part_step(body, finish_of(line.material_id, line.label))
