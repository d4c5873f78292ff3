"""Dimensions of channels. Ratios are relative to the payload's size; their values were measured by simulation."""

import math
from dataclasses import dataclass

FIT_MM = 0.01
"""Gap between parts that touch: well below what counts as contact, well above rounding."""


_LEVEL_LIP_MM = 1.6
"""Of a level channel: a lower panel below the lip cannot be printed."""
_BACK, _PUSHED_BACK = 0.9, 0.1
"""From a catcher's back to where the payload drops, over its size; 0.1 where it is pushed over the back."""
_START_SPREAD_MM = 10.0
"""The payload may start 5 mm to either side."""


@dataclass(frozen=True)
class ChannelProportions:
    """Proportions of a channel and margins of its router. Attempts differ in these alone."""

    wall_mm: float = 3.0
    leg_mm: float = 14.0
    """Legs are square. The moment that the glue under one bears grows with the cube of its edge."""
    span_mm: float = math.inf
    """Most distance from leg to leg of a channel; infinite: one leg each."""
    longest_mm: float = 900.0
    """Of a floor or wall in plan: a longer one is made of pieces, since a printer's bed is 1000 mm long."""
    clearance_mm: float = 6.0
    """From parts and payload to forbid zones, and to the faces of the build zone."""
    side_wall_ratio: float = 0.8
    far_wall_ratio: float = 1.6
    """Height of the wall that stops the payload at a corner, above the mouth it comes from."""
    lip_ratio: float = 0.5
    """Step down into the pocket."""
    end_wall_ratio: float = 1.1
    slopes_deg: tuple[float, ...] = (7.0, 10.0, 14.0)
    max_straight_slope_deg: float = 24.0
    allow_straight: bool = True
    """Whether a single straight chute may be used."""
    goal_inset_mm: float = 6.0
    least_slope_deg: float = 2.0
    """Of the flattest channel: balls roll on it."""
    least_drop_mm: float = 20.0
    """From the start to the floor below it."""
    spare_width_mm: float | None = None
    """Width of a channel beyond the payload's; None: a third of the payload, at least 16 mm."""
    is_open: bool = False
    """Whether the last channel ends inside the goal without a pocket: where a touch is enough, that is the flattest."""
    is_level: bool = False
    """Whether the pocket is hardly lower than the mouth, and lies on what is under the goal."""
    is_lane: bool = False
    """Whether solids of the world guide the payload in place of walls: the channel is a floor between them."""
    is_joined: bool = False
    """Whether the boxes of a pocket are one part, and those around a landing: where the number of parts binds."""
    wants_cheapest: bool = False
    """Whether the lightest of several designs is taken instead of the first."""


@dataclass(frozen=True)
class ChannelSizes:
    """Lengths of a channel for one payload, in millimetres."""

    payload: float
    width: float
    """Between the side walls."""
    wall: float
    side_wall: float
    """Above the floor."""
    far_wall: float
    lip: float
    end_wall: float
    pocket: float
    """Length of the pocket, inside."""
    leg: float
    span: float
    """From leg to leg."""
    longest: float
    """Of a floor or wall."""
    back: float
    """From the catcher's back panel to the centre of the payload above it."""
    is_open: bool = False
    """Whether the last channel ends without a pocket."""
    is_level: bool = False
    """Whether the pocket lies on what is under the goal."""
    is_narrow: bool = False
    """Whether the payload, which may start 5 mm aside, falls on to the edges of the walls and slides in."""
    is_lane: bool = False
    """Whether solids of the world guide the payload in place of walls."""
    is_joined: bool = False
    """Whether the boxes of a pocket are one part, and those around a landing."""
    is_pushed: bool = False
    """Whether a machine pushes the payload over an edge into the first channel, whose back is open above it."""

    @property
    def half_width(self) -> float:
        """From a channel's centre line to the outside of its walls."""
        return self.width / 2 + (0.0 if self.is_lane else FIT_MM + self.wall)

    @property
    def corner(self) -> float:
        """From a corner's back panel to the centre line of the channel that ends above it."""
        return self.half_width + FIT_MM

    @property
    def corner_box(self) -> float:
        """Length of a corner's upright panels."""
        return 2 * self.corner


def sizes_for(
    payload_mm: float, proportions: ChannelProportions, *, is_pushed: bool = False, across_mm: float | None = None
) -> ChannelSizes:
    """Return the lengths for a payload, `across_mm` wide; the width allows for an inaccurate start."""
    spare_mm, usual_mm = proportions.spare_width_mm, max(0.3 * payload_mm, 16.0)
    rests_on_walls = spare_mm is not None and spare_mm < _START_SPREAD_MM and across_mm is None
    return ChannelSizes(
        payload=payload_mm,
        width=(across_mm or payload_mm) + (usual_mm if spare_mm is None else spare_mm),
        wall=proportions.wall_mm,
        side_wall=proportions.side_wall_ratio * payload_mm,
        far_wall=proportions.far_wall_ratio * payload_mm,
        lip=_lip_mm(payload_mm, proportions),
        end_wall=proportions.end_wall_ratio * payload_mm,
        pocket=0.0 if proportions.is_open else payload_mm + 14.0,
        leg=proportions.leg_mm,
        span=proportions.span_mm,
        longest=proportions.longest_mm,
        back=(_PUSHED_BACK if is_pushed else _BACK) * payload_mm,
        is_open=proportions.is_open,
        is_level=proportions.is_level,
        is_narrow=rests_on_walls and not proportions.is_lane,
        is_lane=proportions.is_lane,
        is_joined=proportions.is_joined,
        is_pushed=is_pushed,
    )


def _lip_mm(payload_mm: float, proportions: ChannelProportions) -> float:
    if proportions.is_open:
        return 0.0
    return _LEVEL_LIP_MM if proportions.is_level else proportions.lip_ratio * payload_mm
