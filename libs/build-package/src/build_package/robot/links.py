"""Links and joints of a machine as a tree, whose root is the world: what URDF and SDF are written from.

Each part is a link, as it is a body of the judge's own model. All frames are parallel to the world's; that of a part on
a joint is at the joint's anchor, that of a part which is glued or screwed to another is at that one's.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from math import pi
from typing import Literal

import numpy as np
from contracts.models.geometry import Vector
from contracts.models.mechanism import Range
from contracts.models.scene import Body, Drive, LoadedJoint, Scene
from geometry.arrays import FloatArray, as_vector

WORLD = "world"
MM, DEG = 1e-3, pi / 180
JointKind = Literal["fixed", "floating", "revolute", "prismatic", "ball"]


@dataclass(frozen=True, eq=False)
class Link:
    """One rigid part, or a frame between two joints, which has no body."""

    name: str
    origin_mm: FloatArray
    """(3,), world."""
    body: Body | None = None


@dataclass(frozen=True, eq=False)
class RobotJoint:
    """A joint of the tree, in SI units."""

    name: str
    kind: JointKind
    parent: Link
    child: Link
    axis: Vector = (0.0, 0.0, 1.0)
    limits: tuple[float, float] | None = None
    """rad or m. None: it is not limited."""
    friction: float = 0.0
    """Without load, N m or N."""
    drive: Drive | None = None
    mimic: tuple[str, float] | None = None
    """The joint that leads it, and its motion over that one's."""

    @property
    def effort_and_speed(self) -> tuple[float, float]:
        """What its motor does at most, N m and rad/s or N and m/s; 0 without a motor."""
        if self.drive is None:
            return 0.0, 0.0
        arm_m = 1.0 if self.kind != "prismatic" else (self.drive.pinion_radius_mm or 1.0) * MM
        return self.drive.stall_torque_n_m / arm_m, self.drive.no_load_speed_rad_s * arm_m


@dataclass(frozen=True)
class Robot:
    """All links, the world first, and the joints that lead to the others."""

    links: tuple[Link, ...]
    joints: tuple[RobotJoint, ...]


def robot_of(scene: Scene) -> Robot:
    """Return a design with what else moves; solids of the benchmark that never move are the world."""
    return _Tree(scene).robot()


class _Tree:
    """The tree as it grows from the world outwards."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._moving = {body.label: body for body in scene.bodies if body.mass is not None}
        self._drives = {drive.joint: drive for drive in scene.drives}
        self._world = Link(WORLD, np.zeros(3))
        self._placed = {body.label: self._world for body in scene.bodies if body.mass is None}
        self._joints: list[RobotJoint] = []
        self._names = {joint.label: f"{joint.label}-joint" for joint in scene.joints if joint.label in self._moving}

    def robot(self) -> Robot:
        """Grow from the world, then from parts that nothing holds, those first that no joint carries."""
        self._grow(deque(self._placed))
        carried = {joint.child for joint in self._scene.joints}
        for label in sorted(self._moving, key=lambda each: each in carried):
            if label not in self._placed:
                self._add(RobotJoint(f"{label}-free", "floating", self._world, self._link(label, np.zeros(3))))
                self._grow(deque([label]))
        return Robot((self._world, *(joint.child for joint in self._joints)), tuple(self._joints))

    def _grow(self, queue: deque[str]) -> None:
        while queue:
            label = queue.popleft()
            parent = self._placed[label]
            for weld in self._scene.welds:
                for other in self._next((weld.first, weld.second), label):
                    self._add(RobotJoint(f"{weld.label}-fixed", "fixed", parent, self._link(other, parent.origin_mm)))
                    queue.append(other)
            for joint in self._scene.joints:
                for other in self._next((joint.parent, joint.child), label):
                    self._add_joint(joint, parent, other)
                    queue.append(other)

    def _next(self, pair: tuple[str, str], label: str) -> Iterator[str]:
        """Yield the other one of a pair, unless it has its place."""
        if label in pair:
            yield from (each for each in pair if each not in self._placed)

    def _link(self, label: str, origin_mm: FloatArray) -> Link:
        return Link(label, origin_mm, self._moving[label])

    def _add(self, joint: RobotJoint) -> None:
        self._placed[joint.child.name] = joint.child
        self._joints.append(joint)

    def _leader(self, follower: str) -> tuple[str, float] | None:
        """Return the joint that leads another, and the ratio in rad and m."""
        units = {joint.label: MM if joint.kind == "linear" else DEG for joint in self._scene.joints}
        for each in self._scene.couplings:
            if each.second == follower:
                ratio = each.ratio * units[each.second] / units[each.first]
                return self._names.get(each.first, each.first), ratio
        return None

    def _add_joint(self, joint: LoadedJoint, parent: Link, other: str) -> None:
        """Add a joint; one that is met from its child's side turns the other way round, so that positions agree.

        A joint with the label of a part gets a name of its own: in SDF, links and joints share theirs.
        """
        anchor = np.array(joint.anchor_mm)
        axis = as_vector(np.array(joint.axis) * (1.0 if other == joint.child else -1.0))
        if joint.kind == "cylindrical":
            between = Link(f"{joint.label}-frame", anchor)
            limits = _scaled(joint.travel_range_mm, MM)
            self._add(
                RobotJoint(f"{joint.label}-travel", "prismatic", parent, between, axis, limits, joint.friction_force_n)
            )
            parent = between
        slides = joint.kind == "linear"
        self._add(
            RobotJoint(
                self._names.get(joint.label, joint.label),
                "prismatic" if slides else "ball" if joint.kind == "ball" else "revolute",
                parent,
                self._link(other, anchor),
                axis,
                _scaled(joint.travel_range_mm, MM) if slides else _scaled(joint.angle_range_deg, DEG),
                joint.friction_force_n if slides else joint.friction_torque_n_m,
                self._drives.get(joint.label),
                self._leader(joint.label),
            )
        )


def _scaled(limits: Range | None, unit: float) -> tuple[float, float] | None:
    return None if limits is None else (limits[0] * unit, limits[1] * unit)
