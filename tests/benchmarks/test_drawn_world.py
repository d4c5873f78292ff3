"""What is wrong with a drawn world: what overlaps, touches or does not fit, and by how much."""

from dataclasses import replace
from math import log
from random import Random

import pytest
from benchmarks.drawn_world import DrawnWorld, contact_text, overlap_text
from benchmarks.draws import Draws, Extreme
from benchmarks.randomisation import Randomisation, ScaleRange
from contracts.models.benchmark import Obstacle, Payload, Zone
from contracts.models.geometry import Box, Vector

GOAL = Box(min_mm=(200, 0, 0), max_mm=(300, 100, 50))


def box(x: float, y: float, z: float, size: Vector = (10, 10, 10)) -> Box:
    return Box(min_mm=(x, y, z), max_mm=(x + size[0], y + size[1], z + size[2]))


def ball(x: float, label: str = "payload", **changes: object) -> Payload:
    fields: dict[str, object] = {"shape": "ball", "size_mm": 20, "start_mm": (x, 0, 100), "density_kg_m3": 1000}
    return Payload.model_validate(fields | {"label": label, "friction": 0.3} | changes)


def world(*payloads: Payload) -> DrawnWorld:
    return DrawnWorld(
        bounds=Box(min_mm=(-500, -500, -10), max_mm=(500, 500, 500)),
        build_zone=Box(min_mm=(-100, -100, 0), max_mm=(300, 100, 400)),
        goal_zone=GOAL,
        forbid_zones=(Zone(label="lava", box=box(100, 0, 0)),),
        obstacles=(Obstacle(label="post", box=box(-50, 0, 0)), Obstacle(label="beam", box=box(0, 50, 0))),
        payloads=payloads or (ball(0),),
        goal_rule="touch",
    )


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize(("gap_mm", "contact"), [(-3, "overlaps"), (-1.5e-6, "overlaps"), (-0.5e-6, "touches")])
def test_boxes_meet_along_the_axis_of_the_shortest_way_out(axis: int, side: int, gap_mm: float, contact: str) -> None:
    place = [1.0, 2.0, 3.0]
    place[axis] = side * (10.0 + gap_mm)
    other = box(place[0], place[1], place[2])
    assert contact_text(box(0, 0, 0), other, "it").startswith(f"{contact} it ")
    assert contact_text(box(0, 0, 0), other, "it").endswith(f"along {'xyz'[axis]}")
    assert bool(overlap_text(box(0, 0, 0), other, "it")) is (contact == "overlaps")
    if gap_mm == -3:
        assert overlap_text(other, box(0, 0, 0), "it") == f"overlaps it by 3 mm along {'xyz'[axis]}"


@pytest.mark.parametrize(("gap_mm", "touches"), [(0.0, True), (0.5e-6, True), (1.5e-6, False), (5.0, False)])
def test_boxes_touch_up_to_a_millionth_of_a_millimetre(gap_mm: float, touches: bool) -> None:
    found = contact_text(box(0, 0, 0), box(10 + gap_mm, 0, 0), "it")
    assert found == ("touches it along x" if touches else "")
    assert overlap_text(box(0, 0, 0), box(10 + gap_mm, 0, 0), "it") == ""


def test_sound_world_has_no_fault() -> None:
    assert world().fault() == ""
    assert world(ball(0, "red"), ball(40, "blue")).faults() == ()


def test_every_fault_of_a_start_is_stated() -> None:
    faults = world(ball(100, start_mm=(105, 0, 20))).faults()
    assert faults == ("payload.start_mm: the payload touches forbid zone lava along z; move the start or the zone",)
    (inside,) = world(ball(0, start_mm=(-45, 0, 15))).faults()
    assert (
        inside == "payload.start_mm: the payload overlaps obstacle post by 5 mm along z; move the start or the obstacle"
    )
    assert world(ball(0, start_mm=(-45, 0, 20))).faults() == (), "it may lie on an obstacle"
    (at_goal,) = world(ball(0, start_mm=(190, 50, 20))).faults()
    assert at_goal == "payload.start_mm: the payload touches goal_zone along x; move the start or the zone"
    (outside,) = world(ball(0, start_mm=(495, 0, 100))).faults()
    assert outside.startswith("payload.start_mm: the payload ")
    assert outside.endswith("of bounds; move the start")


