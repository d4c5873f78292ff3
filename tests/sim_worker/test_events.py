"""What happened when, in order and not too much of it."""

import numpy as np
import pytest
from contracts.models.scene import Scene
from contracts.models.simulation import PhysicalEvent
from sim_worker.report.intervals import intervals
from sim_worker.report.physical_events import MOST, happenings
from sim_worker.run.readings import Readings
from sim_worker.run.runner import NominalRun

from tests.sim_worker import told
from tests.sim_worker.told import decided, machine, still


def events_of(readings: Readings, scene: Scene | None = None) -> tuple[PhysicalEvent, ...]:
    result = decided(readings, scene)
    until = int(np.searchsorted(readings.time_s, result.time_s, side="right"))
    return happenings(scene or machine(), NominalRun(result, readings[:until]))


def those(events: tuple[PhysicalEvent, ...], kind: str) -> list[tuple[float, str, str, float | None, str]]:
    found = [event for event in events if event.kind == kind]
    return [(round(event.time_s, 3), event.subject, event.other, event.value, event.unit) for event in found]


def test_a_run_begins_with_a_release_and_ends_with_its_decision() -> None:
    events = events_of(still(4.1))
    assert (events[0].kind, events[0].time_s) == ("released", 0.0)
    assert (events[-1].kind, events[-1].other, events[-1].time_s) == ("decided", "missed_goal", pytest.approx(4.0))
    assert [event.time_s for event in events] == sorted(event.time_s for event in events)


def test_contacts_are_told_once_though_they_flicker() -> None:
    readings = still(4.1)
    readings.rows[100:150, told.CONTACT] = 1.0
    readings.rows[110:113, told.CONTACT] = 0.0
    readings.rows[200:, told.CONTACT] = 1.0
    readings.rows[100, told.VELOCITY.start] = 0.7
    events = events_of(readings)
    assert those(events, "contact") == [(1.0, "payload", "ground", 0.7, "m/s"), (2.0, "payload", "ground", 0.0, "m/s")]
    assert those(events, "lost_contact") == [(1.49, "payload", "ground", None, "")]


def test_the_goal_is_entered_left_and_approached() -> None:
    readings = still(4.1)
    readings.rows[50, told.GOAL] = 0.01
    approached = events_of(readings)
    readings.rows[100:120, told.GOAL] = -0.001
    entered = events_of(readings)
    assert those(approached, "closest_to_goal") == [(0.5, "payload", "goal", 10.0, "mm")]
    assert those(entered, "entered_goal") == [(1.0, "payload", "goal", None, "")]
    assert those(entered, "left_goal") == [(1.19, "payload", "goal", None, "")]
    assert those(entered, "closest_to_goal") == [(1.0, "payload", "goal", 0.0, "mm")]


def test_the_fastest_moment_and_the_rest_are_told() -> None:
    readings = still(4.1)
    readings.rows[:150, told.VELOCITY.start] = np.linspace(0.0, 1.5, 150)
    events = events_of(readings)
    assert those(events, "fastest") == [(1.49, "payload", "", 1.5, "m/s")]
    assert those(events, "at_rest") == [(1.5, "payload", "", None, "")]


def test_a_joint_at_its_limit_is_told_once_for_each_end() -> None:
    readings = still(4.1)
    readings.rows[100:150, told.HINGE] = np.radians(44.8)
    readings.rows[200:250, told.HINGE] = np.radians(-9.9)
    readings.rows[300:350, told.HINGE] = np.radians(44.8)
    limits = [(1.0, "hinge", "", 45.0, "deg"), (2.0, "hinge", "", -10.0, "deg")]
    assert those(events_of(readings), "joint_at_limit") == limits


def test_a_motor_that_stands_at_its_stall_torque_has_stalled() -> None:
    readings = still(4.1)
    readings.rows[50:55, told.TORQUE] = 2.0  # too short
    readings.rows[100:150, told.TORQUE] = -1.95
    assert those(events_of(readings), "motor_stalled") == [(1.0, "motor", "", 1.95, "N m")]


def test_an_overload_is_told_with_who_it_was() -> None:
    readings = still(4.1)
    readings.rows[100:, told.WELD_FORCE] = 500.0
    assert those(events_of(readings), "overloaded") == [(1.0, "screws", "", None, "")]


def test_of_too_many_events_the_important_are_kept() -> None:
    readings = still(4.1)
    for first in range(0, 400, 16):  # the three parts flicker together: 25 contacts each, and as many lost
        readings.rows[first : first + 8, told.CONTACT] = readings.rows[first : first + 8, told.CONTACT + 2] = 1.0
    events = events_of(readings)
    assert len(events) == MOST
    assert {"released", "closest_to_goal", "decided"} <= {event.kind for event in events}
    assert max(event.time_s for event in events if event.kind == "contact") < 4.0


def test_short_breaks_are_left_out_of_intervals() -> None:
    time_s = np.arange(100).astype(np.float64) * 0.01
    holds = np.zeros(100, dtype=np.bool_)
    assert intervals(holds, time_s) == []
    holds[[10, 12, 15, 40, 99]] = True
    assert intervals(holds, time_s) == [(10, 15), (40, 40), (99, 99)]
