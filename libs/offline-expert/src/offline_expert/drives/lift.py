"""A lift for balls: its sloped floor leans the ball against a fixed wall, over which it rolls at the top.

Measured: floors that dip by 10 to 15 degrees lift balls by 100 to 300 mm at 100 to 200 mm/s in 100 of 100 runs.
"""

from dataclasses import dataclass
from math import cos, radians, tan

from offline_expert.drives.axis import NoWayError, Way
from offline_expert.drives.machine import GAP_MM, PINION_MM, Machine, Printed, Proportions, Slide
from offline_expert.routing.boxes import TurnedBox, upright
from offline_expert.routing.problem import Problem

_ROOM_MM = 8.0
"""On each side of the ball, which may start 5 mm aside."""
_AHEAD_MM = 10.0
"""From the ball to the fixed wall, and to the back of the lift."""
_WALL_MM = 4.0
_BACK_MM = 6.0
_CLEAR_MM = 3.0
"""Between what moves and what does not."""
_BOTTOM_MM = 2.0
"""Of the lift above the floor it starts from."""
_LOWEST_MM = 4.0
"""Thickness of the lift's floor at its lower end."""
_DIP_DEG, _SLOPE_DEG = 12.0, 6.0
"""Of the lift's floor and of the chute."""
_ABOVE_WALL_MM = 6.0
"""The lift stops so much above the wall."""
_LIP_RATIO, _END_RATIO = 0.5, 1.2
_POCKET_MM = 14.0
"""Longer than the ball."""
_GOAL_INSET_MM = 6.0
_SHAFT_MM = 18.0
"""Height of the shaft above the lift's bottom."""
_POST_MM = (12.0, 28.0)
"""Of the post with the rack: along the way and to its side."""


@dataclass(frozen=True)
class _Layout:
    """Where everything is, along the way and upwards."""

    way: Way
    like: Proportions
    ball: float
    floor_z: float
    shelf_z: float

    @property
    def inside(self) -> float:
        return self.ball / 2 + _ROOM_MM

    @property
    def outer(self) -> float:
        return self.inside + GAP_MM + self.like.panel_mm

    @property
    def wall(self) -> float:
        return self.ball / 2 + _AHEAD_MM

    @property
    def back(self) -> float:
        return -self.wall

    @property
    def pocket(self) -> float:
        return self.way.goal[0] + _GOAL_INSET_MM

    @property
    def lip_z(self) -> float:
        return self.shelf_z + _LIP_RATIO * self.ball

    @property
    def wall_z(self) -> float:
        return self.lip_z + (self.pocket - self.wall - _WALL_MM) * tan(radians(_SLOPE_DEG))

    @property
    def bottom_z(self) -> float:
        return self.floor_z + _BOTTOM_MM

    @property
    def front(self) -> float:
        """Where the lift's floor ends, before the wall."""
        return self.wall - _CLEAR_MM

    @property
    def rise(self) -> float:
        """How much higher the lift's floor is at the back."""
        return (self.front - self.back) * tan(radians(_DIP_DEG))

    @property
    def rim_z(self) -> float:
        """Upper edge of the lift's panels."""
        return self.bottom_z + _LOWEST_MM + self.rise + self.like.side_ratio * self.ball

    @property
    def motor_aside(self) -> float:
        return self.outer + _CLEAR_MM + self.like.motor.radius_mm


def lifted(problem: Problem, way: Way, heights: tuple[float, float], like: Proportions) -> Machine:
    """Return a lift from one height to the other, of floor and shelf; raise `NoWayError` for what it cannot lift."""
    if not problem.is_ball:
        raise NoWayError("The payload is no ball: a cube is pinched between a lift's sloped floor and the fixed wall.")
    at = _Layout(way, like, problem.size_mm, *heights)
    _must_fit(at)
    stroke = at.wall_z + _ABOVE_WALL_MM - at.bottom_z - _LOWEST_MM
    shaft_z, rack = at.bottom_z + _SHAFT_MM, at.motor_aside - PINION_MM
    behind = at.back - _BACK_MM
    post = way.box(
        (behind - 1.0 - _POST_MM[0], behind - 1.0),
        (rack - _POST_MM[1], rack),
        (at.floor_z + GAP_MM, shaft_z + stroke + 2 * PINION_MM),
    )
    why = "The post that carries the lift; the side towards the motor is the rack."
    return Machine(
        summary=f"A lift raises the ball by {stroke:.0f} mm to a chute and a pocket on the shelf, its motor with it.",
        printed=(*_fixed(at), *_lift(at), Printed("post", upright(post), why)),
        slide=Slide("post", "back", way.point(behind - 0.5, rack - _POST_MM[1] / 2, shaft_z), (0.0, 0.0, 1.0), stroke),
        motor_at=way.point(at.back + GAP_MM, at.motor_aside, shaft_z),
        motor_tilt_deg=-90.0,
        yaw_deg=way.yaw_deg,
        waits_s=1.0,
        speed_mm_s=like.speed_mm_s,
        motor=like.motor,
    )