def test_zones_and_obstacles_lie_apart() -> None:
    boxes = {
        "lava": (box(295, 95, 0), "forbid zone lava: it overlaps goal_zone by 5 mm along x; move one of them"),
        "free": (box(300, 0, 0), ""),
    }
    for placed, fault in boxes.values():
        changed = replace(world(), forbid_zones=(Zone(label="lava", box=placed),))
        assert changed.fault() == fault
    post, beam = Obstacle(label="post", box=box(0, 0, 0)), Obstacle(label="beam", box=box(0, 4, 0))
    assert replace(world(), obstacles=(post, beam)).faults() == (
        "obstacle post: it overlaps obstacle beam by 6 mm along y; move one of them",
    )
    harmless = Zone(label="lava", box=box(250, 50, 0), binds="parts")
    assert replace(world(), forbid_zones=(harmless,)).fault() == ""


def test_payloads_that_overlap_at_the_start_are_named() -> None:
    (fault,) = world(ball(0, "red"), ball(16, "blue")).faults()
    assert fault == (
        "payloads.1 (blue).start_mm: the payload blue overlaps the payload red by 4 mm along x; move one of them"
    )


@pytest.mark.parametrize(
    ("edges_mm", "fits"),
    [
        *(((50, 100, 100), True), ((100, 100, 50), True), ((51, 10, 10), True), ((51, 60, 10), True)),
        *(((51, 60, 70), False), ((101, 10, 10), False), ((10, 10, 101), False)),
    ],
)
def test_payload_fits_into_the_goal_in_some_direction(edges_mm: Vector, fits: bool) -> None:
    payload = ball(0, shape="box", edges_mm=edges_mm, size_mm=max(edges_mm))
    found = replace(world(payload), goal_rule="inside").faults()
    assert (found == ()) is fits
    assert replace(world(payload), goal_rule="touch").faults() == ()
    if not fits:
        assert found[0].startswith("goal_zone: 100 x 100 x 50 mm are too small for a payload of ")
        named = replace(world(payload, ball(200, "blue", start_mm=(-300, 0, 100))), goal_rule="inside").faults()
        assert "are too small for the payload payload of " in named[0]


@pytest.mark.parametrize(("drawn", "is_mirrored"), [(0.49, True), (0.5, False), (0.51, False)])
def test_axis_is_mirrored_in_the_lower_half_of_draws(drawn: float, is_mirrored: bool) -> None:
    draws = Draws(Extreme(drawn))
    assert draws.is_mirrored("x", Randomisation(mirror=("x",))) is is_mirrored
    assert draws.is_mirrored("y", Randomisation(mirror=("x",))) is False
    assert [(each.name, each.value) for each in draws.made] == [("mirror_x", float(is_mirrored)), ("mirror_y", 0.0)]


def test_scale_stays_within_its_limits_at_both_ends() -> None:
    limits = ScaleRange(low=0.7, high=1.3)
    for end, expected in ((0.0, 0.7), (1.0, 1.3)):
        for distribution in ("log_uniform", "uniform"):
            assert Draws(Extreme(end)).scale("scale_x", limits, distribution) == expected
    middle = Draws(Extreme(0.5)).scale("scale_x", limits, "log_uniform")
    assert log(middle) == pytest.approx((log(0.7) + log(1.3)) / 2)
    assert Draws(Extreme(0.25)).uniform("x", -1.0, 3.0) == 0.0


def test_draws_are_recorded_in_their_order() -> None:
    draws = Draws(Random(3))
    values = [draws.uniform("a", 0.0, 1.0), draws.scale("b", ScaleRange(low=1, high=2), "uniform")]
    assert [(each.name, each.value) for each in draws.made] == list(zip("ab", values, strict=True))
