"""A lift for balls: its sloped floor presses the ball against a fixed wall, over which it rolls at the top.

A chute leads from there to a pocket on a shelf, or over a barrier and down a shaft behind it.

Measured: floors with a slope of 10 to 15 degrees lift balls by 100 to 300 mm at 100 to 200 mm/s in 100 of 100 runs.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import atan, cos, degrees, radians, tan

from offline_expert.boxes import TurnedBox
from offline_expert.drives.axis import Barrier, MotionAxis, NoMachineError, Span, standing
from offline_expert.drives.machine import GAP_MM, PINION_MM, DrivenMachine, DriveProportions, PrintedPart, Slide
from offline_expert.drives.tines import Tines, tines_for
from offline_expert.routing.problem import RoutingProblem

_CLEARANCE_MM = 8.0
"""On each side of the ball, which may start 5 mm aside."""
_AHEAD_MM = 10.0
"""From the ball to the fixed wall, and to the back of the lift."""
_WALL_MM = 4.0
_BACK_MM = 6.0
_MOVING_GAP_MM = 3.0
"""Between moving and fixed parts."""
_BOTTOM_MM = 2.0
"""Least height of the lift's underside above the floor at the start."""
_MOST_FALL_MM = 10.0
"""Of the ball to the lift's floor: below a ball that starts high, the lift starts high as well."""
_LOWEST_MM = 4.0
"""Thickness of the lift's floor at its lower end."""
_DIP_DEG = 12.0
"""Slope of the lift's floor."""
_SLOPE_DEG, _LEAST_SLOPE_DEG, _CHUTE_DROP_MM = 6.0, 3.0, 25.0
"""Of the chute: its slope, or, where it is long, a gentler one for this drop, so that the ball does not arrive fast."""
_ABOVE_WALL_MM = 6.0
"""Height of the lift's floor above the wall at the top."""
_LIP_RATIO, _END_RATIO = 0.5, 1.2
_POCKET_MM = 11.0
"""Length of the pocket beyond the ball's diameter."""
_STOP_RATIO = 2.0
"""Thickness of the pocket's end, which the ball hits, over that of the other panels."""
_START_MM = 6.0
"""From the ball back to where the gap of the tines has its measure."""
_GOAL_INSET_MM = 6.0
_BEHIND_BARRIER_MM, _ABOVE_BARRIER_MM = 1.0, 2.0
"""From the barrier to the shaft behind it, and to the underside of the chute over it."""
_SHAFT_MM = 18.0
"""Height of the shaft above the lift's bottom."""
_TABLE_LEG_MM = 24.0
_POST_MM = (12.0, 28.0)
"""Edges of the post with the rack, between panels of 3 mm: along the axis and aside. They grow with the panels."""
_PANEL_MM = 3.0


@dataclass(frozen=True)
class Heights:
    """Heights of what the lift leads from and to, and over."""

    floor_z: float
    shelf_z: float
    """Of the solid under the goal, or of a table of its own where that is too far below."""
    has_table: bool = False
    barrier: Barrier | None = None


@dataclass(frozen=True)
class _Layout:
    """Positions along the axis, aside and upwards."""

    axis: MotionAxis
    proportions: DriveProportions
    ball: float
    heights: Heights
    tines: Tines | None = None
    """In place of a floor, where there is no space for one below the ball."""

    @property
    def floor_z(self) -> float:
        return self.heights.floor_z

    @property
    def shelf_z(self) -> float:
        return self.heights.shelf_z

    @property
    def base_z(self) -> float:
        """Height on which the sides of the chute rest."""
        return self.shelf_z if self.heights.barrier is None else self.heights.barrier.top_z

    @property
    def inside(self) -> float:
        return self.ball / 2 + _CLEARANCE_MM

    @property
    def outer(self) -> float:
        return self.inside + GAP_MM + self.proportions.panel_mm

    @property
    def wall(self) -> float:
        return self.ball / 2 + _AHEAD_MM

    @property
    def back(self) -> float:
        return -self.wall

    @property
    def pocket(self) -> float:
        inset, barrier = self.axis.goal[0] + _GOAL_INSET_MM, self.heights.barrier
        return inset if barrier is None else max(inset, barrier.end + self.proportions.panel_mm + _BEHIND_BARRIER_MM)

    @property
    def pocket_end(self) -> float:
        return self.pocket + self.ball + _POCKET_MM + self.stop_mm

    @property
    def stop_mm(self) -> float:
        return _STOP_RATIO * self.proportions.panel_mm

    @property
    def lip_z(self) -> float:
        if self.heights.barrier is None:
            return self.shelf_z + _LIP_RATIO * self.ball
        return self.base_z + self.proportions.panel_mm + _ABOVE_BARRIER_MM

    @property
    def slope_deg(self) -> float:
        gentle = degrees(atan(_CHUTE_DROP_MM / (self.pocket - self.wall - _WALL_MM)))
        return min(max(gentle, _LEAST_SLOPE_DEG), _SLOPE_DEG)

    @property
    def wall_z(self) -> float:
        return self.lip_z + (self.pocket - self.wall - _WALL_MM) * tan(radians(self.slope_deg))

    @property
    def room(self) -> float:
        """Height of the ball above the floor at its start."""
        return self.axis.start[2] - self.ball / 2 - self.floor_z

    @property
    def bottom_z(self) -> float:
        if self.tines:
            return self.floor_z + self.tines.bottom
        return self.floor_z + max(_BOTTOM_MM, self.room - _MOST_FALL_MM - self.rise - _LOWEST_MM)

    @property
    def rest_z(self) -> float:
        """Height of the ball's lowest point at the front of the lift, before it is raised."""
        return self.bottom_z + (_LOWEST_MM if self.tines is None else self.tines.thickness - self.tines.sag)

    @property
    def front(self) -> float:
        """End of the lift's floor, before the wall."""
        return self.wall - _MOVING_GAP_MM

    @property
    def rise(self) -> float:
        """Height difference of the lift's floor between back and front."""
        return 0.0 if self.tines else (self.front - self.back) * tan(radians(_DIP_DEG))

    @property
    def rim_z(self) -> float:
        """Upper edge of the lift's panels."""
        return self.bottom_z + _LOWEST_MM + self.rise + self.proportions.side_ratio * self.ball

    @property
    def post(self) -> tuple[float, float]:
        growth = max(1.0, self.proportions.panel_mm / _PANEL_MM)
        return growth * _POST_MM[0], growth * _POST_MM[1]

    @property
    def motor_aside(self) -> float:
        return self.outer + _MOVING_GAP_MM + self.proportions.motor.radius_mm


