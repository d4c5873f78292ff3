"""Legs that support channels and pocket."""

import math
from collections.abc import Iterator, Sequence
from itertools import product

from offline_expert.boxes import TurnedBox, gap_mm
from offline_expert.routing.channel import BoxPart, Channel, Frame, Pocket, upright_box
from offline_expert.routing.dimensions import FIT_MM, ChannelSizes
from offline_expert.routing.layout import Layout
from offline_expert.routing.problem import RoutingProblem

_MIN_HEIGHT_MM = 5.0
_STRAIGHT_RATIO = 1.5
"""Thickness ratio of a straight chute's legs: the payload arrives faster, and only two legs bear its impact."""
_ZONE_CLEARANCE_MM = 5.0
_ASIDE = 0.35
"""Offset of a leg from the centre line over the channel's width."""
_POSITIONS = 10
"""Candidates along a channel for its first leg."""
_SHIFTS_MM = (0.0, 20.0, 40.0, 60.0)
"""From where a further leg is wanted to its candidates."""
_SPAN_OF_PIECES_MM = 320.0
"""Most distance from leg to leg of a channel whose floor is made of pieces."""
_POCKET_SHARES = (0.5, 0.8, 0.2)


class LegPlacer:
    """Finds positions for legs. Channels also rest on each other, so not every one needs a leg of its own."""

    def __init__(self, problem: RoutingProblem, sizes: ChannelSizes, occupied: Sequence[TurnedBox]) -> None:
        """`occupied` boxes must stay free of legs: parts and the payload's space."""
        self._problem, self._sizes = problem, sizes
        self._edge = sizes.leg
        self._occupied = list(occupied)

    def place(self, layout: Layout) -> list[BoxPart]:
        """Return the legs of each channel, one per span, and that of the pocket, where there is space for them."""
        self._edge = self._sizes.leg * (_STRAIGHT_RATIO if len(layout.channels) == 1 else 1.0)
        legs = [self._landing_leg(channel) for channel in layout.channels]
        legs += [leg for channel in layout.channels for leg in self._further_legs(channel)]
        if layout.pocket:
            legs.append(self._under_pocket(layout.pocket))
        return [leg for leg in legs if leg]

    def _landing_leg(self, channel: Channel) -> BoxPart | None:
        begin = channel.landing.length / 2  # where the payload lands
        alongs = [begin + index * channel.length / _POSITIONS for index in range(_POSITIONS)]
        return self._free_leg(channel, f"{channel.name}-leg", alongs)

    def _further_legs(self, channel: Channel) -> Iterator[BoxPart | None]:
        begin = channel.landing.length / 2
        sizes = self._sizes
        span = sizes.span if channel.length <= sizes.longest else min(sizes.span, _SPAN_OF_PIECES_MM)
        spans = 1 + int((channel.length - begin) / span)
        for number in range(1, spans):
            middle = begin + number * (channel.length - begin) / spans
            alongs = [middle + sign * shift for shift in _SHIFTS_MM for sign in (1, -1)]
            yield self._free_leg(channel, f"{channel.name}-leg-{number + 1}", alongs)

    def _free_leg(self, channel: Channel, label: str, alongs: Sequence[float]) -> BoxPart | None:
        """Return a leg under the floor at the first of these distances along the channel that is free."""
        for along, share in product(alongs, (0.0, _ASIDE, -_ASIDE)):
            if along >= channel.length - self._edge:
                continue
            top = channel.underside_z(along + self._edge / 2, self._sizes) - FIT_MM
            leg = self._leg(channel.frame, along, share * self._sizes.width, top)
            if leg:
                return BoxPart(label, leg, channel.slope_deg)
        return None

    def _under_pocket(self, pocket: Pocket) -> BoxPart | None:
        top = pocket.floor_z - self._sizes.wall - FIT_MM
        for share in _POCKET_SHARES:
            for aside in (0.0, _ASIDE, -_ASIDE):
                leg = self._leg(pocket.frame, share * self._sizes.pocket, aside * self._sizes.width, top)
                if leg:
                    return BoxPart("pocket-leg", leg, 0.0)
        return None

    def _leg(self, frame: Frame, along: float, aside: float, top: float) -> TurnedBox | None:
        """Return a leg from the ground up to `top` and occupy its box; None if it cannot stand there."""
        foot = self._foothold(*frame.point(along, aside), top)
        if foot is None or top - foot < _MIN_HEIGHT_MM:
            return None
        half = self._edge / 2
        leg = upright_box(frame, (along - half, along + half), (aside - half, aside + half), (foot + FIT_MM, top))
        if not self._is_free(leg):
            return None
        self._occupied.append(leg)
        return leg

    def _is_free(self, leg: TurnedBox) -> bool:
        problem = self._problem
        return (
            problem.build.contains(leg.bounds)
            and all(leg.bounds.gap_mm(zone) >= _ZONE_CLEARANCE_MM for zone in problem.forbids)
            and all(gap_mm(leg, shape) >= 0.0 for shape in problem.shapes)
            and all(gap_mm(leg, other) >= 0.0 for other in self._occupied)
        )

    def _foothold(self, x: float, y: float, top: float) -> float | None:
        """Return the highest level below `top` on which a whole leg can stand."""
        reach = self._edge * math.sqrt(0.5)
        levels = [
            solid.high[2]
            for solid in self._problem.levels
            if solid.high[2] < top
            and solid.low[0] + reach <= x <= solid.high[0] - reach
            and solid.low[1] + reach <= y <= solid.high[1] - reach
        ]
        return max(levels) if levels else None
