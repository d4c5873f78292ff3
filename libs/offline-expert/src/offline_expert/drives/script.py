"""script.py of a machine with a motor: one call per printed part, then the slide and its drive."""

from collections.abc import Collection

from offline_expert.drives.machine import (
    BORE_MM,
    PINION_GAP_MM,
    PINION_MM,
    PINION_WIDTH_MM,
    DrivenMachine,
    PrintedPart,
)
from offline_expert.script_text import box_call, free_label, number, own_label, triple

_HEADER = '''\
"""{summary}

Lengths in millimetres, angles in degrees. Parts that touch keep a gap of 0.01 mm, which counts as contact.
"""

from build123d import Axis, Box, Compound, Cylinder, LinearJoint, Location
from build123d import Plane, Polygon, Pos, RigidJoint, Rot, extrude
from utils import ManufacturingMethod, Positions, bond_contacts, bonded, catalog_part, drive

METHOD = ManufacturingMethod.PRINTING_3D
MATERIAL_ID = "pla"
BORE_MM = {bore}

parts = {{}}
{own_label}


def box_part(label, size_mm, center_mm, yaw_deg=0.0, pitch_deg=0.0, bored=None):
    """Add a printed box; `bored` is the location of the shaft that passes through it."""
    box = Pos(*center_mm) * Rot(0, 0, yaw_deg) * Rot(0, pitch_deg, 0) * Box(*size_mm)
    add(label, box if bored is None else box - bored * Cylinder(BORE_MM / 2, 40))


def wedge_part(label, foot_mm, length_mm, width_mm, heights_mm, yaw_deg=0.0):
    """Add a wedge, given by the centre of its foot; its top falls from the rear height to the front height."""
    half, (rear, front) = length_mm / 2, heights_mm
    side = Polygon((-half, 0), (half, 0), (half, front), (-half, rear), align=None)
    add(label, Pos(*foot_mm) * Rot(0, 0, yaw_deg) * extrude(Plane.XZ * side, width_mm / 2, both=True))


{plate}def add(label, part):
    """Set label, method and material of a part and add it."""
    part.label = own(label)
    part.metadata = {{"manufacturing_method": METHOD, "material_id": MATERIAL_ID}}
    parts[label] = part


# The motor: its shaft leaves the housing here.
shaft = Pos{at} * Rot(0, 0, {yaw}) * Rot(0, {tilt}, 0)
motor = shaft * catalog_part("{motor}")
motor.label = own("motor")

# The pinion, a toothed wheel modelled as a disc of its pitch diameter, on the shaft behind the plate.
pinion = shaft * Pos(0, 0, {reach}) * Cylinder({pinion}, {width})
pinion.label = own("pinion")
pinion.metadata = {{"manufacturing_method": METHOD, "material_id": MATERIAL_ID}}
'''

_PLATE = '''\
def plate_part(label, size_mm, center_mm, taper_mm, yaw_deg=0.0):
    """Add a plate that is narrower at its front: on its right, or, with a negative taper, on its left."""
    half, side, height = size_mm[0] / 2, size_mm[1] / 2, size_mm[2]
    right, left = -side + max(taper_mm, 0), side + min(taper_mm, 0)
    outline = Polygon((-half, -side), (half, right), (half, left), (-half, side), align=None)
    add(label, Pos(*center_mm) * Rot(0, 0, yaw_deg) * extrude(outline, height / 2, both=True))


'''

_FOOTER = """\

# The carriage slides along the rail, on whose side the pinion climbs.
seat = {seat}
slide = LinearJoint("{joint}", parts["{rail}"], axis=Axis(seat, {direction}), linear_range=(-1, STROKE_MM + 5))
slide.connect_to(RigidJoint("seat", parts["{carriage}"], Location(seat{turned})), position=0)

# The motion starts and ends gently: through its gears the rotor acts like a dozen kilograms on the rack.
duration_s = 1.5 * STROKE_MM / {speed}
shares = [step / 24 for step in range(25)]
control = Positions(
    times_s=[{delay} + share * duration_s for share in shares],
    targets=[STROKE_MM * (3 * share**2 - 2 * share**3) for share in shares],
)

# All parts that touch are glued: the fixed parts become one body, the carriage and its motor another. The motor's shaft
# alone holds the pinion.
assembly = Compound(label="machine", children=[*parts.values(), motor, pinion])
assembly.metadata = {{
    "mechanism": [
        *bond_contacts(*parts.values(), to=environment),
        bonded(motor, parts["{carriage}"]),
        drive(motor, joint=slide, control=control, pinion=pinion, rack=parts["{rail}"]),
    ]
}}
"""


def write_machine(machine: DrivenMachine, taken: Collection[str] = ()) -> str:
    """Return the text of script.py; no part and no joint gets one of the `taken` labels."""
    header = _HEADER.format(
        summary=machine.summary,
        own_label=own_label(["motor", "pinion", *(part.label for part in machine.printed)], taken),
        plate=_PLATE if any(part.taper_mm for part in machine.printed) else "",
        bore=number(BORE_MM),
        pinion=number(PINION_MM),
        at=triple(machine.motor_at),
        yaw=number(machine.yaw_deg),
        tilt=number(machine.motor_tilt_deg),
        width=number(PINION_WIDTH_MM),
        reach=number(machine.plate_mm + PINION_GAP_MM + PINION_WIDTH_MM / 2),
        motor=machine.motor.id,
    )
    slide = machine.slide
    yaw_deg = next(part.box.yaw_deg for part in machine.printed if part.label == slide.rail)
    footer = _FOOTER.format(
        joint=free_label("slide", taken),
        seat=triple(slide.seat),
        turned=f", (0, 0, {number(yaw_deg)})" if yaw_deg else "",
        rail=slide.rail,
        direction=triple(slide.direction),
        carriage=slide.carriage,
        speed=number(machine.speed_mm_s),
        delay=number(machine.delay_s),
    )
    calls = "".join(_call(part) for part in machine.printed)
    return f"{header}{calls}\nSTROKE_MM = {number(slide.stroke_mm)}\n{footer}"


def _call(part: PrintedPart) -> str:
    comment = f"\n# {part.comment}\n" if part.comment else ""
    if part.rear_height_mm is not None:
        return comment + _wedge_call(part, part.rear_height_mm)
    if part.taper_mm:
        call = box_call(part.label, part.box, f", taper_mm={number(part.taper_mm)}")
        return comment + call.replace("box_part", "plate_part", 1)
    return comment + box_call(part.label, part.box, ", bored=shaft" if part.is_bored else "")


def _wedge_call(part: PrintedPart, rear_height_mm: float) -> str:
    (x, y, z), (length, width, front) = part.box.center, part.box.size
    foot, heights = triple((x, y, z - front / 2)), f"({number(rear_height_mm)}, {number(front)})"
    sizes = f"length_mm={number(length)}, width_mm={number(width)}, heights_mm={heights}"
    turned = f", yaw_deg={number(part.box.yaw_deg)}" if part.box.yaw_deg else ""
    return f'wedge_part("{part.label}", foot_mm={foot}, {sizes}{turned})\n'
