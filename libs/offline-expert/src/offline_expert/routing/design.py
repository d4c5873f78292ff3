"""A route made solid: parts, the space that the payload needs, and legs to stand on."""

from dataclasses import dataclass

from offline_expert.routing.boxes import Bounds, TurnedBox, upright
from offline_expert.routing.channel import Part, channel_parts, pocket_parts, upright_box
from offline_expert.routing.layout import Layout, Leg, lay_out
from offline_expert.routing.legs import Stands
from offline_expert.routing.problem import Problem
from offline_expert.routing.tuning import Sizes

_SKIN_MM = 1.0
"""The payload's space ends this far from the faces that guide it."""


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
    stands = Stands(problem, sizes, [*(part.box for part in parts), *space])
    parts += stands.legs_for(layout)
    return Design(legs, layout, tuple(parts), space)


def _payload_space(layout: Layout, legs: tuple[Leg, ...], problem: Problem, sizes: Sizes) -> tuple[TurnedBox, ...]:
    side = sizes.width / 2 - _SKIN_MM
    start = problem.drop_column
    spaces = [upright(Bounds((*start.low[:2], legs[0].floor_z + sizes.payload * 0.4), start.high))]
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
