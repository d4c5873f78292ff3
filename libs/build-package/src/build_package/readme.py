"""The README of a build package: what a stranger follows from parts to a working machine."""

from collections.abc import Iterator, Sequence

from contracts.models.design import BillOfMaterials
from parts_catalog.methods.registry import METHODS
from parts_catalog.methods.workshop_figures import FILAMENT_RATES

from build_package.assembly.work_steps import WorkStep, site_work
from build_package.control.bought import electronics_lines
from build_package.control.circuit import Circuit
from build_package.control.texts import control_section
from build_package.cost.quantities import Cost
from build_package.drawings.notes import hole_notes
from build_package.fits.tables import PlayTables
from build_package.machine import Machine
from build_package.paths import (
    BILL,
    BOOKLET,
    FITS,
    GAPS,
    GLB,
    ROBOT,
    SDF,
    STEP,
    URDF,
    part_path,
    picture_path,
    plate_path,
)
from build_package.printing.plates import Plate
from build_package.teeth.texts import ratio_lines, tooth_rows

MOST_NAMED = 6
"""Labels in one cell of a table."""
MOST_ROWS = 12
"""Of gaps and of fits."""
MOST_CHARS = 120
"""Of a text in one cell."""


def readme(  # noqa: PLR0913, PLR0917 - all that the text tells of
    machine: Machine,
    plates: Sequence[Plate],
    steps: Sequence[WorkStep],
    circuit: Circuit | None,
    cost: Cost,
    play: PlayTables,
) -> str:
    """Return the whole text as Markdown."""
    sections = [
        _opening(machine),
        ("## 1. Buy and order", *_bill(machine.bill)),
        ("## 2. Make the parts", *_parts(machine)),
        *((("### Plates to print", *_plates(plates)),) if plates else ()),
        ("## 3. Put it together", *_assembly(machine, steps)),
        ("## 4. Mount it", *_site(machine)),
        *((("## 5. Power and control", *_control(machine.bill, circuit)),) if circuit is not None else ()),
        *((("## Gaps and fits", *_play(play)),) if play.gaps or play.fits else ()),
        ("## What a shop would charge", *_cost(machine.bill, cost)),
        ("## For simulators", *_simulators()),
    ]
    return "\n".join(line for section in sections for line in (*section, ""))


def _opening(machine: Machine) -> tuple[str, ...]:
    bill = machine.bill
    return (
        f"# How to build the machine of {machine.title}",
        "",
        f"Run `{machine.run}`. {bill.part_count} parts, {bill.mass_kg:.3f} kg, {bill.unit_price_usd:.2f} USD each in "
        f"an order of {bill.quantity}. All lengths are millimetres, in the coordinates of the benchmark: z points up. "
        f"To print: [{BOOKLET}]({BOOKLET}).",
    )


def _play(play: PlayTables) -> Iterator[str]:
    yield "As drawn, and what the tolerances of the methods leave of it: check these before anything is glued."
    if play.fits:
        yield ""
        yield f"Shafts in holes, the tightest first ([all]({FITS})):"
        yield ""
        yield "| hole in | shaft of | hole mm | shaft mm | play mm | with tolerances mm | |"
        yield "|---|---|---|---|---|---|---|"
        for fit in play.fits[:MOST_ROWS]:
            spread = f"{fit.play_mm - fit.tolerance_mm:.2f} to {fit.play_mm + fit.tolerance_mm:.2f}"
            sizes = (f"{fit.hole_mm:.2f}", f"{fit.shaft_mm:.2f}", f"{fit.play_mm:.2f}", spread)
            yield _row(f"`{fit.hole}`", f"`{fit.shaft}`", *sizes, fit.verdict)
    if play.gaps:
        yield ""
        yield f"Parts that move past each other, over the range of each joint, the narrowest first ([all]({GAPS})):"
        yield ""
        yield "| part | other part | least gap mm | at joint | likely tolerance mm | at worst mm | over the parts | |"
        yield "|---|---|---|---|---|---|---|---|"
        for gap in play.gaps[:MOST_ROWS]:
            place = f"`{gap.joint}` at {gap.position:.1f} {gap.unit}"
            stack = gap.stack
            sizes = (
                f"{gap.gap_mm:.2f}",
                place,
                f"{stack.likely_mm:.2f}",
                f"{stack.worst_mm:.2f}",
                _named(stack.labels),
            )
            yield _row(f"`{gap.first}`", f"`{gap.second}`", *sizes, gap.verdict)


