"""Friction of joints under load: the bearing rubs with what it carries, which MuJoCo's constant friction does not know.

A bearing carries a moment as a couple of forces, at the lever at which it would reach its force limit at both places:
the length of a sleeve, or of a guide less one sleeve. Each place rubs with its own force. So a pin turns against
mu r (N1 + N2) and, along its axis, mu r |F|; a slide moves against mu (N1 + N2), and jams where a force at the lever a
presses more than it pushes: 2 mu a / L > 1.

Friction changes the forces that a bearing carries, if at all, by the motion that it allows: those of one block of steps
rule the next one, and those at rest the first. What jams grows from block to block until it holds.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from contracts.models.scene import LoadedJoint
from numpy.typing import NDArray

from sim_worker.model import World
from sim_worker.names import joint_name, travel_name
from sim_worker.run.readings import Readings
from sim_worker.units import Floats, metres

BLOCK_S = 0.005
"""Over which the forces are averaged: half of the time in which the judge averages loads."""


@dataclass(frozen=True)
class JointFriction:
    """The rubbing joints of a world, `r` of them."""

    columns: NDArray[np.intp]
    """(r,) among the joints of the scene."""
    levers_m: Floats
    """(r,) distance of the two places at which a bearing carries a moment; infinite if it carries none."""
    is_slide: NDArray[np.bool_]
    """(r,)"""
    dofs: NDArray[np.intp]
    """(d,) degrees of freedom with friction."""
    rubbing: NDArray[np.intp]
    """(d,) index of the joint among the rubbing ones."""
    factors: Floats
    """(d,) friction over the forces that the bearing carries: mu, or mu times the pin's radius in m."""
    base: Floats
    """(d,) N or N m without load."""
    block_steps: int

    @classmethod
    def of(cls, world: World) -> Self | None:
        """Return the rubbing joints of a world; None if there are none."""
        joints = world.scene.joints
        columns = [index for index, joint in enumerate(joints) if joint.friction_coefficient]
        if not columns:
            return None
        dofs = [
            (dof, rubbing, factor)
            for rubbing, index in enumerate(columns)
            for name, factor in _motions(joints[index])
            for dof in _dofs(world, name)
        ]
        indices = np.array([dof for dof, _, _ in dofs], dtype=np.intp)
        return cls(
            columns=np.array(columns, dtype=np.intp),
            levers_m=np.array([_lever_m(joints[index]) for index in columns]),
            is_slide=np.array([joints[index].kind in {"linear", "cylindrical"} for index in columns]),
            dofs=indices,
            rubbing=np.array([rubbing for _, rubbing, _ in dofs], dtype=np.intp),
            factors=np.array([factor for _, _, factor in dofs]),
            base=np.array(world.model.dof_frictionloss[indices]),
            block_steps=max(1, round(BLOCK_S / world.step_s)),
        )

    def losses(self, readings: Readings, replicas: int) -> Floats:
        """Return the friction (replicas, d), N or N m, after a block of steps of each replica, one after the other."""
        carried_n = self.carried_n(readings.joint_loads[:, self.columns])
        means_n = carried_n.reshape(replicas, -1, len(self.columns)).mean(axis=1)
        losses: Floats = self.base + self.factors * np.nan_to_num(means_n[:, self.rubbing], posinf=0.0)
        return losses

    def carried_n(self, loads: Floats) -> Floats:
        """Return the sum of the forces (n, r) that press in each bearing, of loads (n, r, 6) with z along the axis."""
        across, turned = loads[:, :, :2] / 2, loads[:, :, 3:5] / self.levers_m[:, None]
        couple = np.stack([turned[:, :, 1], -turned[:, :, 0]], axis=2)
        pressed = np.linalg.norm(across + couple, axis=2) + np.linalg.norm(across - couple, axis=2)
        twist = 2 * np.abs(loads[:, :, 5]) / self.levers_m
        carried: Floats = pressed + np.where(self.is_slide, twist, np.abs(loads[:, :, 2]))
        return carried


def _motions(joint: LoadedJoint) -> list[tuple[str, float]]:
    """Return the joint of the model for each motion, with its friction over the force that the bearing carries."""
    mu, radius_m = joint.friction_coefficient, metres(joint.friction_radius_mm)
    match joint.kind:
        case "linear":
            return [(joint_name(joint.label), mu)]
        case "cylindrical":
            return [(travel_name(joint.label), mu), (joint_name(joint.label), mu * radius_m)]
        case "revolute" | "ball":
            return [(joint_name(joint.label), mu * radius_m)]


def _dofs(world: World, name: str) -> range:
    joint = world.model.joint(name)
    first = int(joint.dofadr[0])
    return range(first, first + len(joint.frictionloss))


def _lever_m(joint: LoadedJoint) -> float:
    if joint.max_moment_n_m is None or joint.max_force_n is None:
        return np.inf
    return joint.max_moment_n_m / joint.max_force_n
