"""What becomes of two payloads, of which all or any must arrive, chunk by chunk."""

from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
from contracts.models.benchmark import Zone
from contracts.models.scene import Scene
from contracts.models.simulation import ReplicaResult
from sim_worker.judge.criteria import Criteria
from sim_worker.judge.energy import EnergyMonitor
from sim_worker.judge.judge import Judge
from sim_worker.judge.overload import OverloadMonitor
from sim_worker.judge.penetration import PenetrationMonitor
from sim_worker.judge.rest_detection import RestDetector
from sim_worker.model.sensor_layout import SensorLayout
from sim_worker.run.readings import Readings

from tests.sim_worker import scenes
from tests.sim_worker.judge import synthetic_readings as synthetic

FIRST = synthetic.COLUMNS
POSITION, QUATERNION, VELOCITY = (slice(FIRST + low, FIRST + high) for low, high in ((0, 3), (3, 7), (7, 10)))
GOAL, LAVA, PIT, CONTACT, MEETING = FIRST + 10, FIRST + 11, FIRST + 12, FIRST + 13, FIRST + 15
"""Columns of the second payload; those of the first are the synthetic ones, and its pit is the column before last."""
FIRST_PIT = FIRST + 17
Rule = Literal["all", "any"]


def scene_of(rule: Rule) -> Scene:
    """Return a scene of a red and a blue ball, a zone of lava, and a pit that binds payloads only."""
    blue = scenes.ball((0, 0, 0)).model_copy(update={"label": "blue"})
    pit = Zone(label="pit", box=scenes.box((-200, -200, 0), (-100, -100, 50)), binds="payload")
    plain = synthetic.machine()
    red = plain.payload.model_copy(update={"label": "red"})
    changes = {"payload": red, "more_payloads": (blue,), "must_arrive": rule}
    return plain.model_copy(update=changes | {"forbid_zones": (*plain.forbid_zones, pit)})


def layout_of(scene: Scene) -> SensorLayout:
    layout = replace(synthetic.layout_of(scene), payload_pairs=((0, 1),), payload_contacts=(MEETING,))
    contacts = (CONTACT,) * len(scene.bodies)
    columns = {"position": POSITION, "quaternion": QUATERNION, "velocity": VELOCITY, "goal": GOAL}
    second = replace(layout, **columns, forbids=(LAVA, PIT), contacts=contacts)  # pyright: ignore[reportArgumentType]
    return replace(layout, forbids=(synthetic.FORBID, FIRST_PIT), others=(second,))


def readings_of(scene: Scene, seconds: float = 4.1) -> Readings:
    """Return readings in which both payloads creep, 200 mm away from everything."""
    still = synthetic.still(seconds)
    rows = np.hstack([still.rows, np.zeros((len(still.rows), 18))])
    rows[:, QUATERNION.start] = 1.0
    rows[:, [GOAL, LAVA, PIT, FIRST_PIT]] = 0.2
    rows[:, POSITION.start + 1] = 1e-3 * still.time_s
    return Readings(still.time_s, rows, layout_of(scene))


def judge_of(scene: Scene) -> Judge:
    layout = layout_of(scene)
    criteria = Criteria.of(scene, layout)
    clearances = synthetic.clearances_of(scene, "the payload red", "the payload blue")
    monitors = OverloadMonitor(criteria, synthetic.STEP_S), EnergyMonitor(synthetic.MOVING_KG, False)
    return Judge(criteria, *monitors, RestDetector(0.0), PenetrationMonitor(clearances))


def judged(readings: Readings, scene: Scene, chunk: int) -> ReplicaResult:
    judge = judge_of(scene)
    for first in range(0, len(readings.time_s), chunk):
        result = judge.evaluate(readings[first : first + chunk])
        if result is not None:
            return result
    raise AssertionError("the readings end before the run does")


CHUNKS = pytest.mark.parametrize("chunk", [1, 7, 1000])


