"""A route made solid: parts, the space that the payload needs, and legs to stand on."""

import math
from dataclasses import dataclass

from agent.offline.routing.boxes import Bounds, TurnedBox, gap_mm, upright
from agent.offline.routing.channel import Channel, Frame, Part, channel_parts, pocket_parts, upright_box
from agent.offline.routing.layout import Layout, Leg, lay_out
from agent.offline.routing.problem import Problem
from agent.offline.routing.tuning import FIT_MM, Sizes

_SKIN_MM = 1.0
"""The payload's space ends this far from the faces that guide it."""
_LEAST_LEG_MM = 5.0


@dataclass(frozen=True)
class Design:
    """Everything that is to be built, and why it is as it is."""

    legs: tuple[Leg, ...]
    layout: Layout
    parts: tuple[Part, ...]
    payload_space: tuple[TurnedBox, ...]
    """Nothing may reach in here."""


def build_design(legs: tuple[Leg, ...], problem: Problem, sizes: Sizes) -> Design:
    """Return the boxes of a route, on as many legs as find a foothold."""
    layout = lay_out(legs, sizes)
    parts = [part for channel in layout.channels for part in channel_parts(channel, sizes)]
    parts += pocket_parts(layout.pocket, sizes)
    space = _payload_space(layout, legs, problem, sizes)
    parts += _supports(layout, parts, space, problem, sizes)
    return Design(legs, layout, tuple(parts), space)


def _payload_space(layout: Layout, legs: tuple[Leg, ...], problem: Problem, sizes: Sizes) -> tuple[TurnedBox, ...]:
    side = sizes.width / 2 - _SKIN_MM
    start = problem.drop_column
    spaces = [upright(Bounds((*start.low[:2], legs[0].floor_z + 2 * _SKIN_MM + _SKIN_MM), start.high))]
    for channel in layout.channels:
        landing, headroom = channel.landing, sizes.payload + 2 * _SKIN_MM
        spaces.append(channel.tilted((landing.length, channel.length), (-side, side), (_SKIN_MM, headroom)))
        depth = landing.length - sizes.wall - _SKIN_MM
        top = max(landing.left_top, landing.right_top)
        spaces.append(upright_box(channel.frame, (_SKIN_MM, depth), (-side, side), (channel.back_z + _SKIN_MM, top)))
    pocket = layout.pocket
    z = (pocket.floor_z + _SKIN_MM, pocket.mouth_z + sizes.payload)
    spaces.append(upright_box(pocket.frame, (_SKIN_MM, sizes.pocket - _SKIN_MM), (-side, side), z))
    return tuple(spaces)


def _supports(
    layout: Layout, parts: list[Part], space: tuple[TurnedBox, ...], problem: Problem, sizes: Sizes
) -> list[Part]:
    """Return one leg for each channel and for the pocket, where one can stand."""
    taken = [*(part.box for part in parts), *space]
    legs: list[Part] = []
    for channel in layout.channels:
        places = [channel.landing.length * 0.5 + step * channel.length / 12 for step in range(10)]
        stands = [(place, aside) for place in places for aside in (0.0, sizes.width * 0.35, -sizes.width * 0.35)]
        for along, aside in stands:
            if along > channel.length - sizes.leg:
                continue
            top = channel.underside_z(along + sizes.leg / 2, sizes) - FIT_MM
            leg = _leg(channel.frame, along, aside, top, taken, problem, sizes)
            if leg:
                legs.append(Part(f"{channel.name}-leg", leg))
                taken.append(leg)
                break
    pocket = layout.pocket
    top = pocket.floor_z - sizes.wall - FIT_MM
    for share, aside in ((0.5, 0.0), (0.8, 0.0), (0.2, 0.0), (0.5, sizes.width * 0.35), (0.5, -sizes.width * 0.35)):
        leg = _leg(pocket.frame, share * sizes.pocket, aside, top, taken, problem, sizes)
        if leg:
            return [*legs, Part("pocket-leg", leg)]
    return legs


def _leg(
    frame: Frame, along: float, aside: float, top: float, taken: list[TurnedBox], problem: Problem, sizes: Sizes
) -> TurnedBox | None:
    """Return a leg from the ground below up to `top`, or none if it cannot stand there."""
    foot = _foothold(frame.place(along, aside), top, problem, sizes)
    if foot is None or top - foot < _LEAST_LEG_MM:
        return None
    half = sizes.leg / 2
    leg = upright_box(frame, (along - half, along + half), (aside - half, aside + half), (foot + FIT_MM, top))
    forbidden = any(leg.bounds.gap_mm(zone) < 5.0 for zone in problem.forbids)
    blocked = any(gap_mm(leg, upright(solid)) < 0.0 for solid in problem.solids)
    if forbidden or blocked or not problem.build.contains(leg.bounds):
        return None
    return None if any(gap_mm(leg, other) < 0.0 for other in taken) else leg


def _foothold(place: tuple[float, float], top: float, problem: Problem, sizes: Sizes) -> float | None:
    """Return the highest level below `top` on which a whole leg can stand."""
    reach = sizes.leg * math.sqrt(0.5)
    levels = [
        solid.high[2]
        for solid in problem.solids
        if solid.high[2] < top
        and all(
            low + reach <= value <= high - reach
            for low, value, high in zip(solid.low[:2], place, solid.high[:2], strict=True)
        )
    ]
    return max(levels) if levels else None


def leg_count(design: Design) -> int:
    """Return on how many legs a design stands."""
    return sum(part.label.endswith("-leg") for part in design.parts)


def channel_of(design: Design, number: int) -> Channel:
    """Return the channel of a leg, counted from 0."""
    return design.layout.channels[number]