def _cost(bill: BillOfMaterials, cost: Cost) -> Iterator[str]:
    yield f"Estimates. A benchmark limits the price of parts and hardware in an order of {bill.quantity}, nothing else:"
    yield "work, and the power and control that a benchmark supplies, are in no limit."
    yield ""
    more = ("with power and control USD each",) if bill.supplied else ()
    head = ("machines", "parts and hardware USD each", "work USD each", "price USD each", *more)
    yield _row(*head)
    yield f"|{'---|' * len(head)}"
    for each in cost.prices:
        sums = [each.parts_usd, each.work_usd, each.unit_price_usd, each.unit_price_usd + each.supplied_usd]
        yield _row(each.quantity, *(f"{price:.2f}" for price in sums[: len(head) - 1]))
    yield ""
    yield f"The work on a single machine is {sum(each.minutes for each in cost.work):.0f} minutes:"
    yield ""
    yield "| work | minutes |"
    yield "|---|---|"
    yield from (_row(_plain(each.what), f"{each.minutes:.1f}") for each in cost.work)


def _control(bill: BillOfMaterials, circuit: Circuit) -> Iterator[str]:
    lines = electronics_lines(circuit, bill.quantity)
    return control_section(circuit, lines, is_supplied=bool(bill.supplied))


def _plain(text: str) -> str:
    """Return a text of a table's cell; labels hold no line of a table, but may be long."""
    return text if len(text) <= MOST_CHARS else f"{text[:MOST_CHARS]}..."


def _simulators() -> Iterator[str]:
    yield f"The machine as it was judged, in SI units: [URDF]({ROBOT}/{URDF}) for ROS, [SDF]({ROBOT}/{SDF}) for Gazebo"
    yield "and Drake. Each part is a link with mass and inertia, its exact surface to be seen and the judge's convex"
    yield "shapes to be touched. What never moves in the benchmark is the world. Gears are joints that follow others."


def _bill(bill: BillOfMaterials) -> Iterator[str]:
    yield f"The same as a workbook, with the place and size of each piece: [{BILL}]({BILL})."
    yield ""
    yield "| item | pieces | how | material, or catalog id | mass g each | price USD each |"
    yield "|---|---|---|---|---|---|"
    for kind in bill.kinds:
        line = kind[0]
        cells = (_named([each.label for each in kind]), len(kind), METHODS[line.method].verb, line.material_id)
        yield _row(*cells, f"{line.mass_kg * 1000:.1f}", f"{line.unit_price_usd:.2f}")
    for bought in bill.hardware:
        cells = (bought.what, bought.count, "bought", f"`{bought.catalog_id}`")
        yield _row(*cells, f"{bought.mass_kg * 1000:.1f}", f"{bought.unit_price_usd:.2f}")
    yield _row("**one machine**", "", "", "", f"{bill.mass_kg * 1000:.1f}", f"{bill.unit_price_usd:.2f}")
    if bill.supplied:
        yield _row("supplied by the benchmark, in no total: see 5", "", "", "", "", f"{bill.supplied_usd:.2f}")


def _parts(machine: Machine) -> Iterator[str]:
    yield "| part | pieces | how | size mm | files |"
    yield "|---|---|---|---|---|"
    for part in machine.made:
        size = " x ".join(f"{edge:.2f}" for edge in sorted(part.mesh.extents_mm, reverse=True))
        files = ", ".join(
            f"[{ending[1:]}]({_address(part_path(part, ending))})" for ending in METHODS[part.line.method].files
        )
        yield _row(
            _named(part.labels), len(part.labels), f"{METHODS[part.line.method].verb}, {part.material.id}", size, files
        )
    yield from _holes(machine)
    yield from _teeth(machine)
    if machine.fronts:
        yield ""
        yield "Bought motors, as they are drawn in pictures and assembly; x is along the longer side of the face:"
        yield ""
        for front in machine.fronts:
            blocked = front.reaches_into(machine.solids)
            advice = f"; its lugs reach into {_named(blocked)}: cut them out there" if blocked else ""
            yield f"- `{front.label}`: {front.text}{advice}"


