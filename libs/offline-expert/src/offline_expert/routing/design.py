"""Channel designs: parts, the payload's space and legs of a route, and the checks that need no CAD or physics."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from offline_expert.boxes import Bounds, TurnedBox, gap_mm, upright
from offline_expert.routing.channel import BoxPart, Frame, channel_parts, joined, pocket_parts, upright_box
from offline_expert.routing.dimensions import ChannelProportions, ChannelSizes
from offline_expert.routing.layout import Layout, Segment, layout_of
from offline_expert.routing.legs import LegPlacer
from offline_expert.routing.problem import RoutingProblem

_USD_PER_MM3 = {False: 0.39 * 1.24e-3, True: 0.25 * 1.24e-3}
"""Of panels and of legs: printed PLA costs 0.39 to 0.51 USD per gram in panels, 0.25 to 0.28 in legs."""
CONTACT_MM = 0.02
"""Boxes closer than this touch."""
_SKIN_MM = 1.0
"""Distance of the payload's space from the faces that guide the payload."""


@dataclass(frozen=True)
class ChannelDesign:
    """The parts of a machine, and the route they follow."""

    segments: tuple[Segment, ...]
    layout: Layout
    parts: tuple[BoxPart, ...]
    payload_space: tuple[TurnedBox, ...]
    """Must stay free of parts."""

    @property
    def least_price_usd(self) -> float:
        """Price of the material alone, by the cheapest figures measured: the design costs at least about as much."""
        return sum(_USD_PER_MM3["leg" in part.label] * _volume_mm3(part.box) for part in self.parts)


def build_design(segments: tuple[Segment, ...], problem: RoutingProblem, sizes: ChannelSizes) -> ChannelDesign:
    """Return the parts of a route, with a leg under each channel that has a place for one."""
    layout = layout_of(segments, sizes)
    parts = [part for channel in layout.channels for part in channel_parts(channel, sizes)]
    if layout.pocket:
        parts += pocket_parts(layout.pocket, sizes)
    if sizes.is_joined:
        parts = joined(parts)
    space = _payload_space(layout, segments, problem, sizes)
    parts += LegPlacer(problem, sizes, [*(part.box for part in parts), *space]).place(layout)
    return ChannelDesign(segments, layout, tuple(parts), space)


def _payload_space(
    layout: Layout, segments: tuple[Segment, ...], problem: RoutingProblem, sizes: ChannelSizes
) -> tuple[TurnedBox, ...]:
    side = sizes.width / 2 - _SKIN_MM
    start = problem.start_box
    lowest = segments[0].floor_z + sizes.payload * 0.4
    released = upright(Bounds((*start.low[:2], lowest), start.high))
    if problem.is_ball:
        half, frame = sizes.payload / 2, Frame(*problem.start[:2], segments[0].yaw_deg)
        released = upright_box(frame, (-half, half), (-half, half), (lowest, start.high[2]))
    spaces = [] if sizes.is_pushed else [released]
    for channel in layout.channels:
        landing, headroom = channel.landing, sizes.payload + 2 * _SKIN_MM
        spaces.append(channel.tilted((landing.length, channel.length), (-side, side), (_SKIN_MM, headroom)))
        depth = landing.length - sizes.wall - _SKIN_MM
        top = max(landing.left_top, landing.right_top)
        spaces.append(upright_box(channel.frame, (_SKIN_MM, depth), (-side, side), (channel.back_z + _SKIN_MM, top)))
    if pocket := layout.pocket:
        z = (pocket.floor_z + _SKIN_MM, pocket.mouth_z + sizes.payload)
        spaces.append(upright_box(pocket.frame, (_SKIN_MM, sizes.pocket - _SKIN_MM), (-side, side), z))
    return tuple(spaces)


def _volume_mm3(box: TurnedBox) -> float:
    length, width, height = box.size
    return length * width * height


def faults(design: ChannelDesign, problem: RoutingProblem, proportions: ChannelProportions) -> list[str]:
    """Return everything that is wrong: zones, overlaps, obstacles in the payload's space, floating parts."""
    return [
        *_zone_faults(design, problem, proportions),
        *_overlaps(design, problem),
        *_obstructions(design, problem, proportions),
        *_floating(design, problem),
    ]


def _zone_faults(design: ChannelDesign, problem: RoutingProblem, proportions: ChannelProportions) -> list[str]:
    found: list[str] = []
    for part in design.parts:
        if not problem.build.contains(part.box.bounds):
            found.append(f"{part.label} leaves the build zone")
        if _is_near(part.box, problem.forbids, proportions):
            found.append(f"{part.label} is too close to a forbid zone")
    return found


def _is_near(box: TurnedBox, zones: Sequence[Bounds], proportions: ChannelProportions) -> bool:
    return any(gap_mm(box, upright(zone)) < proportions.clearance_mm - 1.0 for zone in zones)


def _overlaps(design: ChannelDesign, problem: RoutingProblem) -> list[str]:
    found = [
        f"{part.label} overlaps {other.label}"
        for part, other in combinations(design.parts, 2)
        if gap_mm(part.box, other.box) < 0.0
    ]
    shapes = problem.shapes
    return found + [
        f"{part.label} overlaps the environment"
        for part in design.parts
        if any(gap_mm(part.box, shape) < 0.0 for shape in shapes)
    ]


def _obstructions(design: ChannelDesign, problem: RoutingProblem, proportions: ChannelProportions) -> list[str]:
    found: list[str] = []
    for space in design.payload_space:
        found += [f"{part.label} blocks the payload" for part in design.parts if gap_mm(part.box, space) < 0.0]
        if _is_near(space, problem.closed_to_payload, proportions):
            found.append("the payload comes too close to a forbid zone")
        if any(gap_mm(space, shape) < 0.0 for shape in problem.shapes):
            found.append("the environment blocks the payload")
    return found


def _floating(design: ChannelDesign, problem: RoutingProblem) -> list[str]:
    held = _held([part.box for part in design.parts], problem.shapes)
    return [f"{part.label} floats" for part, is_held in zip(design.parts, held, strict=True) if not is_held]


def _held(boxes: Sequence[TurnedBox], fixed: Sequence[TurnedBox]) -> list[bool]:
    """Tell for each box whether a chain of contacts connects it to a fixed solid."""
    held = [any(gap_mm(box, solid) <= CONTACT_MM for solid in fixed) for box in boxes]
    frontier = [index for index, is_held in enumerate(held) if is_held]
    while frontier:
        current = frontier.pop()
        for index, box in enumerate(boxes):
            if not held[index] and gap_mm(boxes[current], box) <= CONTACT_MM:
                held[index] = True
                frontier.append(index)
    return held
