"""Physical events of a run: kinds, times, order and number."""

import numpy as np
import pytest
from contracts.models.scene import Scene
from contracts.models.simulation import PhysicalEvent
from sim_worker.report.physical_events import MAX_EVENTS, intervals, physical_events
from sim_worker.run.readings import Readings

from tests.sim_worker.judge import synthetic_readings as synthetic
from tests.sim_worker.judge.synthetic_readings import judged, machine, still


def events_of(readings: Readings, scene: Scene | None = None) -> tuple[PhysicalEvent, ...]:
    result = judged(readings, scene)
    until = int(np.searchsorted(readings.time_s, result.time_s, side="right"))
    return physical_events(scene or machine(), result, readings[:until])


def of_kind(events: tuple[PhysicalEvent, ...], kind: str) -> list[tuple[float, str, str, float | None, str]]:
    found = [event for event in events if event.kind == kind]
    return [(round(event.time_s, 3), event.subject, event.other, event.value, event.unit) for event in found]


def test_first_event_is_release_and_last_is_decision() -> None:
    events = events_of(still(4.1))
    assert (events[0].kind, events[0].time_s) == ("released", 0.0)
    assert (events[-1].kind, events[-1].other, events[-1].time_s) == ("decided", "missed_goal", pytest.approx(4.0))
    assert [event.time_s for event in events] == sorted(event.time_s for event in events)


def test_flickering_contact_is_one_event() -> None:
    readings = still(4.1)
    readings.rows[100:150, synthetic.CONTACT] = 1.0
    readings.rows[110:113, synthetic.CONTACT] = 0.0
    readings.rows[200:, synthetic.CONTACT] = 1.0
    readings.rows[100, synthetic.VELOCITY.start] = 0.7
    events = events_of(readings)
    assert of_kind(events, "contact") == [
        (1.0, "payload", "ground", 0.7, "m/s"),
        (2.0, "payload", "ground", 0.0, "m/s"),
    ]
    assert of_kind(events, "lost_contact") == [(1.49, "payload", "ground", None, "")]


def test_goal_events_entered_left_and_closest() -> None:
    readings = still(4.1)
    readings.rows[50, synthetic.GOAL] = 0.01
    approached = events_of(readings)
    readings.rows[100:120, synthetic.GOAL] = -0.001
    entered = events_of(readings)
    assert of_kind(approached, "closest_to_goal") == [(0.5, "payload", "goal", 10.0, "mm")]
    assert of_kind(entered, "entered_goal") == [(1.0, "payload", "goal", None, "")]
    assert of_kind(entered, "left_goal") == [(1.19, "payload", "goal", None, "")]
    assert of_kind(entered, "closest_to_goal") == [(1.0, "payload", "goal", 0.0, "mm")]


def test_fastest_and_at_rest_events() -> None:
    readings = still(4.1)
    readings.rows[:150, synthetic.VELOCITY.start] = np.linspace(0.0, 1.5, 150)
    events = events_of(readings)
    assert of_kind(events, "fastest") == [(1.49, "payload", "", 1.5, "m/s")]
    assert of_kind(events, "at_rest") == [(1.5, "payload", "", None, "")]


def test_joint_at_limit_once_for_each_end() -> None:
    readings = still(4.1)
    readings.rows[100:150, synthetic.HINGE] = np.radians(44.8)
    readings.rows[200:250, synthetic.HINGE] = np.radians(-9.9)
    readings.rows[300:350, synthetic.HINGE] = np.radians(44.8)
    limits = [(1.0, "hinge", "", 45.0, "deg"), (2.0, "hinge", "", -10.0, "deg")]
    assert of_kind(events_of(readings), "joint_at_limit") == limits


def test_motor_at_stall_torque_without_speed_is_stalled() -> None:
    readings = still(4.1)
    readings.rows[50:55, synthetic.TORQUE] = 2.0  # too short
    readings.rows[100:150, synthetic.TORQUE] = -1.95
    assert of_kind(events_of(readings), "motor_stalled") == [(1.0, "motor", "", 1.95, "N m")]


def test_overload_event_names_the_culprit() -> None:
    readings = still(4.1)
    readings.rows[100:, synthetic.WELD_FORCE] = 500.0
    assert of_kind(events_of(readings), "overloaded") == [(1.0, "screws", "", None, "")]


def test_too_many_events_keep_the_important_ones() -> None:
    readings = still(4.1)
    for first in range(0, 400, 16):  # three parts flicker together: 25 contacts each, and as many lost
        readings.rows[first : first + 8, synthetic.CONTACT] = readings.rows[
            first : first + 8, synthetic.CONTACT + 2
        ] = 1.0
    events = events_of(readings)
    assert len(events) == MAX_EVENTS
    assert {"released", "closest_to_goal", "decided"} <= {event.kind for event in events}
    assert max(event.time_s for event in events if event.kind == "contact") < 4.0


def test_intervals_ignore_short_breaks() -> None:
    time_s = np.arange(100).astype(np.float64) * 0.01
    holds = np.zeros(100, dtype=np.bool_)
    assert intervals(holds, time_s) == []
    holds[[10, 12, 15, 40, 99]] = True
    assert intervals(holds, time_s) == [(10, 15), (40, 40), (99, 99)]
