"""script.py of a machine with a motor: one call for each printed part, then what slides and what drives it."""

from offline_expert.drives.machine import BORE_MM, PINION_MM, Machine, Printed
from offline_expert.routing.boxes import Vec

_HEADER = '''\
"""{summary}

Lengths in millimetres, angles in degrees. Parts that touch keep a gap of 0.01 mm: that is contact, never overlap.
"""

from build123d import Axis, Box, Compound, Cylinder, LinearJoint, Location
from build123d import Plane, Polygon, Pos, RigidJoint, Rot, extrude
from utils import ManufacturingMethod, Positions, bond_contacts, bonded, catalog_part, drive

METHOD = ManufacturingMethod.PRINTING_3D
MATERIAL_ID = "pla"
BORE_MM = {bore}

parts = {{}}


def box_part(label, size_mm, center_mm, yaw_deg=0.0, pitch_deg=0.0, bored=None):
    """Add one printed box; `bored` is the shaft that passes through it."""
    box = Pos(*center_mm) * Rot(0, 0, yaw_deg) * Rot(0, pitch_deg, 0) * Box(*size_mm)
    add(label, box if bored is None else box - bored * Cylinder(BORE_MM / 2, 40))


def wedge_part(label, foot_mm, length_mm, width_mm, heights_mm, yaw_deg=0.0):
    """Add a wedge on the middle of its foot, its top from the rear height down to the front height."""
    half, (rear, front) = length_mm / 2, heights_mm
    side = Polygon((-half, 0), (half, 0), (half, front), (-half, rear), align=None)
    add(label, Pos(*foot_mm) * Rot(0, 0, yaw_deg) * extrude(Plane.XZ * side, width_mm / 2, both=True))


def add(label, part):
    """Say what a part is called and how it is made."""
    part.label = label
    part.metadata = {{"manufacturing_method": METHOD, "material_id": MATERIAL_ID}}
    parts[label] = part


# The motor: the shaft leaves its housing here and reaches the rack with a pinion of {pinion} mm radius.
shaft = Pos{at} * Rot(0, 0, {yaw}) * Rot(0, {tilt}, 0)
motor = shaft * catalog_part("{motor}")
motor.label = "motor"
'''

_FOOTER = """\

# What the motor moves slides along the rack.
seat = {seat}
slide = LinearJoint("slide", parts["{rail}"], axis=Axis(seat, {direction}), linear_range=(-1, STROKE_MM + 5))
slide.connect_to(RigidJoint("seat", parts["{carriage}"], Location(seat)), position=0)

# It starts and ends gently: behind its gears the rotor is as heavy as a dozen kilograms on the rack.
duration_s = 1.5 * STROKE_MM / {speed}
shares = [step / 24 for step in range(25)]
control = Positions(
    times_s=[{waits} + share * duration_s for share in shares],
    targets=[STROKE_MM * (3 * share**2 - 2 * share**3) for share in shares],
)

# Whatever touches is glued, so that each of the two, what stands and what slides, is one piece.
assembly = Compound(label="machine", children=[*parts.values(), motor])
assembly.metadata = {{
    "mechanism": [
        *bond_contacts(*parts.values(), to=environment),
        bonded(motor, parts["{carriage}"]),
        drive(motor, joint=slide, control=control, pinion_radius_mm={pinion}),
    ]
}}
"""


def write_machine(machine: Machine) -> str:
    """Return the text of script.py."""
    header = _HEADER.format(
        summary=machine.summary,
        bore=_number(BORE_MM),
        pinion=_number(PINION_MM),
        at=_triple(machine.motor_at),
        yaw=_number(machine.yaw_deg),
        tilt=_number(machine.motor_tilt_deg),
        motor=machine.motor.id,
    )
    slide = machine.slide
    footer = _FOOTER.format(
        seat=_triple(slide.seat),
        rail=slide.rail,
        direction=_triple(slide.direction),
        carriage=slide.carriage,
        speed=_number(machine.speed_mm_s),
        waits=_number(machine.waits_s),
        pinion=_number(PINION_MM),
    )
    calls = "".join(_said(part) for part in machine.printed)
    return f"{header}{calls}\nSTROKE_MM = {_number(slide.stroke_mm)}\n{footer}"


def _said(part: Printed) -> str:
    comment = f"\n# {part.why}\n" if part.why else ""
    return comment + (_box(part) if part.rear_height_mm is None else _wedge(part, part.rear_height_mm))


def _box(part: Printed) -> str:
    box = part.box
    turned = f", yaw_deg={_number(box.yaw_deg)}" if box.yaw_deg else ""
    pitched = f", pitch_deg={_number(box.pitch_deg)}" if box.pitch_deg else ""
    bored = ", bored=shaft" if part.is_bored else ""
    sizes = f"size_mm={_triple(box.size)}, center_mm={_triple(box.center)}"
    return f'box_part("{part.label}", {sizes}{turned}{pitched}{bored})\n'


def _wedge(part: Printed, rear_height_mm: float) -> str:
    (x, y, z), (length, width, front) = part.box.center, part.box.size
    foot, heights = _triple((x, y, z - front / 2)), f"({_number(rear_height_mm)}, {_number(front)})"
    sizes = f"length_mm={_number(length)}, width_mm={_number(width)}, heights_mm={heights}"
    turned = f", yaw_deg={_number(part.box.yaw_deg)}" if part.box.yaw_deg else ""
    return f'wedge_part("{part.label}", foot_mm={foot}, {sizes}{turned})\n'


def _triple(values: Vec) -> str:
    return "(" + ", ".join(_number(value) for value in values) + ")"


def _number(value: float) -> str:
    """Return a number to a millionth, so that no rounding closes a gap."""
    return repr(round(value, 6) + 0.0)
