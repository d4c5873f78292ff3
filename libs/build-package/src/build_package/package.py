"""The build package: all files by which a workshop makes a machine, by their paths."""

from collections.abc import Iterator, Sequence

from contracts.models.label import file_name
from workbenches.part_mesh import PartMesh
from workbenches.sheet_metal.bench import pattern_of

from build_package.assembly.pictures import StepPictures
from build_package.assembly.work_steps import WorkStep, work_steps
from build_package.bill_workbook import bill_workbook
from build_package.booklet.pages import as_booklet
from build_package.control.circuit import Circuit
from build_package.control.program import program_text
from build_package.control.schedule import schedule_csv
from build_package.control.texts import SCHEDULE, WIRING, program_path, wiring_csv
from build_package.cost.quantities import cost_of
from build_package.drawings.dxf import as_dxf
from build_package.drawings.flat_pattern import flat_pattern_dxf
from build_package.drawings.layout import drawing
from build_package.drawings.notes import drawing_notes
from build_package.drawings.pdf import as_pdf
from build_package.drawings.title_block import TitleBlock
from build_package.drawings.views import three_views
from build_package.fits.moving_gaps import moving_gaps
from build_package.fits.shaft_fits import shaft_fits
from build_package.fits.tables import PlayTables, fits_csv, gaps_csv
from build_package.machine import Machine, MadePart
from build_package.paths import BILL, BOOKLET, FITS, GAPS, README, ROBOT, SDF, URDF, part_path, picture_path, plate_path
from build_package.printing.bed import BedPart, on_bed
from build_package.printing.mesh_files import NamedMesh, as_3mf, as_stl
from build_package.printing.plates import Plate, plates_of
from build_package.readme import readme
from build_package.robot.links import robot_of
from build_package.robot.sdf import as_sdf
from build_package.robot.shapes import link_shapes
from build_package.robot.urdf import as_urdf


def build_package(machine: Machine) -> dict[str, bytes]:
    """Return the files."""
    printed = [on_bed(part) for part in machine.made if part.line.method == "3d_printing"]
    plates, steps, circuit = plates_of(printed), work_steps(machine), machine.circuit
    cost = cost_of(machine, steps, circuit)
    files = {
        BILL: bill_workbook(machine.bill, cost),
        **{path: data for part in printed for path, data in _print_files(part)},
        **{plate_path(plate): _plate_file(plate) for plate in plates},
        **{path: data for part in machine.made for path, data in _shop_files(part, machine)},
        **_pictures(machine, steps),
        **_robot_files(machine),
    }
    gaps, fits = moving_gaps(machine), shaft_fits(machine)
    files |= {GAPS: gaps_csv(gaps).encode()} if gaps else {}
    files |= {FITS: fits_csv(fits).encode()} if fits else {}
    if circuit is not None:
        files |= _control_files(circuit)
    text = readme(machine, plates, steps, circuit, cost, PlayTables(gaps, fits))
    return {README: text.encode(), BOOKLET: as_booklet(text, files, f"{machine.title}, run {machine.run}"), **files}


def _print_files(part: BedPart) -> Iterator[tuple[str, bytes]]:
    mesh = NamedMesh(part.part.label, part.part.material.id, part.vertices_mm, part.triangles)
    yield part_path(part.part, ".3mf"), as_3mf(part.part.label, [mesh])
    yield part_path(part.part, ".stl"), as_stl(mesh)


def _plate_file(plate: Plate) -> bytes:
    meshes = [
        NamedMesh(each.label, each.bed_part.part.material.id, each.vertices_mm, each.bed_part.triangles)
        for each in plate.pieces
    ]
    return as_3mf(plate.name, meshes)


def _shop_files(part: MadePart, machine: Machine) -> Iterator[tuple[str, bytes]]:
    """Yield STEP and drawing of a part that is not printed, and the flat pattern of a sheet."""
    if part.line.method == "3d_printing":
        return
    views = three_views(part.drawn_mesh)
    notes = drawing_notes(part, views)
    sheet = drawing(part, views, TitleBlock(part, machine.title, machine.run), notes)
    yield part_path(part, ".step"), part.step_file
    yield part_path(part, ".pdf"), as_pdf(sheet)
    yield part_path(part, ".dxf"), as_dxf(sheet)
    if part.line.method == "sheet_metal":
        pattern, _ = pattern_of(PartMesh.of(part.delivered), part.material.id)
        if pattern is not None:
            yield part_path(part, "-flat.dxf"), flat_pattern_dxf(pattern)


def _control_files(circuit: Circuit) -> dict[str, bytes]:
    files = {WIRING: wiring_csv(circuit), SCHEDULE: schedule_csv(circuit.motors)}
    for number in range(1, circuit.controllers + 1):
        files[program_path(number)] = program_text([each for each in circuit.motors if each.controller == number])
    return {path: text.encode() for path, text in files.items()}


def _robot_files(machine: Machine) -> dict[str, bytes]:
    """Return URDF, SDF and the meshes that both name."""
    robot = robot_of(machine.scene)
    links = [link for link in robot.links if link.body is not None]
    shapes = {link.name: link_shapes(link, machine.delivered.get(link.name)) for link in links}
    files = {path: data for each in shapes.values() for path, data in each.files.items()}
    name = file_name(machine.title)
    written = {URDF: as_urdf(name, robot, shapes), SDF: as_sdf(name, robot, shapes)}
    return {f"{ROBOT}/{path}": data for path, data in (written | files).items()}


def _pictures(machine: Machine, steps: Sequence[WorkStep]) -> dict[str, bytes]:
    if not steps:
        return {}
    pictures = StepPictures(machine.delivered, steps)
    return {picture_path(number): pictures.draw(step) for number, step in enumerate(steps, start=1)}
