"""Joints and couplings of a MuJoCo model: degrees of freedom, ranges and friction."""

from dataclasses import dataclass

import numpy as np
from contracts.models.mechanism import Coupling, Range
from contracts.models.scene import LoadedJoint

from sim_worker.mujoco_api import MjsBody, MjsJoint, MjSpec, mujoco
from sim_worker.names import joint_name, travel_name
from sim_worker.rejection import SceneRejectedError
from sim_worker.units import Floats, coupling_ratio, metres, metres_of, radians

SOLIMP = (0.9999, 0.9999, 0.001)
"""As hard as MuJoCo allows. Softer friction that should hold a light wheel lets it creep at 8 rad/s."""
RIGID_STEPS = 5.0
"""Time constant of stops and gears, in steps: a stop when hit, and teeth under load, hardly give way."""


@dataclass(frozen=True)
class JointBuilder:
    """Adds the joints of a model."""

    step_s: float

    def add(self, added: MjsBody, origin_mm: Floats, joint: LoadedJoint, is_reversed: bool) -> None:
        """Let a body, whose frame is unrotated at `origin_mm`, move relative to its parent body.

        `is_reversed`: the body is the joint's parent, so that the same position moves it the other way round.
        """
        anchor_m = list(metres_of(np.array(joint.anchor_mm) - origin_mm))
        axis = [-part if is_reversed else part for part in joint.axis]
        kinds, name = mujoco.mjtJoint, joint_name(joint.label)
        slide_friction, turn_friction = joint.friction_force_n, joint.friction_torque_n_m
        if joint.kind in ("linear", "cylindrical"):
            slide = name if joint.kind == "linear" else travel_name(joint.label)
            made = added.add_joint(name=slide, type=kinds.mjJNT_SLIDE, axis=axis, frictionloss=slide_friction)
            self._harden(made, joint, _travel_range(joint))
        if joint.kind in ("revolute", "cylindrical"):
            made = added.add_joint(
                name=name, type=kinds.mjJNT_HINGE, pos=anchor_m, axis=axis, frictionloss=turn_friction
            )
            self._harden(made, joint, _angle_range(joint))
        if joint.kind == "ball":
            made = added.add_joint(name=name, type=kinds.mjJNT_BALL, pos=anchor_m, frictionloss=turn_friction)
            self._harden(made, joint, _cone(joint))

    def _harden(self, made: MjsJoint, joint: LoadedJoint, limits: Range | None) -> None:
        """Make friction and stops as rigid as possible."""
        made.solref_friction = self._rigid
        made.solimp_friction[:3] = list(SOLIMP)
        if limits is None:
            return
        low, high = limits
        if not low <= 0.0 <= high or low == high:
            raise SceneRejectedError(
                "scene_invalid",
                f"joint {joint.label}: its range, seen from the initial pose, must include 0 and some travel; "
                f"angles {joint.angle_range_deg} deg, travel {joint.travel_range_mm} mm",
            )
        made.limited = mujoco.mjtLimited.mjLIMITED_TRUE
        made.range = [low, high]
        made.solref_limit = self._rigid
        made.solimp_limit[:3] = list(SOLIMP)

    @property
    def _rigid(self) -> list[float]:
        """Time constant in s and damping ratio."""
        return [RIGID_STEPS * self.step_s, 1.0]

    def couple(self, spec: MjSpec, coupling: Coupling, joints: dict[str, LoadedJoint]) -> None:
        """Couple two joints: second = ratio x first."""
        first, second = joints[coupling.first], joints[coupling.second]
        for joint in (first, second):
            if joint.kind not in ("revolute", "linear"):
                raise SceneRejectedError(
                    "scene_invalid",
                    f"the {coupling.kind} from {first.label} to {second.label}: {joint.label} is {joint.kind}; "
                    "gears and racks need revolute or linear joints",
                )
        ratio = coupling_ratio(coupling.ratio, first.kind == "linear", second.kind == "linear")
        made = spec.add_equality(
            name=f"{coupling.kind}:{first.label}:{second.label}",
            type=mujoco.mjtEq.mjEQ_JOINT,
            objtype=mujoco.mjtObj.mjOBJ_JOINT,
            name1=joint_name(second.label),
            name2=joint_name(first.label),
        )
        made.data[:5] = [0.0, ratio, 0.0, 0.0, 0.0]
        made.solref = self._rigid
        made.solimp[:3] = list(SOLIMP)


def _angle_range(joint: LoadedJoint) -> Range | None:
    limits = joint.angle_range_deg
    return None if limits is None else (radians(limits[0]), radians(limits[1]))


def _travel_range(joint: LoadedJoint) -> Range | None:
    limits = joint.travel_range_mm
    return None if limits is None else (metres(limits[0]), metres(limits[1]))


def _cone(joint: LoadedJoint) -> Range | None:
    """Return the range of a ball joint's angle about any axis."""
    limits = _angle_range(joint)
    return None if limits is None else (0.0, max(abs(limits[0]), abs(limits[1])))