@CHUNKS
@pytest.mark.parametrize("rule", ["all", "any"])
def test_both_hold_at_once_or_one_of_them_holds(rule: Rule, chunk: int) -> None:
    """Red from 0.5 to 2 s, blue from 1.2 s on: both from 1.2 s on, red alone from 0.5."""
    scene = scene_of(rule)
    readings = readings_of(scene)
    readings.rows[50:200, synthetic.GOAL] = 0.0
    readings.rows[120:, GOAL] = 0.0
    result = judged(readings, scene, chunk)
    assert (result.ending, result.time_s) == ("reached_goal", pytest.approx(1.7 if rule == "all" else 1.0))
    assert [each.has_arrived for each in result.payloads] == [True, rule == "all"]
    assert (result.payload, result.aftermath) == ("red", "left_goal")
    assert result.aftermath_cause.startswith("the payload red: 200.0 mm from the goal zone 2 s later")


@CHUNKS
def test_payload_that_arrived_decides_the_aftermath(chunk: int) -> None:
    """Blue arrives at 1.5 s; what red does then changes nothing, also if it is the last one that is not lost."""
    scene = scene_of("any")
    readings = readings_of(scene)
    readings.rows[100:, GOAL] = 0.0
    readings.rows[160:, 2] = -1.5
    result = judged(readings, scene, chunk)
    assert (result.ending, result.payload, result.aftermath) == ("reached_goal", "blue", "stayed")
    readings.rows[260:, POSITION.start + 2] = -1.5
    result = judged(readings, scene, chunk)
    assert (result.payload, result.aftermath) == ("blue", "left_bounds")
    assert "the payload blue's centre came to z = -1500.0 mm" in result.aftermath_cause


@CHUNKS
def test_time_in_the_goal_counts_without_a_break_over_chunks(chunk: int) -> None:
    """0.3 s twice, with a second in between, is not 0.5 s."""
    scene = scene_of("any")
    readings = readings_of(scene)
    for first in (50, 180):
        readings.rows[first : first + 30, GOAL] = 0.0
    result = judged(readings, scene, chunk)
    assert (result.ending, result.time_s) == ("missed_goal", pytest.approx(4.0))


@pytest.mark.parametrize("column", [synthetic.GOAL, GOAL])
def test_break_of_a_whole_chunk_is_a_break(column: int) -> None:
    """In the goal at the end of a chunk and at the beginning of the one after the next."""
    scene = scene_of("any")
    readings = readings_of(scene, 5.0)
    readings.rows[90:100, column] = readings.rows[200:245, column] = 0.0
    assert judged(readings, scene, chunk=100).ending == "missed_goal"
    readings.rows[245:255, column] = 0.0
    assert judged(readings, scene, chunk=100).time_s == pytest.approx(2.5)


@pytest.mark.parametrize("columns", [(CONTACT + 1, 1), (MEETING + 1, 1), (synthetic.CONTACT + 1, 0)])
def test_pressure_that_pauses_for_a_chunk_begins_again(columns: tuple[int, int]) -> None:
    column, _ = columns
    scene = scene_of("all")
    readings = readings_of(scene)
    readings.rows[99, column] = readings.rows[200, column] = -0.0005
    assert judged(readings, scene, chunk=100).ending == "missed_goal"
    readings.rows[201:203, column] = -0.0005
    result = judged(readings, scene, chunk=100)
    assert (result.ending, result.time_s) == ("penetrated", pytest.approx(2.02))


@CHUNKS
def test_lost_payload_is_reported_with_the_moment_of_its_loss(chunk: int) -> None:
    """Blue falls into the pit at 1 s, comes nearest to the goal before, and is fastest after it."""
    scene = scene_of("any")
    readings = readings_of(scene)
    readings.rows[99, GOAL], readings.rows[101:, GOAL] = 0.05, 0.01
    readings.rows[99, VELOCITY.start], readings.rows[101:, VELOCITY.start] = 0.5, 3.0
    readings.rows[100:, PIT] = -0.002
    readings.rows[100:, POSITION.start] = 0.1
    result = judged(readings, scene, chunk)
    assert (result.ending, result.payload, result.time_s) == ("missed_goal", "red", pytest.approx(4.0))
    blue = result.payloads[1]
    assert (blue.lost, blue.lost_s) == ("touched_forbid", pytest.approx(1.0))
    assert blue.lost_cause.startswith("the payload blue touched the forbid zone pit, 2.00 mm deep")
    if chunk != 1000:  # in a single chunk all that comes before the loss is seen with it
        assert (blue.closest_goal_mm, blue.max_speed_m_s) == pytest.approx((50.0, 0.5))
    assert result.cause.startswith("0 of 2 payloads were in the goal at the end, and one of them must stay; the pay")


