"""Legs: what channels and pocket stand on."""

import math
from collections.abc import Iterator, Sequence

from offline_expert.routing.boxes import TurnedBox, gap_mm, upright
from offline_expert.routing.channel import Channel, Frame, Part, Pocket, upright_box
from offline_expert.routing.layout import Layout
from offline_expert.routing.problem import Problem
from offline_expert.routing.tuning import FIT_MM, Sizes

_LEAST_MM = 5.0
_STRAIGHT = 1.5
"""How much thicker the legs of one straight chute are: the payload comes faster, and only two legs bear its blow."""
_ZONE_CLEARANCE_MM = 5.0
_ASIDE = 0.35
"""Share of the width by which a leg may stand beside the centre line."""
_PLACES = 10
_POCKET_SHARES = (0.5, 0.8, 0.2)


class Stands:
    """Finds places for legs. Channels rest on each other, so not every one needs a leg of its own."""

    def __init__(self, problem: Problem, sizes: Sizes, taken: Sequence[TurnedBox]) -> None:
        self.problem, self.sizes = problem, sizes
        self.leg = sizes.leg
        self.taken = list(taken)
        """Where no leg may stand: parts and the payload's space."""

    def legs_for(self, layout: Layout) -> list[Part]:
        """Return one leg for each channel and for the pocket, where one can stand."""
        self.leg = self.sizes.leg * (_STRAIGHT if len(layout.channels) == 1 else 1.0)
        legs = [self._under_channel(channel) for channel in layout.channels]
        legs.append(self._under_pocket(layout.pocket))
        return [leg for leg in legs if leg]

    def _under_channel(self, channel: Channel) -> Part | None:
        for along, aside in self._places(channel):
            top = channel.underside_z(along + self.leg / 2, self.sizes) - FIT_MM
            leg = self._leg(channel.frame, along, aside, top)
            if leg:
                return Part(f"{channel.name}-leg", leg, channel.slope_deg)
        return None

    def _places(self, channel: Channel) -> Iterator[tuple[float, float]]:
        """Yield places under the floor, first where the payload lands."""
        for number in range(_PLACES):
            along = channel.landing.length / 2 + number * channel.length / _PLACES
            if along < channel.length - self.leg:
                for share in (0.0, _ASIDE, -_ASIDE):
                    yield along, share * self.sizes.width

    def _under_pocket(self, pocket: Pocket) -> Part | None:
        top = pocket.floor_z - self.sizes.wall - FIT_MM
        for share in _POCKET_SHARES:
            for aside in (0.0, _ASIDE, -_ASIDE):
                leg = self._leg(pocket.frame, share * self.sizes.pocket, aside * self.sizes.width, top)
                if leg:
                    return Part("pocket-leg", leg, 0.0)
        return None

    def _leg(self, frame: Frame, along: float, aside: float, top: float) -> TurnedBox | None:
        """Return a leg from the ground up to `top`, or none if it cannot stand there; a leg takes its place."""
        foot = self._foothold(*frame.place(along, aside), top)
        if foot is None or top - foot < _LEAST_MM:
            return None
        half = self.leg / 2
        leg = upright_box(frame, (along - half, along + half), (aside - half, aside + half), (foot + FIT_MM, top))
        if not self._is_free(leg):
            return None
        self.taken.append(leg)
        return leg

    def _is_free(self, leg: TurnedBox) -> bool:
        problem = self.problem
        return (
            problem.build.contains(leg.bounds)
            and all(leg.bounds.gap_mm(zone) >= _ZONE_CLEARANCE_MM for zone in problem.forbids)
            and all(gap_mm(leg, upright(solid)) >= 0.0 for solid in problem.solids)
            and all(gap_mm(leg, other) >= 0.0 for other in self.taken)
        )

    def _foothold(self, x: float, y: float, top: float) -> float | None:
        """Return the highest level below `top` on which a whole leg can stand."""
        reach = self.leg * math.sqrt(0.5)
        levels = [
            solid.high[2]
            for solid in self.problem.solids
            if solid.high[2] < top
            and solid.low[0] + reach <= x <= solid.high[0] - reach
            and solid.low[1] + reach <= y <= solid.high[1] - reach
        ]
        return max(levels) if levels else None
