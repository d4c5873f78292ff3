"""The numbers a channel is made by. Ratios are to the payload's size; they were measured by simulation."""

from dataclasses import dataclass

FIT_MM = 0.01
"""Gap between parts that touch: far below what counts as contact, far above rounding."""


@dataclass(frozen=True)
class Tuning:
    """Proportions of the channel and how careful the router is. Attempts differ by this alone."""

    wall_mm: float = 3.0
    leg_mm: float = 14.0
    """Legs are square. The glue under one bears a moment that grows with the cube of its edge."""
    clearance_mm: float = 6.0
    """From parts and payload to forbid zones, and to the faces of the build zone."""
    side_wall_ratio: float = 0.8
    far_wall_ratio: float = 1.6
    """Wall that stops the payload at a corner, above the mouth it comes from."""
    lip_ratio: float = 0.5
    """Step down into the pocket."""
    end_wall_ratio: float = 1.1
    slopes_deg: tuple[float, ...] = (7.0, 10.0, 14.0)
    max_direct_slope_deg: float = 24.0
    allow_direct: bool = True
    goal_inset_mm: float = 6.0


@dataclass(frozen=True)
class Sizes:
    """The tuning's lengths for one payload, in millimetres."""

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
    back: float
    """From the catcher's back panel to the centre of the payload above it."""

    @property
    def half_width(self) -> float:
        """From a channel's centre line to the outside of its walls."""
        return self.width / 2 + FIT_MM + self.wall

    @property
    def corner(self) -> float:
        """From a corner's back panel to the centre line of the channel that ends above it."""
        return self.half_width + FIT_MM

    @property
    def corner_box(self) -> float:
        """Length of a corner's upright panels."""
        return 2 * self.corner


def sizes_for(payload_mm: float, tuning: Tuning) -> Sizes:
    """Return the lengths for a payload: a channel must be wider than it by what a careless start may miss."""
    return Sizes(
        payload=payload_mm,
        width=max(1.3 * payload_mm, payload_mm + 16.0),
        wall=tuning.wall_mm,
        side_wall=tuning.side_wall_ratio * payload_mm,
        far_wall=tuning.far_wall_ratio * payload_mm,
        lip=tuning.lip_ratio * payload_mm,
        end_wall=tuning.end_wall_ratio * payload_mm,
        pocket=payload_mm + 14.0,
        leg=tuning.leg_mm,
        back=0.9 * payload_mm,
    )
