"""A servo beside the payload whose blade sweeps it: over the edge of a solid, or along the floor."""

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import product

from offline_expert.boxes import Bounds, TurnedBox
from offline_expert.drives.axis import MotionAxis
from offline_expert.drives.machine import GAP_MM, PrintedPart
from offline_expert.routing.problem import RoutingProblem
from offline_expert.script_text import number, own_label, triple

SERVO = "mg996r"
SWEEP = "SWEEP_DEG"
"""In every script of a sweeper."""
_SERVO_MM = (40.7, 19.7, 42.9)
_SERVO_MIDDLE_MM = 10.35
"""From the shaft to the middle of the housing, along its length."""
_ARM_ABOVE_MM, _ARM_MM, _HALF_WIDTH_MM = 4.0, 6.0, 8.0
"""Of the arm: from the housing's top to its underside, its thickness, half of its width."""
_BLADE_MM, _BLADE_TO_FLOOR_MM = 5.0, 4.0
_INNERMOST_MM = 36.0
"""From the shaft to the blade, which passes the housing."""
_AHEAD, _ASIDE_MM = (0.5, 0.25, 0.75, 0.0, 1.0), (60.0, 75.0, 90.0, 105.0, 120.0, 140.0)
"""Places of the shaft: along the way of the payload, as a share of it, and aside."""
_LONGEST_MM, _WIDEST_DEG, _STEP_DEG = 190.0, 150.0, 5.0
_ARM_APART_MM = 1.0
_BEFORE_PAYLOAD_MM = 9.0
"""From the blade to the payload, which may start 5 mm aside."""
_SPEED_MM_S = 100.0
BEYOND_EDGE_RATIO, _ROLLS_RATIO = 0.35, 0.1
"""How far the payload's middle is pushed beyond the edge, over its size; less if it rolls on by itself."""


@dataclass(frozen=True)
class Sweeper:
    """A servo with an arm; angles about its shaft, from the world's x axis."""

    shaft: tuple[float, float, float]
    """Where the shaft leaves the housing."""
    housing_deg: float
    start_deg: float
    sweep_deg: float
    blade_mm: tuple[float, float]
    """From the shaft to the blade's ends."""
    blade_low_mm: float
    """Height of the blade's lower edge; negative: below the top of the housing."""
    seconds: float
    pen: tuple[PrintedPart, ...] = ()
    """Panels around the goal that keep the payload there."""

    @property
    def summary(self) -> str:
        """What it does, in one sentence."""
        turn = f"turns its arm by {abs(self.sweep_deg):.0f} degrees"
        end = ", where a pen keeps it" if self.pen else ""
        return f"A servo beside the payload {turn}: its blade sweeps the payload towards the goal{end}."

    @property
    def servo_box(self) -> TurnedBox:
        """The box around the housing."""
        (x, y, z), yaw = self.shaft, math.radians(self.housing_deg)
        center = (x + _SERVO_MIDDLE_MM * math.cos(yaw), y + _SERVO_MIDDLE_MM * math.sin(yaw), z - _SERVO_MM[2] / 2)
        return TurnedBox(center, _SERVO_MM, self.housing_deg)

    def arm_boxes(self, turned_deg: float) -> tuple[TurnedBox, TurnedBox]:
        """Return arm and blade after a turn from the start."""
        inner, outer = self.blade_mm
        low = self.shaft[2] + _ARM_ABOVE_MM
        top, yaw_deg = low + _ARM_MM, self.start_deg + turned_deg
        arm = self._box((-_HALF_WIDTH_MM, outer), 2 * _HALF_WIDTH_MM, (low, top), yaw_deg)
        return arm, self._box((inner, outer), _BLADE_MM, (self.shaft[2] + self.blade_low_mm, low), yaw_deg)

    def _box(self, along: tuple[float, float], width: float, z: tuple[float, float], yaw_deg: float) -> TurnedBox:
        (x, y, _), yaw, middle = self.shaft, math.radians(yaw_deg), sum(along) / 2
        center = (x + middle * math.cos(yaw), y + middle * math.sin(yaw), sum(z) / 2)
        return TurnedBox(center, (along[1] - along[0], width, z[1] - z[0]), yaw_deg)


