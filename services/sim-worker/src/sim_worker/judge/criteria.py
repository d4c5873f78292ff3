"""Success and failure criteria of a scene, in SI."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self, TypeVar

import numpy as np
from contracts.models.scene import Drive, LoadedJoint, Scene, Weld
from numpy.typing import NDArray

from sim_worker.judge.bounds import WorldBounds
from sim_worker.judge.face_limits import FaceLimits
from sim_worker.judge.goal import Goal
from sim_worker.model.sensor_layout import SensorLayout
from sim_worker.run.motor_power import MotorCurves
from sim_worker.structure.part_model import PartModel, part_models
from sim_worker.units import Floats

Columns = NDArray[np.intp]
Rated = TypeVar("Rated", Weld, LoadedJoint)


@dataclass(frozen=True)
class LoadLimits:
    """Limits of welds or joints for one kind of load: force or moment."""

    labels: tuple[str, ...]
    columns: Columns
    """(c,) among the measured welds, or joints."""
    limits: Floats
    """(c,)"""
    unit: str

    @classmethod
    def of(cls, rated: Iterable[tuple[int, str, float | None]], unit: str) -> Self:
        """Return the limits from columns, labels and ratings, without those that have no rating."""
        known = [(column, label, limit) for column, label, limit in rated if limit is not None]
        columns = np.array([column for column, _, _ in known], dtype=np.intp)
        return cls(tuple(label for _, label, _ in known), columns, np.array([limit for _, _, limit in known]), unit)


@dataclass(frozen=True)
class MotorLimits:
    """Limits of the design's motors; those of the environment are not judged."""

    labels: tuple[str, ...]
    columns: Columns
    """(c,) among all drives of the scene."""
    continuous_n_m: Floats
    thermal_s: Floats
    curves: MotorCurves
    supply_w: float
    """Infinite if the scene sets no limit."""

    @classmethod
    def of(cls, scene: Scene, design: frozenset[str]) -> Self:
        """Return the limits of the motors whose housing is a part of the design."""
        own = [(column, drive) for column, drive in enumerate(scene.drives) if drive.label in design]
        drives: list[Drive] = [drive for _, drive in own]
        return cls(
            labels=tuple(drive.label for drive in drives),
            columns=np.array([column for column, _ in own], dtype=np.intp),
            continuous_n_m=np.array([drive.continuous_torque_n_m for drive in drives]),
            thermal_s=np.array([drive.thermal_limit_s for drive in drives]),
            curves=MotorCurves(drives),
            supply_w=np.inf if scene.supply_limit_w is None else scene.supply_limit_w,
        )


@dataclass(frozen=True)
class Criteria:
    """All criteria by which the replicas of a scene are judged. Build them once: the parts are costly."""

    scene: Scene
    goals: tuple[Goal, ...]
    """Of each payload."""
    bounds: WorldBounds
    forbid_labels: tuple[str, ...]
    part_forbids: tuple[tuple[str, str], ...]
    """Labels (moving part of the design, forbid zone) for each column of `Readings.part_forbids_m`."""
    hold_s: float
    duration_s: float
    motors: MotorLimits
    weld_forces: LoadLimits
    weld_moments: LoadLimits
    joint_forces: LoadLimits
    joint_moments: LoadLimits
    joint_stops: tuple[LoadLimits, LoadLimits]
    """Of the ends of joints that turn, and of those that slide."""
    drive_torques: LoadLimits
    """Of the shafts of motors and of the teeth behind them; columns among all drives."""
    faces: FaceLimits
    """Glued faces with known axes; they are not among the other welds."""
    parts: tuple[PartModel, ...] = ()

    @classmethod
    def of(cls, scene: Scene, layout: SensorLayout) -> Self:
        """Return the criteria of a scene. Joints and welds between two parts of the environment are not judged."""
        design = frozenset(body.label for body in scene.bodies if body.origin == "design")
        welds = _of_design(layout.judged_welds, [(weld.first, weld.second) for weld in layout.judged_welds], design)
        unshaped = [(column, weld) for column, weld in welds if weld.face is None]
        joints = _of_design(layout.joints, [(joint.parent, joint.child) for joint in layout.joints], design)
        return cls(
            scene=scene,
            goals=tuple(Goal.of(scene, payload) for payload in scene.payloads),
            bounds=WorldBounds.of(scene, layout),
            forbid_labels=tuple(zone.label for zone in scene.payload_forbids),
            part_forbids=layout.part_forbid_pairs,
            hold_s=scene.hold_s,
            duration_s=scene.duration_s,
            motors=MotorLimits.of(scene, design),
            weld_forces=LoadLimits.of([(column, rated.label, rated.max_force_n) for column, rated in unshaped], "N"),
            weld_moments=LoadLimits.of(
                [(column, rated.label, rated.max_moment_n_m) for column, rated in unshaped], "N m"
            ),
            joint_forces=LoadLimits.of([(column, rated.label, rated.max_force_n) for column, rated in joints], "N"),
            joint_moments=LoadLimits.of(
                [(column, rated.label, rated.max_moment_n_m) for column, rated in joints], "N m"
            ),
            joint_stops=(_stops(joints, len(layout.joints), "N m"), _stops(joints, len(layout.joints), "N")),
            drive_torques=LoadLimits.of(
                [(column, drive.label, drive.max_torque_n_m) for column, drive in enumerate(scene.drives)], "N m"
            ),
            faces=FaceLimits.of(welds),
            parts=part_models(scene, layout),
        )

    def in_replicas(self) -> Self:
        """Return the criteria by which replicas are judged: a part breaks at its strength."""
        return replace(self, parts=tuple(part.in_replicas() for part in self.parts))


def _stops(joints: Sequence[tuple[int, LoadedJoint]], count: int, unit: str) -> LoadLimits:
    """Return the limits of the ends of ranges among the columns of `Readings.joint_stop_loads`."""
    ends = [
        (column + end * count, joint.label, limit)
        for column, joint in joints
        if (joint.kind == "linear") == (unit == "N")
        for end, limit in enumerate(joint.max_stops or ())
    ]
    return LoadLimits.of(ends, unit)


def _of_design(rated: Sequence[Rated], ends: list[tuple[str, str]], design: frozenset[str]) -> list[tuple[int, Rated]]:
    """Return those with at least one end in the design, each with its index among all."""
    both = zip(rated, ends, strict=True)
    return [(index, each) for index, (each, labels) in enumerate(both) if not design.isdisjoint(labels)]
