"""What happened when, in a nominal run."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from contracts.models.scene import LoadedJoint, Scene
from contracts.models.simulation import PhysicalEvent

from sim_worker.names import GOAL, PAYLOAD
from sim_worker.report.intervals import intervals
from sim_worker.run.readings import Readings
from sim_worker.run.runner import NominalRun
from sim_worker.units import Floats, degrees_each, millimetres, millimetres_each, place_mm

MOST = 200
"""Events that a result may have."""
AT_REST_M_S = 0.01
LIMIT_DEG, LIMIT_MM = 0.5, 0.5
"""So near to an end of its range a joint is at its limit."""
STALL_SHARE, STILL_SHARE, STALLED_S = 0.95, 0.05, 0.1
"""A motor stalls that gives this share of its stall torque, below this share of its no-load speed, for so long."""
ORDER = ("released", "decided", "touched_forbid", "left_bounds", "overloaded", "entered_goal", "closest_to_goal")
"""What is kept first when there is too much; then all else, in time."""


def happenings(scene: Scene, run: NominalRun) -> tuple[PhysicalEvent, ...]:
    """Return what happened, in order; of too many, the important and the early ones."""
    story = _Story(scene, run.readings)
    found = [*story.of_payload(), *story.of_zones(), *story.of_joints(), *story.of_motors(), *story.of_the_end(run)]
    numbered = sorted(found, key=_importance)[:MOST]
    return tuple(sorted(numbered, key=_time))


def _importance(event: PhysicalEvent) -> tuple[int, float]:
    return (ORDER.index(event.kind) if event.kind in ORDER else len(ORDER), event.time_s)


def _time(event: PhysicalEvent) -> tuple[float, bool]:
    return (event.time_s, event.kind == "decided")


@dataclass(frozen=True)
class _Story:
    scene: Scene
    readings: Readings

    def of_payload(self) -> Iterator[PhysicalEvent]:
        readings = self.readings
        yield self._at(0, kind="released", subject=PAYLOAD)
        fastest = int(np.argmax(readings.speed_m_s))
        yield self._at(fastest, kind="fastest", subject=PAYLOAD, value=readings.speed_m_s[fastest], unit="m/s")
        for body, touching in zip(self.scene.bodies, readings.touching.T, strict=True):
            for first, last in intervals(touching > 0.0, readings.time_s):
                speed_m_s = readings.speed_m_s[first]
                yield self._at(first, kind="contact", subject=PAYLOAD, other=body.label, value=speed_m_s, unit="m/s")
                if not self._is_end(last):
                    yield self._at(last, kind="lost_contact", subject=PAYLOAD, other=body.label)
        resting = _resting_since(readings.speed_m_s)
        if resting is not None:
            yield self._at(resting, kind="at_rest", subject=PAYLOAD)

    def of_zones(self) -> Iterator[PhysicalEvent]:
        readings = self.readings
        closest = int(np.argmin(np.maximum(readings.goal_m, 0.0)))  # where it touches: the first moment
        gap_mm = millimetres(max(readings.goal_m[closest], 0.0))
        yield self._at(closest, kind="closest_to_goal", subject=PAYLOAD, other=GOAL, value=gap_mm, unit="mm")
        for first, last in intervals(readings.goal_m <= 0.0, readings.time_s):
            yield self._at(first, kind="entered_goal", subject=PAYLOAD, other=GOAL)
            if not self._is_end(last):
                yield self._at(last, kind="left_goal", subject=PAYLOAD, other=GOAL)

    def of_joints(self) -> Iterator[PhysicalEvent]:
        for joint, position in zip(self.scene.joints, self.readings.joint_position.T, strict=True):
            for end, is_near in _ends(joint, position):
                unit = "mm" if joint.kind == "linear" else "deg"
                for first, _ in intervals(is_near, self.readings.time_s)[:1]:
                    yield self._of_machine(
                        first, joint.anchor_mm, kind="joint_at_limit", subject=joint.label, value=end, unit=unit
                    )

    def of_motors(self) -> Iterator[PhysicalEvent]:
        readings, joints = self.readings, {joint.label: joint for joint in self.scene.joints}
        for place, drive in enumerate(self.scene.drives):
            torque_n_m = np.abs(readings.drive_torque_n_m[:, place])
            speed_rad_s = np.abs(readings.drive_speed_rad_s[:, place])
            is_stalled = torque_n_m >= STALL_SHARE * drive.stall_torque_n_m
            is_stalled &= speed_rad_s <= STILL_SHARE * drive.no_load_speed_rad_s
            for first, last in intervals(is_stalled, readings.time_s):
                if readings.time_s[last] - readings.time_s[first] >= STALLED_S:
                    yield self._of_machine(
                        first,
                        joints[drive.joint].anchor_mm,
                        kind="motor_stalled",
                        subject=drive.label,
                        value=torque_n_m[first],
                        unit="N m",
                    )

    def of_the_end(self, run: NominalRun) -> Iterator[PhysicalEvent]:
        last, result = len(self.readings.time_s) - 1, run.result
        subject = result.culprit or PAYLOAD
        if result.ending in {"touched_forbid", "left_bounds", "overloaded"}:
            yield self._at(last, kind=result.ending, subject=subject, other=result.touched)
        yield self._at(last, kind="decided", subject=subject, other=result.ending)

    def _is_end(self, step: int) -> bool:
        return step == len(self.readings.time_s) - 1

    def _at(self, step: int, **said: object) -> PhysicalEvent:
        """Return an event at the place where the payload was."""
        return self._of_machine(step, place_mm(np.nan_to_num(self.readings.position_m[step])), **said)

    def _of_machine(self, step: int, place: tuple[float, float, float], **said: object) -> PhysicalEvent:
        fields = {"time_s": float(self.readings.time_s[step]), "place_mm": place}
        return PhysicalEvent.model_validate(fields | said)


def _resting_since(speed_m_s: Floats) -> int | None:
    """Return since which step the payload has been at rest, if it is."""
    moving = np.flatnonzero(~(speed_m_s < AT_REST_M_S))
    since = int(moving[-1]) + 1 if len(moving) else 0
    return since if since < len(speed_m_s) else None


def _ends(joint: LoadedJoint, position: Floats) -> Iterator[tuple[float, np.ndarray]]:
    """Return each end of a joint's range, in degrees or mm, and when it was there."""
    slides = joint.kind == "linear"
    ends = joint.travel_range_mm if slides else joint.angle_range_deg
    said = millimetres_each(position) if slides else degrees_each(position)
    near = LIMIT_MM if slides else LIMIT_DEG
    if ends is None or joint.kind == "ball":
        return

    yield ends[0], said <= ends[0] + near
    yield ends[1], said >= ends[1] - near