@CHUNKS
def test_run_ends_with_the_last_loss(chunk: int) -> None:
    scene = scene_of("any")
    readings = readings_of(scene)
    readings.rows[100, 0] = 1.2
    readings.rows[150:, LAVA] = -0.001
    result = judged(readings, scene, chunk)
    assert (result.ending, result.payload, result.culprit) == ("touched_forbid", "blue", "blue")
    assert (result.time_s, result.touched) == (pytest.approx(1.5), "lava")
    assert result.cause.startswith(
        "all 2 payloads are lost: the payload red's centre came to x = 1200.0 mm; the bounds"
    )
    assert [each.lost_s for each in result.payloads] == pytest.approx([1.0, 1.5])


@CHUNKS
@pytest.mark.parametrize("lost", ["red", "blue"])
def test_loss_of_one_ends_the_run_if_all_must_arrive(lost: str, chunk: int) -> None:
    scene = scene_of("all")
    readings = readings_of(scene)
    readings.rows[130:, FIRST_PIT if lost == "red" else PIT] = 0.0
    result = judged(readings, scene, chunk)
    assert (result.ending, result.culprit, result.touched) == ("touched_forbid", lost, "pit")
    assert (result.payload, result.time_s) == (lost, pytest.approx(1.3))


@pytest.mark.parametrize(("rule", "payload"), [("all", "blue"), ("any", "red")])
def test_missed_goal_is_explained_by_the_farthest_or_of_the_nearest(rule: Rule, payload: str) -> None:
    scene = scene_of(rule)
    readings = readings_of(scene)
    readings.rows[:, synthetic.GOAL], readings.rows[:, GOAL] = 0.1, 0.3
    readings.rows[:, VELOCITY.start] = 0.2
    result = judged(readings, scene, chunk=50)
    assert result.payload == payload
    assert f"the payload {payload}: it came no nearer than {300 if rule == 'all' else 100}.0 mm" in result.cause
    assert f"time was up with it moving at {0.2 if rule == 'all' else 0.0:.2f} m/s" in result.cause


def test_missed_goal_is_not_explained_by_a_payload_that_is_in_it() -> None:
    """Red lies in the goal, deep; blue has touched it, too, but is outside in the end."""
    scene = scene_of("all")
    readings = readings_of(scene)
    readings.rows[:, synthetic.GOAL], readings.rows[:100, GOAL], readings.rows[100:, GOAL] = -0.01, 0.3, 0.002
    result = judged(readings, scene, chunk=50)
    assert (result.ending, result.payload) == ("missed_goal", "blue")
    assert result.cause.startswith("1 of 2 payloads were in the goal at the end, and all must be at the same time")
    assert "it came no nearer than 2.0 mm" in result.cause
    readings.rows[120:130, GOAL] = 0.0
    assert "it touched the goal zone, but not for 0.5 s without a break" in judged(readings, scene, chunk=50).cause


def test_half_a_millimetre_from_the_goal_is_not_touching() -> None:
    readings = synthetic.still(4.1)
    readings.rows[30, synthetic.GOAL] = 0.0005
    assert "it came no nearer than 0.5 mm to the goal zone" in synthetic.judged(readings).cause


@pytest.mark.parametrize(("moving", "rests"), [("red", False), ("blue", True)])
def test_only_payloads_that_are_not_lost_must_come_to_rest(moving: str, rests: bool) -> None:
    """Blue is lost at once, both lie still from 0.3 s on; then one of them turns."""
    scene = scene_of("any")
    readings = readings_of(scene)
    readings.rows[2:, PIT] = -0.001
    readings.rows[30:, 1] = readings.rows[30:, POSITION.start + 1] = 0.0
    place, turn = (0, 3) if moving == "red" else (POSITION.start, QUATERNION.start)
    for column, change in [*((place + each, 0.05) for each in range(3)), *((turn + each, 0.2) for each in range(4))]:
        changed = Readings(readings.time_s, readings.rows.copy(), readings.layout)
        changed.rows[:, column] += np.linspace(0.0, change, len(changed.rows))
        found = judged(changed, scene, chunk=25)
        assert (found.ending, found.time_s < 3.0) == ("missed_goal", rests)
