"""Parts inside each other: how deep, for how long, and how often they are looked at."""

from collections.abc import Callable
from dataclasses import replace
from math import cos, sin

import numpy as np
import pytest
from contracts.models.scene import Body, Scene
from sim_worker.judge.penetration import Clearances, Penetration, PenetrationMonitor
from sim_worker.model import compile_scene
from sim_worker.run.clearance import ClearanceModel, Pair, PartOverlap
from sim_worker.run.readings import Readings
from sim_worker.units import Floats

from tests.sim_worker import scenes
from tests.sim_worker.judge import synthetic_readings as synthetic
from tests.sim_worker.judge.synthetic_readings import still

PAIR = ("arm", "frame")
FINE_S = 0.001
Depth = Callable[[Floats], float]


class ReplayedOverlaps(ClearanceModel):
    """Gives of one pair of parts how deep it overlaps in the pose of a row."""

    def __init__(self, depth_m: Depth, start_m: float = 0.0) -> None:
        self._depth_m = depth_m
        self.start = {PAIR: start_m}

    def overlaps(self, row: Floats) -> list[PartOverlap]:
        return [PartOverlap(PAIR, self._depth_m(row), (1.0, 2.0, 3.0))]


def apart(_: Floats) -> float:
    return 0.0


def clearances(depth_m: Depth, **changes: object) -> Clearances:
    plain = Clearances(
        model=ReplayedOverlaps(depth_m),
        payload_m=np.ones((1, 4)),
        pairs_m=np.zeros(0),
        payloads=("the payload",),
        labels=("ground", "frame", "arm", "motor"),
        design=frozenset({"frame", "arm"}),
        protrusions_m={"arm": 0.0, "frame": 0.0},
        without_contact=frozenset({PAIR}),
        in_mesh=frozenset(),
        reaches_m=np.array([0.1]),
    )
    return replace(plain, **changes)  # pyright: ignore[reportArgumentType]


def first(readings: Readings, limits: Clearances, chunk: int) -> tuple[float, Penetration] | None:
    """Return the first penetration and its time."""
    monitor = PenetrationMonitor(limits)
    for begin in range(0, len(readings.time_s), chunk):
        found = monitor.first(readings[begin : begin + chunk])
        if found is not None:
            return float(readings.time_s[begin + found.step]), found
    return None


def beyond(place_m: float, depth_m: float = 0.01) -> Depth:
    """Return a depth that begins where the arm has moved so far along x."""
    return lambda row: depth_m if row[synthetic.ARM_POSITION.start] > place_m else 0.0


@pytest.mark.parametrize(
    ("allowance", "most_mm"),
    [
        ({}, 0.5),
        ({"in_mesh": frozenset({PAIR})}, 1.5),
        ({"protrusions_m": {"arm": 0.0004, "frame": 0.0003}}, 1.2),
        ({"protrusions_m": {"arm": 0.0004, "frame": 0.0003}, "model": ReplayedOverlaps(apart, 0.002)}, 2.5),
        ({"model": ReplayedOverlaps(apart, 0.0005), "in_mesh": frozenset({PAIR})}, 2.0),
    ],
)
def test_overlap_is_allowed_up_to_protrusions_or_the_start_and_a_clearance(
    allowance: dict[str, object], most_mm: float
) -> None:
    limits = clearances(apart, **allowance)
    for depth_mm in (most_mm - 0.01, most_mm + 0.01):
        excess_mm = 1000 * limits.excess_m(PartOverlap(PAIR, depth_mm / 1000, (0.0, 0.0, 0.0)))
        assert excess_mm == pytest.approx(depth_mm - most_mm, abs=1e-9)


def test_parts_without_contact_penetrate_at_once() -> None:
    readings = still(0.5, step_s=FINE_S)
    readings.rows[310:, synthetic.ARM_POSITION.start] = 0.1
    found = first(readings, clearances(beyond(0.05)), chunk=100)
    assert found is not None
    time_s, penetration = found
    assert (time_s, penetration.culprit) == (pytest.approx(0.31), "arm")
    assert penetration.cause.startswith("arm moved 10.00 mm into frame at (1, 2, 3) mm")
    assert first(readings, clearances(beyond(0.05, 0.0004)), chunk=100) is None
    of_frame = first(readings, clearances(beyond(0.05), design=frozenset({"frame"})), chunk=100)
    assert of_frame is not None
    assert of_frame[1].culprit == "frame"