def sweepers(problem: RoutingProblem, axis: MotionAxis, floor_z: float) -> Iterator[Sweeper]:
    """Yield those that are clear of the world, the shortest first.

    The payload rests at `floor_z`, and the way to the edge is the begin of the axis's `goal`.
    """
    return (found for found in _candidates(problem, axis, floor_z) if _is_clear(found, problem))


def _candidates(problem: RoutingProblem, axis: MotionAxis, floor_z: float) -> Iterator[Sweeper]:
    size = problem.size_mm
    rolls = problem.is_ball or problem.lies is not None
    way = axis.goal[0] + (_ROLLS_RATIO if rolls else BEYOND_EDGE_RATIO) * size
    for aside, share in product(_ASIDE_MM, _AHEAD):
        along, radius = share * way, math.hypot(share * way, aside)
        inner, outer = max(radius - 0.7 * size, _INNERMOST_MM), radius + 0.7 * size
        begin = math.atan2(-along, aside)  # angles from the direction across, towards the way
        back = math.asin(min(1.0, (0.71 * size + _BEFORE_PAYLOAD_MM + _BLADE_MM / 2) / radius))
        end = math.asin(min(1.0, (way - along) / radius))
        if way - along > radius or outer > _LONGEST_MM or math.degrees(end - begin + back) > _WIDEST_DEG:
            continue
        across_deg = axis.yaw_deg - 90.0 * axis.hand  # from the shaft to the way
        sign = axis.hand
        x, y, _ = axis.point(along, aside, floor_z)
        foot = _foot(problem, (x, y), floor_z)
        if foot is None:
            continue
        for quarter in (0.0, 90.0, 180.0, 270.0):
            shaft = (x, y, foot + GAP_MM + _SERVO_MM[2])
            yield Sweeper(
                shaft=shaft,
                housing_deg=(axis.yaw_deg + quarter) % 360.0,
                start_deg=across_deg + sign * math.degrees(begin - back),
                sweep_deg=sign * math.degrees(end - begin + back),
                blade_mm=(inner, outer),
                blade_low_mm=floor_z + _BLADE_TO_FLOOR_MM - shaft[2],
                seconds=1.5 * radius * (end - begin + back) / _SPEED_MM_S,
            )


def _foot(problem: RoutingProblem, at: tuple[float, float], floor_z: float) -> float | None:
    """Return the height on which a servo can be placed whose arm is above the floor of the payload."""
    around = Bounds((*at, floor_z), (*at, floor_z)).grown(_SERVO_MM[1] / 2)
    foot = problem.footing_under(Bounds((*around.low[:2], floor_z), around.high))
    least = floor_z + _BLADE_TO_FLOOR_MM + 2.0 - _SERVO_MM[2] - _ARM_ABOVE_MM
    return foot if foot is not None and foot >= least else None


def _is_clear(found: Sweeper, problem: RoutingProblem) -> bool:
    """Tell whether servo and arm, all along its turn, are inside the build zone and clear of zones and solids."""
    steps = int(abs(found.sweep_deg) / _STEP_DEG) + 1
    swept = [box for step in range(steps + 1) for box in found.arm_boxes(found.sweep_deg * step / steps)]
    is_clear = problem.has_room(found.servo_box) and all(problem.has_room(box, _ARM_APART_MM) for box in swept)
    return is_clear and _rests(found, problem)


def _rests(found: Sweeper, problem: RoutingProblem) -> bool:
    """Tell whether a solid carries the whole housing."""
    box = found.servo_box.bounds
    return any(
        solid.low[0] <= box.low[0]
        and solid.low[1] <= box.low[1]
        and solid.high[0] >= box.high[0]
        and solid.high[1] >= box.high[1]
        and abs(solid.high[2] + GAP_MM - box.low[2]) < GAP_MM
        for solid in problem.levels
    )


