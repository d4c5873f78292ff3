"""Physical events of a nominal run: contacts, zones, joint limits, stalls and the ending."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypedDict

import numpy as np
from contracts.criteria import AT_REST_M_S
from contracts.models.geometry import Vector
from contracts.models.scene import LoadedJoint, Scene
from contracts.models.simulation import PayloadResult, PhysicalEvent, ReplicaResult

from sim_worker.judge.hold_timer import Flags
from sim_worker.names import GOAL, payload_index, payload_subject
from sim_worker.run.readings import Readings
from sim_worker.units import Floats, degrees_each, millimetres, millimetres_each, vector_mm

MAX_EVENTS = 200
"""Of a result."""
LIMIT_DEG, LIMIT_MM = 0.5, 0.5
"""A joint is at its limit within this distance."""
STALL_TORQUE_SHARE, STALL_SPEED_SHARE, STALL_S = 0.95, 0.05, 0.1
"""A motor is stalled at this share of its stall torque, below this share of its no-load speed, for this long."""
FLICKER_S = 0.05
"""Shorter interruptions of a contact are ignored: bodies at rest tremble."""
PRIORITY = (
    "released",
    "decided",
    "touched_forbid",
    "left_bounds",
    "overloaded",
    "penetrated",
    "entered_goal",
    "closest_to_goal",
)
"""Kinds that are kept first if there are too many events; then all others by time."""


def physical_events(scene: Scene, result: ReplicaResult, readings: Readings) -> tuple[PhysicalEvent, ...]:
    """Return the events of a run, ordered by time; of too many, the important and the early ones."""
    finders = [_EventFinder(scene, view, payload_subject(scene, index)) for index, view in enumerate(readings.payloads)]
    of_payloads = [finder.until_lost(result.payloads) for finder in finders]
    events = [event for finder in of_payloads for event in (*finder.of_payload(), *finder.of_zones())]
    events += [event for finder in of_payloads for event in finder.of_loss(result)]
    events += [*_between_payloads(finders), *finders[0].of_joints(), *finders[0].of_motors()]
    events += finders[payload_index(scene, result.payload)].of_ending(result)
    return tuple(sorted(sorted(events, key=_importance)[:MAX_EVENTS], key=_time))


def _importance(event: PhysicalEvent) -> tuple[int, float]:
    return (PRIORITY.index(event.kind) if event.kind in PRIORITY else len(PRIORITY), event.time_s)


def _time(event: PhysicalEvent) -> tuple[float, bool]:
    return (event.time_s, event.kind == "decided")


class _Moment(TypedDict):
    time_s: float
    place_mm: Vector


@dataclass(frozen=True)
class _EventFinder:
    scene: Scene
    readings: Readings
    payload: str
    """What events call the payload."""

    def of_payload(self) -> Iterator[PhysicalEvent]:
        readings = self.readings
        yield PhysicalEvent(**self._at_payload(0), kind="released", subject=self.payload)
        fastest = int(np.argmax(readings.speed_m_s))
        yield PhysicalEvent(
            **self._at_payload(fastest),
            kind="fastest",
            subject=self.payload,
            value=readings.speed_m_s[fastest],
            unit="m/s",
        )
        for body, touching in zip(self.scene.bodies, readings.touching.T, strict=True):
            for first, last in intervals(touching > 0.0, readings.time_s):
                yield PhysicalEvent(
                    **self._at_payload(first),
                    kind="contact",
                    value=readings.speed_m_s[first],
                    unit="m/s",
                    subject=self.payload,
                    other=body.label,
                )
                if not self._is_last(last):
                    yield PhysicalEvent(
                        **self._at_payload(last), kind="lost_contact", subject=self.payload, other=body.label
                    )
        resting = _resting_since(readings.speed_m_s)
        if resting is not None:
            yield PhysicalEvent(**self._at_payload(resting), kind="at_rest", subject=self.payload)

    def of_zones(self) -> Iterator[PhysicalEvent]:
        readings = self.readings
        closest = int(np.argmin(np.maximum(readings.goal_m, 0.0)))  # the first moment if it touches
        gap_mm = millimetres(max(readings.goal_m[closest], 0.0))
        yield PhysicalEvent(
            **self._at_payload(closest),
            kind="closest_to_goal",
            value=gap_mm,
            unit="mm",
            subject=self.payload,
            other=GOAL,
        )
        for first, last in intervals(readings.goal_m <= 0.0, readings.time_s):
            yield PhysicalEvent(**self._at_payload(first), kind="entered_goal", subject=self.payload, other=GOAL)
            if not self._is_last(last):
                yield PhysicalEvent(**self._at_payload(last), kind="left_goal", subject=self.payload, other=GOAL)

    def of_joints(self) -> Iterator[PhysicalEvent]:
        for joint, position in zip(self.scene.joints, self.readings.joint_position.T, strict=True):
            for limit, is_near in _range_limits(joint, position):
                unit = "mm" if joint.kind == "linear" else "deg"
                for first, _ in intervals(is_near, self.readings.time_s)[:1]:
                    yield PhysicalEvent(
                        **self._at(first, joint.anchor_mm),
                        kind="joint_at_limit",
                        subject=joint.label,
                        value=limit,
                        unit=unit,
                    )

    def of_motors(self) -> Iterator[PhysicalEvent]:
        readings, joints = self.readings, {joint.label: joint for joint in self.scene.joints}
        for column, drive in enumerate(self.scene.drives):
            torque_n_m = np.abs(readings.drive_torque_n_m[:, column])
            speed_rad_s = np.abs(readings.drive_speed_rad_s[:, column])
            is_stalled = torque_n_m >= STALL_TORQUE_SHARE * drive.stall_torque_n_m
            is_stalled &= speed_rad_s <= STALL_SPEED_SHARE * drive.no_load_speed_rad_s
            for first, last in intervals(is_stalled, readings.time_s):
                if readings.time_s[last] - readings.time_s[first] >= STALL_S:
                    yield PhysicalEvent(
                        **self._at(first, joints[drive.joint].anchor_mm),
                        kind="motor_stalled",
                        subject=drive.label,
                        value=torque_n_m[first],
                        unit="N m",
                    )

    def of_ending(self, result: ReplicaResult) -> Iterator[PhysicalEvent]:
        last, subject = len(self.readings.time_s) - 1, result.culprit or self.payload
        if result.ending in ("touched_forbid", "left_bounds", "overloaded", "penetrated"):
            yield PhysicalEvent(**self._at_payload(last), kind=result.ending, subject=subject, other=result.touched)
        yield PhysicalEvent(**self._at_payload(last), kind="decided", subject=subject, other=result.ending)

    def until_lost(self, payloads: Sequence[PayloadResult]) -> "_EventFinder":
        """Return the finder of what a payload did until it was lost."""
        lost_s = next((each.lost_s for each in payloads if each.label == self.payload), None)
        if lost_s is None:
            return self
        steps = int(np.searchsorted(self.readings.time_s, lost_s, side="right"))
        return replace(self, readings=self.readings[:steps])

    def of_loss(self, result: ReplicaResult) -> Iterator[PhysicalEvent]:
        """Yield the loss of a payload while another could still arrive, at the end of what it did."""
        for each in result.payloads:
            if each.label == self.payload and each.lost is not None and each.label != result.culprit:
                yield PhysicalEvent(
                    **self._at_payload(len(self.readings.time_s) - 1), kind=each.lost, subject=self.payload
                )

    def meets(self, other: str, touching: Flags) -> Iterator[PhysicalEvent]:
        """Yield the contacts with another payload."""
        for first, _ in intervals(touching, self.readings.time_s):
            yield PhysicalEvent(
                **self._at_payload(first),
                kind="contact",
                subject=self.payload,
                other=other,
                value=self.readings.speed_m_s[first],
                unit="m/s",
            )

    def _is_last(self, step: int) -> bool:
        return step == len(self.readings.time_s) - 1

    def _at_payload(self, step: int) -> _Moment:
        return self._at(step, vector_mm(np.nan_to_num(self.readings.position_m[step])))

    def _at(self, step: int, point_mm: Vector) -> _Moment:
        return _Moment(time_s=float(self.readings.time_s[step]), place_mm=point_mm)


def _between_payloads(finders: Sequence[_EventFinder]) -> Iterator[PhysicalEvent]:
    readings = finders[0].readings
    for (first, second), touching in zip(readings.layout.payload_pairs, readings.payloads_touching.T, strict=True):
        yield from finders[first].meets(finders[second].payload, touching > 0.0)


def intervals(holds: Flags, time_s: Floats) -> list[tuple[int, int]]:
    """Return first and last step of each interval in which (n,) flags hold; `FLICKER_S` bridges interruptions."""
    steps = np.flatnonzero(holds)
    if not len(steps):
        return []
    breaks = np.flatnonzero(np.diff(time_s[steps]) > FLICKER_S)
    firsts = np.concatenate([[0], breaks + 1])
    lasts = np.concatenate([breaks, [len(steps) - 1]])
    return [(int(steps[first]), int(steps[last])) for first, last in zip(firsts, lasts, strict=True)]


def _resting_since(speed_m_s: Floats) -> int | None:
    """Return the step from which the payload stays at rest; None if it does not."""
    moving = np.flatnonzero(~(speed_m_s < AT_REST_M_S))
    since = int(moving[-1]) + 1 if len(moving) else 0
    return since if since < len(speed_m_s) else None


def _range_limits(joint: LoadedJoint, position: Floats) -> Iterator[tuple[float, Flags]]:
    """Yield each limit of a joint's range, in degrees or mm, with (n,) flags of being there."""
    slides = joint.kind == "linear"
    limits = joint.travel_range_mm if slides else joint.angle_range_deg
    if limits is None or joint.kind == "ball":
        return
    converted = millimetres_each(position) if slides else degrees_each(position)
    tolerance = LIMIT_MM if slides else LIMIT_DEG
    yield limits[0], converted <= limits[0] + tolerance
    yield limits[1], converted >= limits[1] - tolerance
