"""script.py as the expert writes it: one call for each box, with the reason for each group above it."""

from collections.abc import Iterator
from math import radians, tan

from offline_expert.routing.boxes import TurnedBox, Vec
from offline_expert.routing.channel import Channel, Part
from offline_expert.routing.design import Design
from offline_expert.routing.layout import Leg
from offline_expert.routing.problem import Problem

_HEADER = '''\
"""{summary}

Lengths in millimetres, angles in degrees. Boxes that touch keep a gap of 0.01 mm: that is contact, never overlap.
"""

from math import radians, tan

from build123d import Box, Compound, Plane, Polygon, Pos, Rot, extrude
from utils import ManufacturingMethod, bond_contacts

METHOD = ManufacturingMethod.PRINTING_3D
MATERIAL_ID = "pla"

parts = []


def box_part(label, size_mm, center_mm, yaw_deg=0.0, pitch_deg=0.0):
    """Add one printed box: pitched so that its length dips forward, then turned about the vertical."""
    add(label, Pos(*center_mm) * Rot(0, 0, yaw_deg) * Rot(0, pitch_deg, 0) * Box(*size_mm))


def leg_part(label, foot_mm, width_mm, height_mm, yaw_deg=0.0, slope_deg=0.0):
    """Add a square leg on the middle of its foot. Its top falls forward as the floor on it does: glue needs an area."""
    half, rise = width_mm / 2, width_mm / 2 * tan(radians(slope_deg))
    side = Polygon((-half, 0), (half, 0), (half, height_mm - rise), (-half, height_mm + rise), align=None)
    add(label, Pos(*foot_mm) * Rot(0, 0, yaw_deg) * extrude(Plane.XZ * side, half, both=True))


def add(label, part):
    """Say what a part is called and how it is made."""
    part.label = label
    part.metadata = {{"manufacturing_method": METHOD, "material_id": MATERIAL_ID}}
    parts.append(part)
'''

_FOOTER = """\
# Whatever touches is glued, so that the machine is one piece and stands firmly on the environment.
assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
"""


def summary_of(design: Design) -> str:
    """Return one sentence about a design."""
    legs = design.legs
    ways = ", then ".join(f"{leg.reach:.0f} mm at {leg.slope_deg:.1f} degrees" for leg in legs)
    shape = "One straight chute" if len(legs) == 1 else f"{len(legs)} chutes that meet in drop corners"
    return f"{shape} and a pocket: {ways}."


def write_design(design: Design, problem: Problem) -> str:
    """Return the text of script.py."""
    blocks = [_HEADER.format(summary=summary_of(design))]
    pairs = zip(design.layout.channels, design.legs, strict=True)
    for number, (channel, leg) in enumerate(pairs, start=1):
        blocks.append(_group(_why_channel(number, channel, leg, problem), _parts_of(design, f"{channel.name}-")))
    blocks.append(_group(_why_pocket(design), _parts_of(design, "pocket-")))
    blocks.append(_FOOTER)
    return "\n".join(blocks)


def _parts_of(design: Design, prefix: str) -> Iterator[Part]:
    return (part for part in design.parts if part.label.startswith(prefix))


def _why_channel(number: int, channel: Channel, leg: Leg, problem: Problem) -> str:
    x, y = leg.x, leg.y
    if leg.turn is None:
        drop = problem.start[2] - problem.size_mm / 2 - leg.floor_z
        begins = f"catches the payload {drop:.0f} mm below its start at ({x:.0f}, {y:.0f})"
    else:
        begins = f"turns {leg.turn} at ({x:.0f}, {y:.0f}); the payload drops on to it and cannot stop at the corner"
    return (
        f"Chute {number} {begins}.\n# It runs at {leg.yaw_deg:.1f} degrees in plan and falls {leg.slope_deg:.1f} "
        f"degrees from z = {channel.back_z:.0f} to {channel.mouth_z:.0f}."
    )


def _why_pocket(design: Design) -> str:
    pocket = design.layout.pocket
    step = pocket.mouth_z - pocket.floor_z
    return (
        f"The pocket lies inside the goal zone: a flat floor at z = {pocket.floor_z:.0f}, a step of {step:.0f} mm down "
        "into it\n# and an end panel, so that the payload comes to rest."
    )


def _group(comment: str, parts: Iterator[Part]) -> str:
    return f"\n# {comment}\n" + "".join(_call(part) for part in parts)


def _call(part: Part) -> str:
    if part.top_slope_deg is not None:
        return _leg_call(part.label, part.box, part.top_slope_deg)
    box = part.box
    turned = f", yaw_deg={_number(box.yaw_deg)}" if box.yaw_deg else ""
    pitched = f", pitch_deg={_number(box.pitch_deg)}" if box.pitch_deg else ""
    size, center = _triple(box.size), _triple(box.center)
    return f'box_part("{part.label}", size_mm={size}, center_mm={center}{turned}{pitched})\n'


def _leg_call(label: str, box: TurnedBox, slope_deg: float) -> str:
    (x, y, z), (width, _, lowest) = box.center, box.size
    height = lowest + width / 2 * tan(radians(slope_deg))
    turned = f", yaw_deg={_number(box.yaw_deg)}" if box.yaw_deg else ""
    sloped = f", slope_deg={_number(slope_deg)}" if slope_deg else ""
    foot, sizes = _triple((x, y, z - lowest / 2)), f"width_mm={_number(width)}, height_mm={_number(height)}"
    return f'leg_part("{label}", foot_mm={foot}, {sizes}{turned}{sloped})\n'


def _triple(values: Vec) -> str:
    return "(" + ", ".join(_number(value) for value in values) + ")"


def _number(value: float) -> str:
    """Return a number to a millionth, so that no rounding closes a gap."""
    return repr(round(value, 6) + 0.0)
