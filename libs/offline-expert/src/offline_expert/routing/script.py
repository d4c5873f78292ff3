"""script.py of a channel design: one call per box, with a comment above each group."""

from collections.abc import Iterator
from math import radians, tan

from offline_expert.boxes import TurnedBox
from offline_expert.routing.channel import BoxPart, Channel, Pocket
from offline_expert.routing.design import ChannelDesign
from offline_expert.routing.layout import Segment
from offline_expert.routing.problem import RoutingProblem
from offline_expert.script_text import box_call, number, own_label, triple

_HEADER = '''\
"""{summary}

Lengths in millimetres, angles in degrees. Boxes that touch keep a gap of 0.01 mm, which counts as contact.
"""

from math import radians, tan

from build123d import Box, Compound, Plane, Polygon, Pos, Rot, extrude
from utils import ManufacturingMethod, bond_contacts

METHOD = ManufacturingMethod.PRINTING_3D
MATERIAL_ID = "pla"

parts = []
{own_label}


def box_part(label, size_mm, center_mm, yaw_deg=0.0, pitch_deg=0.0):
    """Add a printed box: pitched so that its length slopes down forward, then turned about the vertical."""
    add(label, Pos(*center_mm) * Rot(0, 0, yaw_deg) * Rot(0, pitch_deg, 0) * Box(*size_mm))


{piece}def leg_part(label, foot_mm, width_mm, height_mm, yaw_deg=0.0, slope_deg=0.0):
    """Add a square leg on the centre of its foot. Its top slopes as the floor on it does: glue needs an area."""
    half, rise = width_mm / 2, width_mm / 2 * tan(radians(slope_deg))
    side = Polygon((-half, 0), (half, 0), (half, height_mm - rise), (-half, height_mm + rise), align=None)
    add(label, Pos(*foot_mm) * Rot(0, 0, yaw_deg) * extrude(Plane.XZ * side, half, both=True))


def add(label, part):
    """Set label, method and material of a part and add it."""
    part.label = own(label)
    part.metadata = {{"manufacturing_method": METHOD, "material_id": MATERIAL_ID}}
    parts.append(part)
'''

_PIECE = '''\
pieces = {}


def piece(label, size_mm, center_mm, yaw_deg=0.0):
    """Keep a box as a piece of a part: a hundredth of a millimetre larger, since pieces overlap."""
    box = Pos(*center_mm) * Rot(0, 0, yaw_deg) * Box(*(edge + 0.012 for edge in size_mm))
    pieces.setdefault(label, []).append(box)


'''
_JOIN = """
for label, (first, *others) in pieces.items():
    add(label, first.fuse(*others))
"""
_FOOTER = """\
# All parts that touch are glued: the machine is one body, fixed to the environment.
assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
"""


def summary_of(design: ChannelDesign) -> str:
    """Return one sentence about a design."""
    segments = design.segments
    if not segments:
        return "A cup on a leg, straight below the start."
    runs = ", then ".join(f"{segment.reach:.0f} mm at {segment.slope_deg:.1f} degrees" for segment in segments)
    shape = "One straight chute" if len(segments) == 1 else f"{len(segments)} chutes that meet in drop corners"
    return f"{shape}{' and a pocket' if design.layout.pocket else ' with an open end'}: {runs}."


def write_design(design: ChannelDesign, problem: RoutingProblem) -> str:
    """Return the text of script.py."""
    labels = own_label([part.piece_of or part.label for part in design.parts], problem.taken)
    has_pieces = any(part.piece_of for part in design.parts)
    piece = _PIECE if has_pieces else ""
    blocks = [_HEADER.format(summary=summary_of(design), own_label=labels, piece=piece)]
    pairs = zip(design.layout.channels, design.segments, strict=True)
    for index, (channel, segment) in enumerate(pairs, start=1):
        comment = _channel_comment(index, channel, segment, problem)
        blocks.append(_group(comment, _parts_of(design, f"{channel.name}-")))
    if design.layout.pocket:
        blocks.append(_group(_pocket_comment(design.layout.pocket), _parts_of(design, "pocket-")))
    blocks += [_JOIN, _FOOTER] if has_pieces else [_FOOTER]
    return "\n".join(blocks)


def _parts_of(design: ChannelDesign, prefix: str) -> Iterator[BoxPart]:
    return (part for part in design.parts if part.label.startswith(prefix))


def _channel_comment(index: int, channel: Channel, segment: Segment, problem: RoutingProblem) -> str:
    x, y = segment.x, segment.y
    if segment.turn is None:
        drop = problem.start[2] - problem.size_mm / 2 - segment.floor_z
        where = "its start" if problem.begins == "starts" else "where it comes by"
        begin = f"catches the payload {drop:.0f} mm below {where} at ({x:.0f}, {y:.0f})"
    else:
        begin = f"turns {segment.turn} at ({x:.0f}, {y:.0f}); the payload drops on it and cannot stop at the corner"
    return (
        f"Chute {index} {begin}.\n# It runs at {segment.yaw_deg:.1f} degrees in plan and falls {segment.slope_deg:.1f} "
        f"degrees from z = {channel.back_z:.0f} to {channel.mouth_z:.0f}."
    )


def _pocket_comment(pocket: Pocket) -> str:
    step = pocket.mouth_z - pocket.floor_z
    return (
        f"The pocket is inside the goal zone: a flat floor at z = {pocket.floor_z:.0f}, a step of {step:.0f} mm down "
        "to it\n# and an end panel, so that the payload comes to rest."
    )


def _group(comment: str, parts: Iterator[BoxPart]) -> str:
    return f"\n# {comment}\n" + "".join(_call(part) for part in parts)


def _call(part: BoxPart) -> str:
    if part.piece_of:
        return box_call(part.piece_of, part.box).replace("box_part", "piece", 1)
    if part.top_slope_deg is None:
        return box_call(part.label, part.box)
    return _leg_call(part.label, part.box, part.top_slope_deg)


def _leg_call(label: str, box: TurnedBox, slope_deg: float) -> str:
    (x, y, z), (width, _, lowest) = box.center, box.size
    height = lowest + width / 2 * tan(radians(slope_deg))
    turned = f", yaw_deg={number(box.yaw_deg)}" if box.yaw_deg else ""
    sloped = f", slope_deg={number(slope_deg)}" if slope_deg else ""
    foot, sizes = triple((x, y, z - lowest / 2)), f"width_mm={number(width)}, height_mm={number(height)}"
    return f'leg_part("{label}", foot_mm={foot}, {sizes}{turned}{sloped})\n'