def _holes(machine: Machine) -> Iterator[str]:
    drilled = [(part.label, part.drilled) for part in machine.made if part.drilled is not None]
    if drilled:
        yield ""
        yield "Holes of screws and of motors' shafts are in the files; what they are for:"
        yield ""
        yield from (f"- `{label}`: {', '.join(hole_notes(part))}" for label, part in drilled)


def _teeth(machine: Machine) -> Iterator[str]:
    toothed = {part.label: part.toothed for part in machine.made if part.toothed is not None}
    if toothed:
        yield ""
        yield "Wheels and racks have involute teeth of 20°, in their files and pictures; drawings show the blank before"
        yield "they are cut. The design, its bill and mass have the disc of the pitch diameter, or the straight side."
        yield ""
        yield "| part | teeth | module mm | pitch circle mm | tip circle mm |"
        yield "|---|---|---|---|---|"
        yield from (_row(f"`{label}`", *cells) for label, *cells in tooth_rows([*toothed.values()]))
        yield ""
        yield from (f"- {line}" for line in ratio_lines(machine.tooth_meshes, toothed, machine.mechanism))
        yield "- a wheel on a motor's shaft has a bore of its diameter, and where wall and width allow it the 2.5 mm"
        yield "  hole of an M3 set screw; turn wheels until their teeth meet before they are fixed"
    yield from (f"- the teeth of `{label}` are not drawn: it {why}" for label, why in machine.undrawn.items())


def _plates(plates: Sequence[Plate]) -> Iterator[str]:
    yield "Parts lie as their price assumes. Layers: the tolerance class of the part decides."
    yield ""
    yield "| plate | bed mm | material | layer mm | pieces |"
    yield "|---|---|---|---|---|"
    for plate in plates:
        first = plate.first
        bed = " x ".join(f"{edge:g}" for edge in first.printer.build_volume_mm)
        layer = "" if first.is_powder else f"{FILAMENT_RATES.layers_mm[first.part.tolerance_class]:g}"
        pieces = _named([piece.label for piece in plate.pieces])
        if plate.beyond:
            pieces += f"; beyond the bed as drawn, to be stood up or laid askew: {_named(plate.beyond)}"
        yield _row(f"[{plate.name}]({_address(plate_path(plate))})", bed, first.part.material.id, layer, pieces)


def _assembly(machine: Machine, steps: Sequence[WorkStep]) -> Iterator[str]:
    if not steps:
        yield f"The machine is one part, {_named(list(machine.solids))}."
        return
    yield "In this order every part has a way into its place. Pictures show what comes in colour, before its way in."
    yield f"The whole machine as it is built, each part by its label: [STEP]({STEP}), [GLB]({GLB})."
    for number, step in enumerate(steps, start=1):
        yield ""
        yield f"### Step {number}"
        yield f"{_moved(step, number)} About {step.minutes:.1f} minutes."
        yield from (f"- {each}" for each in step.fixings)
        yield ""
        yield f"![step {number}]({picture_path(number)})"


def _moved(step: WorkStep, number: int) -> str:
    placed, way = _named(step.placed), step.way
    if step.joined_to:
        return f"Bring {placed} to {_named(step.joined_to)}, {way}."
    beside = _named(step.onto) if number == 1 else "what is there"
    return f"Bring {placed} into place beside {beside}, {way}: a later part, or the site, joins them."


def _site(machine: Machine) -> Iterator[str]:
    work = site_work(machine)
    if not work:
        yield "Nothing joins it to the benchmark's own solids: it is put down where the assembly file has it."
    yield from (f"- {each.text}" for each in work)


def _named(labels: Sequence[str]) -> str:
    """Return labels as code, which Markdown leaves alone; those of many parts are counted."""
    shown = ", ".join(f"`{label}`" for label in labels[:MOST_NAMED])
    return shown if len(labels) <= MOST_NAMED else f"{shown} and {len(labels) - MOST_NAMED} more"


def _address(path: str) -> str:
    """Return a path in a form that Markdown reads as one address."""
    return f"<{path}>" if any(sign in path for sign in " ()") else path


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"