def _must_fit(at: _Layout) -> None:
    below = at.way.start[2] - at.ball / 2 - at.bottom_z - _LOWEST_MM - at.rise
    if below < 0:
        raise NoWayError(f"The ball starts {-below:.0f} mm too low for the floor of a lift to stand under it.")
    if at.way.goal[0] < at.wall + _WALL_MM + 1.0:
        raise NoWayError(f"The shelf begins {at.way.goal[0]:.0f} mm ahead: no room for a wall beside the ball.")


def _fixed(at: _Layout) -> tuple[Printed, ...]:
    """Return wall, chute and pocket."""
    way, begin, end = at.way, at.wall + _WALL_MM, at.pocket + at.ball + _POCKET_MM
    sides_z = (at.shelf_z + GAP_MM, at.wall_z + at.like.side_ratio * at.ball)
    across, ends_z = (-at.inside, at.inside), (at.shelf_z + GAP_MM, at.shelf_z + _END_RATIO * at.ball)
    wall = way.box((at.wall, begin), (-at.outer, at.outer), (at.floor_z + GAP_MM, at.wall_z))
    left = way.box((begin + GAP_MM, end), (at.inside + GAP_MM, at.outer), sides_z)
    right = way.box((begin + GAP_MM, end), (-at.outer, -at.inside - GAP_MM), sides_z)
    stop = way.box((end - at.like.panel_mm, end), across, ends_z)
    return (
        Printed("wall", upright(wall), "The ball leans against this wall and rolls over it at the top."),
        Printed("chute", _chute(at), "A chute leads down to a pocket on the shelf, inside the goal zone."),
        Printed("chute-left", upright(left)),
        Printed("chute-right", upright(right)),
        Printed("pocket-end", upright(stop)),
    )


def _chute(at: _Layout) -> TurnedBox:
    begin, slope, panel = at.wall + _WALL_MM, radians(_SLOPE_DEG), at.like.panel_mm
    length = (at.pocket - begin - 2 * GAP_MM) / cos(slope) - panel * tan(slope)
    middle_z = (at.lip_z + at.wall_z) / 2 - panel / 2 / cos(slope)
    center = at.way.point((begin + at.pocket) / 2, 0.0, middle_z)
    return TurnedBox(center, (length, 2 * at.inside, panel), at.way.yaw_deg, _SLOPE_DEG)


def _lift(at: _Layout) -> tuple[Printed, ...]:
    """Return the lift's back plate, which carries floor, sides and motor."""
    way, along = at.way, (at.back + GAP_MM, at.front)
    z = (at.bottom_z, at.rim_z)
    far = at.motor_aside + at.like.motor.radius_mm + 2.0
    back = way.box((at.back - _BACK_MM, at.back), (-at.outer, far), z)
    left = way.box(along, (at.inside + GAP_MM, at.outer), z)
    right = way.box(along, (-at.outer, -at.inside - GAP_MM), z)
    length = along[1] - along[0]
    place = way.point(sum(along) / 2, 0.0, at.bottom_z + _LOWEST_MM / 2)
    floor = TurnedBox(place, (length, 2 * at.inside, _LOWEST_MM), way.yaw_deg)
    why = "The lift: all of it is glued to the back plate, and the motor with it, its shaft through the plate."
    return (
        Printed("back", upright(back), why, is_bored=True),
        Printed("floor", floor, rear_height_mm=_LOWEST_MM + at.rise),
        Printed("side-left", upright(left)),
        Printed("side-right", upright(right)),
    )
