"""Where a payload left the machine."""

import pytest
from contracts.models.geometry import Vector
from contracts.models.scene import Body, Scene
from sim_worker.model import compile_scene
from sim_worker.report.lost_payload import LostPayload, find_lost_payload
from sim_worker.simulator import run_nominal

from tests.sim_worker.scenes import ball, block, chute_scene, empty_scene, incline_scene


def _lost(scene: Scene) -> LostPayload | None:
    nominal = run_nominal(compile_scene(scene))
    return find_lost_payload(scene, nominal.result, nominal.readings)


def _ramp_scene(*bodies: Body, start_mm: Vector) -> Scene:
    ramp = block("ramp", (0, 0, 100), (200, 100, 10), tilt_deg=15)
    return empty_scene(ball(start_mm, size_mm=20), bodies=(ramp, *bodies), duration_s=2.0)


def test_payload_that_rolls_off_names_part_place_and_velocity() -> None:
    lost = _lost(_ramp_scene(start_mm=(-60, 0, 131.6)))
    assert lost is not None
    assert lost.label == "ramp"
    assert lost.place_mm[0] == pytest.approx(98, abs=8)
    assert lost.velocity_m_s[0] > 0.3
    assert lost.velocity_m_s[2] < 0
    assert "of `ramp` after" in str(lost) or "left `ramp` after" in str(lost)


def test_payload_that_flies_over_a_wall_names_the_wall_and_the_gap() -> None:
    low = block("wall", (135, 0, 20), (10, 100, 40))
    lost = _lost(_ramp_scene(low, start_mm=(-60, 0, 131.6)))
    assert lost is not None
    assert lost.label == "wall"
    assert lost.gap_mm is not None
    assert 5 < lost.gap_mm < 60
    assert "left `ramp` after" in str(lost)
    assert ", then passed over `wall` by" in str(lost)


def test_part_far_below_is_not_where_a_payload_was_lost() -> None:
    floor = block("tray", (120, 0, -250), (20, 100, 10))
    lost = _lost(_ramp_scene(floor, start_mm=(-60, 0, 131.6)))
    assert lost is not None
    assert lost.label == "ramp", "the payload left the machine at the ramp, and the tray is far below its flight"
    assert lost.place_mm[0] == pytest.approx(98, abs=8)
    assert "left `ramp` after" in str(lost)


def test_payload_that_stays_or_arrives_is_not_lost() -> None:
    assert _lost(chute_scene()) is None
    assert _lost(incline_scene(2.0)) is None