def lift(problem: RoutingProblem, axis: MotionAxis, heights: Heights, proportions: DriveProportions) -> DrivenMachine:
    """Return a lift from the floor to the shelf, or over the barrier; raise `NoMachineError` if it cannot work."""
    if not problem.is_ball:
        raise NoMachineError("The payload is not a ball: a cube jams between a lift's sloped floor and the fixed wall.")
    at = _Layout(axis, proportions, problem.size_mm, heights)
    if at.room < _BOTTOM_MM + _LOWEST_MM + at.rise:
        tines = tines_for(at.ball, at.room)
        if tines is None:
            raise NoMachineError(f"The ball starts {at.room:.0f} mm above the floor: it is too small for a fork there.")
        at = replace(at, tines=tines)
    _require_space(at)
    stroke = at.wall_z + _ABOVE_WALL_MM - at.rest_z
    shaft_z, rack = at.bottom_z + _SHAFT_MM, at.motor_aside - PINION_MM - GAP_MM
    behind = at.back - _BACK_MM
    post = standing(
        axis,
        (behind - 1.0 - at.post[0], behind - 1.0),
        (rack - at.post[1], rack),
        (at.floor_z, shaft_z + stroke + 2 * PINION_MM),
        problem,
    )
    comment = "The post that carries the lift; its side towards the motor is the rack."
    return DrivenMachine(
        summary=f"A lift with its own motor raises the ball by {stroke:.0f} mm to a chute {_destination(at)}.",
        printed=(*_fixed(at, problem), *_shaft(at), *_lift(at), PrintedPart("post", post, comment)),
        slide=Slide("post", "back", axis.point(behind - 0.5, rack - at.post[1] / 2, shaft_z), (0.0, 0.0, 1.0), stroke),
        motor_at=axis.point(at.back + GAP_MM, at.motor_aside, shaft_z),
        plate_mm=_BACK_MM + GAP_MM,
        motor_tilt_deg=-90.0,
        yaw_deg=axis.yaw_deg,
        delay_s=1.0 + proportions.wait_s,
        speed_mm_s=proportions.speed_mm_s,
        motor=proportions.motor,
    )


def _require_space(at: _Layout) -> None:
    if at.axis.goal[0] < at.wall + _WALL_MM + 1.0:
        raise NoMachineError(f"The shelf begins {at.axis.goal[0]:.0f} mm ahead: a wall next to the ball does not fit.")
    barrier = at.heights.barrier
    if barrier is not None and barrier.begin < at.wall + _WALL_MM + 1.0:
        raise NoMachineError(f"The barrier begins {barrier.begin:.0f} mm ahead: a wall before it does not fit.")
    if at.pocket + at.ball / 2 > at.axis.goal[1]:
        raise NoMachineError(f"The goal ends {at.axis.goal[1]:.0f} mm ahead: too close behind the barrier for a shaft.")


def _destination(at: _Layout) -> str:
    return "and a pocket on the shelf" if at.heights.barrier is None else "over the barrier and a shaft behind it"