_SCRIPT = '''\
"""{summary}

Lengths in millimetres, angles in degrees. Parts that touch keep a gap of 0.01 mm, which counts as contact.
"""

from build123d import Axis, Box, Compound, Pos, RevoluteJoint, RigidJoint, Rot
from utils import ManufacturingMethod, Positions, bond_contacts, catalog_part, drive

{own_label}


# The servo: its shaft leaves the housing here.
SHAFT = Pos{shaft}
SWEEP_DEG = {sweep}
servo = SHAFT * Rot(0, 0, {housing}) * catalog_part("{servo}")
servo.label = own("servo")

# The arm above the servo, with the blade below its outer part, where it starts.
beam = Pos({arm_middle}, 0, {arm_z}) * Box({arm_length}, {arm_width}, {arm_height})
blade = Pos({blade_middle}, 0, {blade_z}) * Box({blade_length}, {blade_width}, {blade_height})
arm = SHAFT * Rot(0, 0, {start}) * (beam + blade)
arm.label = own("arm")
arm.metadata = {{"manufacturing_method": ManufacturingMethod.PRINTING_3D, "material_id": "pla"}}

# What is fixed to the world.
fixed = [servo]
{pen}
# The shaft turns the arm; the motion starts and ends gently.
stops = (min(SWEEP_DEG, 0) - 5, max(SWEEP_DEG, 0) + 5)
hinge = RevoluteJoint("{hinge}", servo, axis=Axis(SHAFT.position, (0, 0, 1)), angular_range=stops)
hinge.connect_to(RigidJoint("hub", arm, hinge.location), angle=0)
shares = [step / 24 for step in range(25)]
control = Positions(
    times_s=[{delay} + share * {seconds} for share in shares],
    targets=[SWEEP_DEG * (3 * share**2 - 2 * share**3) for share in shares],
)

assembly = Compound(label="machine", children=[*fixed, arm])
assembly.metadata = {{
    "mechanism": [*bond_contacts(*fixed, to=environment), drive(servo, joint="{hinge}", control=control)]
}}
'''
_PEN = """\
for label, size_mm, center_mm in (
{panels}):
    panel = Pos(*center_mm) * Box(*size_mm)
    panel.label = own(label)
    panel.metadata = arm.metadata
    fixed.append(panel)
"""


def write_sweeper(found: Sweeper, delay_s: float, taken: Collection[str] = ()) -> str:
    """Return the text of script.py; no part gets one of the `taken` labels."""
    inner, outer = found.blade_mm
    low, top = _ARM_ABOVE_MM, _ARM_ABOVE_MM + _ARM_MM
    hinge = "machine-hinge" if "hinge" in taken else "hinge"
    return _SCRIPT.format(
        summary=found.summary,
        own_label=own_label(["servo", "arm", *(panel.label for panel in found.pen)], taken),
        pen=_PEN.format(panels="".join(map(_panel_line, found.pen))) if found.pen else "",
        shaft=triple(found.shaft),
        sweep=number(found.sweep_deg),
        housing=number(found.housing_deg),
        servo=SERVO,
        arm_middle=number((outer - _HALF_WIDTH_MM) / 2),
        arm_z=number((low + top) / 2),
        arm_length=number(outer + _HALF_WIDTH_MM),
        arm_width=number(2 * _HALF_WIDTH_MM),
        arm_height=number(_ARM_MM),
        blade_middle=number((inner + outer) / 2),
        blade_z=number((found.blade_low_mm + top) / 2),
        blade_length=number(outer - inner),
        blade_width=number(_BLADE_MM),
        blade_height=number(top - found.blade_low_mm),
        start=number(found.start_deg),
        hinge=hinge,
        delay=number(0.5 + delay_s),
        seconds=number(found.seconds),
    )


def _panel_line(panel: PrintedPart) -> str:
    return f'    ("{panel.label}", {triple(panel.box.size)}, {triple(panel.box.center)}),\n'
