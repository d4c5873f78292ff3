"""Gaps: the least distance of parts that move past each other, over the range of each joint."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import cos, pi, sin

import numpy as np
from build123d import Location, Plane, Solid
from contracts.models.mechanism import Oscillation, Positions
from geometry.arrays import FloatArray, as_vector
from geometry.occt.distances import closest_points
from geometry.occt.measures import bounding_box

from build_package.fits.chains import ToleranceStack, stack_of
from build_package.fits.tolerances import share_beyond
from build_package.machine import Machine
from build_package.robot.links import DEG, MM, Robot, RobotJoint, robot_of

POSES = 13
"""Of each joint, from one end of its range to the other."""
NEAR_MM = 3.0
"""A wider gap is not looked at."""
MOST_DISTANCES = 1500
"""Of pairs in poses, that are measured exactly; a few seconds."""
LEAST_SHARE = 0.01
"""Of machines, that is named."""
NARROWER_MM = 1e-3
"""A smaller difference is rounding: the first pose counts."""
SAME = 1e-9


@dataclass(frozen=True)
class Gap:
    """The least distance of two parts."""

    first: str
    second: str
    gap_mm: float
    """0 where they touch, as a slide on its rail does."""
    joint: str
    position: float
    """Of the joint, from the pose of the assembly, ° or mm."""
    unit: str
    stack: ToleranceStack
    """Tolerances along the parts between them."""
    is_mesh: bool = False
    """Whether both have teeth, whose tips then reach past each other."""

    @property
    def touching_share(self) -> float:
        """Of machines whose sizes are drawn within the tolerances."""
        return share_beyond(self.gap_mm, self.stack.links_mm)

    @property
    def verdict(self) -> str:
        """What the tolerances leave of it."""
        if self.is_mesh:
            return "in mesh: set the backlash"
        if self.gap_mm < 0.005:
            return "touch: fit them to slide"
        if self.gap_mm > self.stack.worst_mm:
            return "free"
        share = self.touching_share
        how_often = f"in {share:.0%}" if share >= LEAST_SHARE else f"in less than {LEAST_SHARE:.0%}"
        if self.gap_mm > self.stack.likely_mm:
            return f"likely free, touches {how_often} of machines: check it"
        return f"may touch, {how_often} of machines: measure it"


def moving_gaps(machine: Machine) -> list[Gap]:
    """Return the pairs that come within `NEAR_MM`, the narrowest first. Joints move one by one with followers."""
    robot = robot_of(machine.scene)
    solids = {link.name: machine.solids[link.name] for link in robot.links if link.name in machine.solids}
    least: dict[tuple[str, str], Gap] = {}
    left = MOST_DISTANCES
    for joint in robot.joints:
        for position in _positions(joint):
            places = _places(robot, {joint.name: position})
            for first, second in _near(solids, places):
                if left == 0:
                    return sorted(least.values(), key=lambda each: each.gap_mm)
                left -= 1
                gap = _gap(machine, joint, position, (first, second), places)
                known = least.get((first, second))
                if gap.gap_mm <= NEAR_MM and (known is None or gap.gap_mm < known.gap_mm - NARROWER_MM):
                    least[first, second] = gap
    return sorted(least.values(), key=lambda each: each.gap_mm)


def _positions(joint: RobotJoint) -> FloatArray:
    """Return the positions in rad or m of a joint that is led by none: those of its motor's program, or its range."""
    ends = joint.limits if joint.limits is not None or joint.kind != "revolute" else (-pi, pi)
    if joint.kind not in ("revolute", "prismatic") or joint.mimic is not None or ends is None:
        return np.empty(0)
    control = None if joint.drive is None else joint.drive.control
    unit = MM if joint.kind == "prismatic" else DEG
    if isinstance(control, Positions):
        ends = (max(ends[0], unit * min(0.0, *control.targets)), min(ends[1], unit * max(0.0, *control.targets)))
    elif isinstance(control, Oscillation):
        reach = control.amplitude
        ends = (max(ends[0], unit * (control.mean - reach)), min(ends[1], unit * (control.mean + reach)))
    return np.linspace(*ends, POSES)


def _places(robot: Robot, positions: Mapping[str, float]) -> dict[str, FloatArray]:
    """Return by link the motion (4, 4) in mm that brings it from its place in the assembly to its place in a pose."""
    moved: dict[str, FloatArray] = {robot.links[0].name: np.eye(4)}
    for joint in robot.joints:
        position = positions.get(joint.name, 0.0)
        if joint.mimic is not None:
            leader, ratio = joint.mimic
            position = ratio * positions.get(leader, 0.0)
        moved[joint.child.name] = moved[joint.parent.name] @ _motion(joint, position)
    return moved


def _motion(joint: RobotJoint, position: float) -> FloatArray:
    motion = np.eye(4)
    axis = np.array(joint.axis)
    if joint.kind == "prismatic":
        motion[:3, 3] = axis * position / MM
    elif joint.kind == "revolute":
        x, y, z = axis
        crossed = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        motion[:3, :3] = np.eye(3) + sin(position) * crossed + (1 - cos(position)) * crossed @ crossed
        motion[:3, 3] = joint.child.origin_mm - motion[:3, :3] @ joint.child.origin_mm
    return motion


def _near(solids: Mapping[str, Solid], places: Mapping[str, FloatArray]) -> Iterator[tuple[str, str]]:
    """Yield the pairs that have moved against each other and whose boxes are near."""
    boxes = {label: _box(solid, places[label]) for label, solid in solids.items()}
    labels = list(solids)
    for number, first in enumerate(labels):
        for second in labels[number + 1 :]:
            if np.allclose(places[first], places[second], atol=SAME):
                continue
            (low, high), (other_low, other_high) = boxes[first], boxes[second]
            if float(np.maximum(low - other_high, other_low - high).max()) <= NEAR_MM:
                yield first, second


def _box(solid: Solid, place: FloatArray) -> tuple[FloatArray, FloatArray]:
    box = bounding_box(solid)
    assert box is not None, "a judged solid has an extent"
    ends = np.array([box.min_mm, box.max_mm])
    corners = np.array([[ends[i, 0], ends[j, 1], ends[k, 2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    placed = corners @ place[:3, :3].T + place[:3, 3]
    return placed.min(axis=0), placed.max(axis=0)


def _gap(
    machine: Machine, joint: RobotJoint, position: float, pair: tuple[str, str], places: Mapping[str, FloatArray]
) -> Gap:
    one, other = (machine.outlines[label].moved(_location(places[label])) for label in pair)
    unit = ("mm", 1 / MM) if joint.kind == "prismatic" else ("°", 1 / DEG)
    return Gap(
        *pair,
        closest_points(one, other).gap_mm,
        joint.name,
        position * unit[1],
        unit[0],
        stack_of(machine, *pair),
        {*pair} <= machine.teeth_mm.keys(),
    )


def _location(place: FloatArray) -> Location:
    x_dir, z_dir = as_vector(place[:3, 0]), as_vector(place[:3, 2])
    return Location(Plane(origin=as_vector(place[:3, 3]), x_dir=x_dir, z_dir=z_dir))