def _fixed(at: _Layout, problem: RoutingProblem) -> tuple[PrintedPart, ...]:
    """Return wall, chute and the panel at the chute's end."""
    axis, begin, end = at.axis, at.wall + _WALL_MM, at.pocket_end
    sides_z = (at.base_z + GAP_MM, at.wall_z + at.proportions.side_ratio * at.ball)
    rim_z = at.shelf_z if at.heights.barrier is None else at.lip_z
    across, ends_z = (-at.inside, at.inside), (at.shelf_z + GAP_MM, rim_z + _END_RATIO * at.ball)
    wall = standing(axis, (at.wall, begin), (-at.outer, at.outer), (at.floor_z, at.wall_z), problem)
    left = axis.box((begin + GAP_MM, end), (at.inside + GAP_MM, at.outer), sides_z)
    right = axis.box((begin + GAP_MM, end), (-at.outer, -at.inside - GAP_MM), sides_z)
    stop = axis.box((end - at.stop_mm, end), across, ends_z)
    return (
        *(_table(at, problem) if at.heights.has_table else ()),
        PrintedPart("wall", wall, "The ball touches this wall and rolls over it at the top."),
        PrintedPart("chute", _chute(at), f"A chute leads down {_goal_text(at)}, inside the goal zone."),
        PrintedPart("chute-left", left),
        PrintedPart("chute-right", right),
        PrintedPart("pocket-end", stop),
    )


def _table(at: _Layout, problem: RoutingProblem) -> tuple[PrintedPart, ...]:
    """Return the floor of a pocket in the air, and its leg."""
    along, top = (at.pocket, at.pocket_end), at.shelf_z - at.proportions.panel_mm
    floor = at.axis.box(along, (-at.outer, at.outer), (top, at.shelf_z))
    middle, half = sum(along) / 2, _TABLE_LEG_MM / 2
    z = (at.floor_z, top - GAP_MM)
    leg = standing(at.axis, (middle - half, middle + half), (-half, half), z, problem)
    comment = "No solid carries the pocket: it has a table of its own."
    return PrintedPart("table", floor, comment), PrintedPart("leg", leg)


def _goal_text(at: _Layout) -> str:
    return "to a pocket on the shelf" if at.heights.barrier is None else "over the barrier to a shaft"


def _shaft(at: _Layout) -> tuple[PrintedPart, ...]:
    """Return the panels below the chute's end, between which the ball drops behind a barrier."""
    if at.heights.barrier is None:
        return ()
    axis, along, z = at.axis, (at.pocket - at.proportions.panel_mm, at.pocket_end), (at.shelf_z + GAP_MM, at.base_z)
    left = axis.box(along, (at.inside + GAP_MM, at.outer), z)
    right = axis.box(along, (-at.outer, -at.inside - GAP_MM), z)
    front = axis.box((along[0], at.pocket), (-at.inside, at.inside), z)
    comment = "The ball drops between these panels to the floor behind the barrier."
    return (
        PrintedPart("shaft-left", left, comment),
        PrintedPart("shaft-right", right),
        PrintedPart("shaft-front", front),
    )


def _chute(at: _Layout) -> TurnedBox:
    begin, slope, panel = at.wall + _WALL_MM, radians(at.slope_deg), at.proportions.panel_mm
    length = (at.pocket - begin - 2 * GAP_MM) / cos(slope) - panel * tan(slope)
    middle_z = (at.lip_z + at.wall_z) / 2 - panel / 2 / cos(slope)
    center = at.axis.point((begin + at.pocket) / 2, 0.0, middle_z)
    return TurnedBox(center, (length, 2 * at.inside, panel), at.axis.yaw_deg, at.slope_deg)


def _lift(at: _Layout) -> tuple[PrintedPart, ...]:
    """Return the lift's back plate, which carries floor, sides and motor."""
    axis, along = at.axis, (at.back + GAP_MM, at.front)
    z = (at.bottom_z, at.rim_z)
    far = at.motor_aside + at.proportions.motor.radius_mm + 2.0
    back = axis.box((at.back - _BACK_MM, at.back), (-at.outer, far), z)
    left = axis.box(along, (at.inside + GAP_MM, at.outer), z)
    right = axis.box(along, (-at.outer, -at.inside - GAP_MM), z)
    comment = "The lift: its parts and the motor are glued to the back plate, through which the shaft passes."
    return (
        PrintedPart("back", back, comment, is_bored=True),
        *_floor(at, along),
        PrintedPart("side-left", left),
        PrintedPart("side-right", right),
    )


def _floor(at: _Layout, along: Span) -> Iterator[PrintedPart]:
    """Yield the sloped floor, or the tines of a tines."""
    axis, length, tines = at.axis, along[1] - along[0], at.tines
    if tines is None:
        center = axis.point(sum(along) / 2, 0.0, at.bottom_z + _LOWEST_MM / 2)
        floor = TurnedBox(center, (length, 2 * at.inside, _LOWEST_MM), axis.yaw_deg)
        yield PrintedPart("floor", floor, rear_height_mm=_LOWEST_MM + at.rise)
        return
    taper = (tines.front - tines.rear) / (along[1] + _START_MM) * length
    width = at.inside - tines.front + taper
    for side, sign in (("left", 1), ("right", -1)):
        center = axis.point(sum(along) / 2, sign * (at.inside - width / 2), at.bottom_z + tines.thickness / 2)
        tine = TurnedBox(center, (length, width, tines.thickness), axis.yaw_deg)
        yield PrintedPart(f"tine-{side}", tine, taper_mm=sign * axis.hand * taper)