@pytest.mark.parametrize("chunk", [1, 5])
def test_parts_with_contact_may_overlap_for_thirty_milliseconds(chunk: int) -> None:
    """In the last pose of each chunk, from 0.2 s on; the second overlap begins again after a pause."""
    readings, limits = still(0.5, step_s=FINE_S), clearances(beyond(0.05), without_contact=frozenset[Pair]())
    readings.rows[195:225, synthetic.ARM_POSITION.start] = 0.1
    assert first(readings, limits, chunk) is None
    readings.rows[230:255, synthetic.ARM_POSITION.start] = 0.1
    assert first(readings, limits, chunk) is None
    readings.rows[230:300, synthetic.ARM_POSITION.start] = 0.1
    found = first(readings, limits, chunk)
    assert found is not None
    assert found[0] == pytest.approx(0.2605 if chunk == 1 else 0.269, abs=0.0011)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("sign", [1, -1])
def test_parts_are_looked_at_whenever_one_has_moved_by_two_millimetres(axis: int, sign: int) -> None:
    """Through a wall 3 mm thick, within one chunk, at 0.5 mm a step: seen within it, at the end of a stride."""
    readings = still(0.5, step_s=FINE_S)
    column = synthetic.ARM_POSITION.start + axis
    readings.rows[:, column] = sign * 0.0005 * np.arange(500)
    inside = clearances(lambda row: 0.01 if 0.05 < sign * row[column] < 0.053 else 0.0)
    found = first(readings, inside, chunk=500)
    assert found is not None
    assert 0.1 < found[0] < 0.106
    thin = clearances(lambda row: 0.01 if 0.0502 < sign * row[column] < 0.0507 else 0.0)
    assert first(readings, thin, chunk=500) is None, "less than a stride may be missed"


def turned(angles_rad: Floats) -> Readings:
    readings = still(0.5, step_s=FINE_S)
    readings.rows[:, synthetic.ARM_QUATERNION.start] = np.cos(angles_rad / 2)
    readings.rows[:, synthetic.ARM_QUATERNION.start + 2] = np.sin(angles_rad / 2)
    return readings


def test_turn_counts_by_the_path_of_the_farthest_point() -> None:
    """A reach of 100 mm, turned by 0.005 rad a step: 0.5 mm. Seen within 3 mm of path, as when it slides."""
    angle_rad: Floats = 0.005 * np.arange(500).astype(np.float64)
    column = synthetic.ARM_QUATERNION.start + 2
    low, high = sin(0.25), sin(0.265)
    inside = clearances(lambda row: 0.01 if low < row[column] < high else 0.0)
    found = first(turned(angle_rad), inside, chunk=500)
    assert found is not None
    assert 0.1 < found[0] < 0.106
    assert cos(0.25) > cos(0.265)
    short = replace(inside, reaches_m=np.array([0.0001]))
    assert first(turned(angle_rad), short, chunk=500) is None, "a short part hardly moves"


def test_last_pose_of_a_chunk_is_looked_at() -> None:
    readings = still(0.5, step_s=FINE_S)
    readings.rows[99, 2] = 1.0
    marked = clearances(lambda row: 0.01 if row[2] == 1.0 else 0.0)
    found = first(readings, marked, chunk=100)
    assert found is not None
    assert found[1].step == 99
    assert first(readings, marked, chunk=99) is None


def arm_of(*blocks: Body) -> Scene:
    """Return a frame and an arm of some boxes on a hinge, and a second hinge on the arm that the first one drives."""
    frame = scenes.block("frame", (0, 0, -100), (400, 400, 20), "environment")
    geoms = tuple(geom for each in blocks for geom in each.geoms)
    arm = scenes.solid("arm", (0, 0, 0), (20, 20, 20), geoms=geoms)
    tip = scenes.solid("tip", (120, 0, 0), (20, 20, 20))
    hinges = (
        scenes.joint("hinge", "revolute", "frame", "arm", (0, 0, 0)),
        scenes.joint("wrist", "revolute", "arm", "tip", (120, 0, 0)),
    )
    return scenes.machine_scene(frame, arm, tip, joints=hinges, touching=(("tip", "arm"), ("arm", "frame")))


def test_reach_of_a_part_is_that_of_its_farthest_shape() -> None:
    near, far = scenes.block("near", (10, 0, 0), (40, 20, 10)), scenes.block("far", (-60, 0, 80), (10, 20, 10))
    limits = Clearances.of(compile_scene(arm_of(near, far)))
    reach_m = 0.1 + np.sqrt(5**2 + 10**2 + 5**2) / 1000
    assert limits.reaches_m == pytest.approx([reach_m, np.sqrt(3) / 100])
    assert limits.without_contact == {("arm", "tip")}, "with the environment, parts have contacts"
    assert limits.design == {"arm", "tip"}
    assert limits.model is not None
