"""What decides a run, in SI: read once from a scene."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self, TypeVar

import numpy as np
from contracts.models.scene import Drive, LoadedJoint, Scene, Weld
from numpy.typing import NDArray

from sim_worker.judge.power import PowerLines
from sim_worker.run.sensor_layout import Gauges
from sim_worker.units import Floats, metres_each

Columns = NDArray[np.intp]
Rated = TypeVar("Rated", Weld, LoadedJoint)


@dataclass(frozen=True)
class LoadLimits:
    """What some of the welds, or of the joints, hold in one way."""

    labels: tuple[str, ...]
    columns: Columns
    """(c,) where they stand among the measured welds, or joints."""
    limits: Floats
    """(c,)"""
    unit: str

    @classmethod
    def of(cls, rated: Iterable[tuple[int, str, float | None]], unit: str) -> Self:
        """Return the limits of those that have one."""
        known = [(column, label, limit) for column, label, limit in rated if limit is not None]
        columns = np.array([column for column, _, _ in known], dtype=np.intp)
        return cls(tuple(label for _, label, _ in known), columns, np.array([limit for _, _, limit in known]), unit)


@dataclass(frozen=True)
class MotorLimits:
    """Of the design's motors; what an environment's motor bears is its maker's concern."""

    labels: tuple[str, ...]
    columns: Columns
    """(c,) where they stand among all drives of the scene."""
    continuous_n_m: Floats
    thermal_s: Floats
    lines: PowerLines
    supply_w: float
    """Infinite where the scene sets no limit."""

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
            lines=PowerLines(drives),
            supply_w=np.inf if scene.supply_limit_w is None else scene.supply_limit_w,
        )


@dataclass(frozen=True)
class Rules:
    """What decides."""

    low_m: Floats
    high_m: Floats
    forbid_labels: tuple[str, ...]
    part_forbids: tuple[tuple[str, str], ...]
    """Moving part of the design and forbid zone, one for each column of such distances."""
    hold_s: float
    duration_s: float
    motors: MotorLimits
    weld_forces: LoadLimits
    weld_moments: LoadLimits
    joint_forces: LoadLimits
    joint_moments: LoadLimits

    @classmethod
    def of(cls, scene: Scene, gauges: Gauges) -> Self:
        """Return the rules of a scene. What joins two parts of the environment is not judged."""
        design = frozenset(body.label for body in scene.bodies if body.origin == "design")
        welds = _of_design(gauges.judged_welds, [(weld.first, weld.second) for weld in gauges.judged_welds], design)
        joints = _of_design(gauges.joints, [(joint.parent, joint.child) for joint in gauges.joints], design)
        return cls(
            low_m=np.array(metres_each(scene.bounds.min_mm)),
            high_m=np.array(metres_each(scene.bounds.max_mm)),
            forbid_labels=tuple(zone.label for zone in scene.forbid_zones),
            part_forbids=gauges.part_forbid_pairs,
            hold_s=scene.hold_s,
            duration_s=scene.duration_s,
            motors=MotorLimits.of(scene, design),
            weld_forces=LoadLimits.of([(at, rated.label, rated.max_force_n) for at, rated in welds], "N"),
            weld_moments=LoadLimits.of([(at, rated.label, rated.max_moment_n_m) for at, rated in welds], "N m"),
            joint_forces=LoadLimits.of([(at, rated.label, rated.max_force_n) for at, rated in joints], "N"),
            joint_moments=LoadLimits.of([(at, rated.label, rated.max_moment_n_m) for at, rated in joints], "N m"),
        )


def _of_design(rated: Sequence[Rated], ends: list[tuple[str, str]], design: frozenset[str]) -> list[tuple[int, Rated]]:
    """Return those of which at least one end is a part of the design, each with its place among all."""
    both = zip(rated, ends, strict=True)
    return [(place, one) for place, (one, labels) in enumerate(both) if not design.isdisjoint(labels)]
