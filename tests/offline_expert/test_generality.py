"""Worlds beyond the benchmarks: cups, flat and narrow channels, exact solids, a touch that is enough, price limits."""

import json
import re
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from io import StringIO
from math import hypot, inf
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import pytest
from build123d import Box, Compound, Cylinder, Pos, Rot
from offline_expert.boxes import Bounds, TurnedBox
from offline_expert.engineer.adjustments import first_proportions, leaner, relaxations
from offline_expert.engineer.facts import FACTS, FACTS_CODE
from offline_expert.routing.design import ChannelDesign, build_design, faults
from offline_expert.routing.dimensions import ChannelProportions, sizes_for
from offline_expert.routing.problem import Facts, RoutingProblem, problem_from
from offline_expert.routing.router import NoRouteError, find_design
from offline_expert.routing.script import write_design
from offline_expert.routing.straight_routes import pocket_floors, straight_routes

FLOOR = Bounds((-500, -300, -20), (500, 300, 0))
WORLD = RoutingProblem(
    build=Bounds((-480, -280, 0), (480, 280, 500)),
    goal=Bounds((240, -60, 40), (360, 60, 140)),
    forbids=(),
    solids=(FLOOR,),
    is_ball=True,
    size_mm=40.0,
    start=(0.0, 0.0, 300.0),
)


def designed(world: RoutingProblem) -> ChannelDesign:
    """Return the design of the first proportions that find one; raise the last reason if none does."""
    reason = NoRouteError()
    for proportions in relaxations(first_proportions(world), is_held=world.is_held):
        try:
            return find_design(world, proportions)
        except NoRouteError as error:
            reason = error
    raise reason


def test_goal_straight_below_the_start_gets_a_cup() -> None:
    world = replace(WORLD, goal=Bounds((-60, -60, 100), (60, 60, 200)))
    design = designed(world)
    assert design.segments == ()
    assert len(design.parts) == 6, "five panels and a leg"
    assert faults(design, world, ChannelProportions()) == []
    assert "straight below the start" in write_design(design, world)


def test_flat_world_gets_a_channel_of_2_to_5_degrees() -> None:
    world = replace(WORLD, start=(0.0, 0.0, 98.0), goal=Bounds((240, -60, 30), (360, 60, 120)))
    (segment,) = designed(world).segments
    assert 2.0 <= segment.slope_deg <= 5.0


def test_too_little_height_is_the_expert_s_limit_and_not_physics() -> None:
    world = replace(WORLD, start=(0.0, 0.0, 62.0), goal=Bounds((240, -60, 30), (360, 60, 120)), goal_rule="inside")
    with pytest.raises(NoRouteError, match=r"needs (\d+) mm.*starts 12 mm above") as error:
        designed(world)
    sums = re.search(r"needs (\d+) mm: (\d+) to .* (\d+) at 1 degrees, (\d+) down .* is (\d+) above", str(error.value))
    assert sums is not None
    needed, *terms = (int(each) for each in sums.groups())
    assert abs(sum(terms) - needed) <= 2, "rounded"
    assert needed > 12


@pytest.mark.parametrize("aside_mm", [0.0, 60.0])
def test_low_world_where_a_touch_is_enough_gets_a_channel_with_an_open_end(aside_mm: float) -> None:
    goal = Bounds((240, aside_mm - 40, 0), (300, aside_mm + 40, 50))
    world = replace(WORLD, start=(0.0, 0.0, 55.0), goal=goal, hold_s=0.0)
    design = designed(world)
    assert design.layout.pocket is None
    assert faults(design, world, replace(ChannelProportions(), clearance_mm=3.5)) == []
    (channel,) = design.layout.channels
    x, y = channel.frame.point(channel.length)
    assert goal.grown(0.1).contains(Bounds((x, y, channel.mouth_z), (x, y, channel.mouth_z + world.size_mm / 4)))
    assert "with an open end" in write_design(design, world)
    held = designed(replace(world, hold_s=1.0)).layout.pocket
    assert held is not None
    assert held.floor_z < 4.0, "on the ground, hardly below the mouth"


def test_lane_between_turned_walls_gets_a_straight_channel() -> None:
    walls = tuple(TurnedBox((-aside * 0.5, aside * 0.866, 60.0), (300.0, 12.0, 120.0), 30.0) for aside in (-36.0, 36.0))
    world = replace(WORLD, start=(-165.0, -95.0, 150.0), goal=Bounds((170, 90, 0), (270, 170, 90)), size_mm=30.0)
    world = replace(world, turned=walls, solids=(FLOOR, *(wall.bounds for wall in walls)))
    proportions = ChannelProportions()
    routes = straight_routes(world, sizes_for(30.0, proportions), proportions)
    ((segment,), *_) = routes
    assert segment.yaw_deg == pytest.approx(30.0, abs=8.0)
    as_upright = replace(world, turned=())
    assert not list(straight_routes(as_upright, sizes_for(30.0, proportions), proportions))


def test_turned_box_of_the_world_is_printed_as_such() -> None:
    facts = printed_facts(Pos(50, 30, 10) * Rot(0, 0, 30) * Box(100, 10, 20))
    (box,) = problem_from(cast("Facts", facts)).turned
    assert box.center == pytest.approx((50, 30, 10), abs=0.01)
    assert box.bounds.high == pytest.approx((50 + 50 * 0.866 + 2.5, 30 + 25 + 4.33, 20), abs=0.01)
    assert facts["solids"] == []


def test_channel_longer_than_a_part_may_be_is_made_of_pieces_with_seams_apart() -> None:
    world = replace(WORLD, start=(-400.0, 0.0, 300.0))
    whole, pieces = (find_design(world, replace(ChannelProportions(), longest_mm=most)) for most in (inf, 300.0))
    floors, walls = (
        [part.box for part in pieces.parts if part.label.startswith(f"chute-1-{name}")]
        for name in ("floor", "wall-left")
    )
    assert len(floors) == 3
    assert max(box.size[0] for box in (*floors, *walls)) < 300.0
    assert faults(pieces, world, ChannelProportions()) == []
    (floor,) = (part.box for part in whole.parts if part.label == "chute-1-floor")
    assert sum(box.size[0] for box in floors) == pytest.approx(floor.size[0], abs=2.0)
    seams, wall_seams = ([box.bounds.high[0] for box in boxes[:-1]] for boxes in (floors, walls))
    assert min(abs(seam - other) for seam in seams for other in wall_seams) > 40.0


@pytest.mark.parametrize("spare_mm", [34.0, 22.0, 14.0])
def test_lane_little_wider_than_the_payload_gets_a_narrow_channel(spare_mm: float) -> None:
    half, top = (WORLD.size_mm + spare_mm) / 2, 500.0
    lane = (Bounds((60, half, 0), (230, 280, top)), Bounds((60, -280, 0), (230, -half, top)))
    world = replace(WORLD, forbids=lane)
    design = designed(world)
    (floor,) = (part for part in design.parts if part.label == "chute-1-floor")
    assert WORLD.size_mm + 3 <= floor.box.size[1] <= WORLD.size_mm + spare_mm


def test_lane_between_walls_of_the_world_gets_a_floor_that_they_flank() -> None:
    walls = (Bounds((-60, 24, 0), (230, 60, 300)), Bounds((-60, -60, 0), (230, -24, 300)))
    world = replace(WORLD, solids=(FLOOR, *walls), start=(0.0, 0.0, 150.0), hold_s=0.0)
    design = designed(world)
    (floor,) = (part.box for part in design.parts if part.label == "chute-1-floor")
    assert (floor.size[1], {part.label for part in design.parts if "wall" in part.label}) == (44.0, set())
    with pytest.raises(NoRouteError):
        designed(replace(world, solids=(FLOOR, walls[0]), forbids=(walls[1],)))


@pytest.mark.parametrize("size_mm", [20.0, 30.0, 60.0])
def test_payload_starts_low_over_a_narrow_channel_but_clear_of_its_panels(size_mm: float) -> None:
    world = replace(WORLD, size_mm=size_mm, start=(0.0, 0.0, 180.0))
    narrow = replace(ChannelProportions(), spare_width_mm=4.0, clearance_mm=2.0, wall_mm=2.0, side_wall_ratio=0.5)
    routes = straight_routes(world, sizes_for(size_mm, narrow), narrow)
    (segment,) = min(routes, key=lambda each: (each[0].drop, abs(each[0].yaw_deg)))
    (panel,) = (
        part.box.bounds
        for part in build_design((segment,), world, sizes_for(size_mm, narrow)).parts
        if part.label == "chute-1-panel-left"
    )
    edge = hypot(panel.low[1] - world.start[1] - 5.0, panel.high[2] - world.start[2])
    assert size_mm / 2 + 0.5 < edge < size_mm / 2 + 3.0, "5 mm aside it is just clear of the edge"


def test_touch_is_enough_where_the_goal_holds_nothing() -> None:
    sizes = sizes_for(40.0, ChannelProportions())
    held, touched = pocket_floors(WORLD, sizes), pocket_floors(replace(WORLD, hold_s=0.0), sizes)
    assert min(touched) == min(held) - 20.0
    assert max(touched) == max(held) + 20.0
    assert set(held) < set(touched), "what may only be touched is not harder than what must be held"


def test_payload_that_must_be_inside_fits_below_the_goal_s_top() -> None:
    world = replace(WORLD, goal_rule="inside")
    assert max(pocket_floors(world, sizes_for(40.0, ChannelProportions()))) + 40.0 < world.goal.high[2]


def test_start_outside_the_build_zone_is_named() -> None:
    world = replace(WORLD, build=Bounds((60, -280, 0), (480, 280, 500)))
    with pytest.raises(NoRouteError, match=r"outside the build zone.*: 80 mm along x\."):
        designed(world)


def test_start_outside_the_build_zone_is_named_beside_too_little_height() -> None:
    world = replace(WORLD, start=(0.0, 0.0, 85.0), goal=Bounds((240, -60, 30), (360, 60, 120)))
    with pytest.raises(NoRouteError, match=r"starts 35 mm above.* outside the build zone.*: 80 mm along x\."):
        designed(replace(world, build=Bounds((60, -280, 0), (480, 280, 500))))


def test_zone_that_binds_only_parts_lets_the_payload_through() -> None:
    above_goal = Bounds((230, -80, 60), (370, 80, 200))
    lane = replace(WORLD, forbids=(), payload_forbids=(above_goal,))
    with pytest.raises(NoRouteError):
        designed(lane)
    assert designed(replace(WORLD, forbids=(), payload_forbids=()))
    start = Bounds((-25, -25, 275), (25, 25, 330))
    assert designed(replace(WORLD, forbids=(start,), payload_forbids=()))


def turned(box: Bounds) -> Bounds:
    """Return the box turned by 90 degrees about the world's vertical."""
    (x0, y0, z0), (x1, y1, z1) = box
    return Bounds((-y1, x0, z0), (-y0, x1, z1))


def mirrored(box: Bounds) -> Bounds:
    """Return the box mirrored in y."""
    (x0, y0, z0), (x1, y1, z1) = box
    return Bounds((x0, -y1, z0), (x1, -y0, z1))


def shifted(box: Bounds) -> Bounds:
    """Return the box moved aside."""
    low, high = ([a + b for a, b in zip(corner, (37, -81, 0), strict=True)] for corner in box)
    return Bounds(cast("Any", tuple(low)), cast("Any", tuple(high)))


WALL = Bounds((100, -150, 0), (130, 150, 280))


@pytest.mark.parametrize("change", [turned, mirrored, shifted])
@pytest.mark.parametrize("solids", [(FLOOR,), (FLOOR, WALL), (WALL, FLOOR)])
def test_same_world_in_another_place_gets_a_machine_as_heavy(change: Any, solids: tuple[Bounds, ...]) -> None:
    world = replace(WORLD, solids=solids)
    moved = replace(
        world,
        build=change(world.build),
        goal=change(world.goal),
        solids=tuple(change(each) for each in solids),
        start=change(Bounds(world.start, world.start)).low,
    )
    first, second = designed(world), designed(moved)
    assert len(second.segments) == len(first.segments)
    assert second.least_price_usd == pytest.approx(first.least_price_usd, rel=0.1)


def no_contacts(*_: object, **__: object) -> list[str]:
    return []


def test_parts_never_have_the_label_of_a_solid_of_the_world(monkeypatch: pytest.MonkeyPatch) -> None:
    utils = ModuleType("utils")
    vars(utils).update(ManufacturingMethod=SimpleNamespace(PRINTING_3D="print"), bond_contacts=no_contacts)
    monkeypatch.setitem(sys.modules, "utils", utils)
    solids = [Box(10, 10, 10), Pos(20, 0, 0) * Box(10, 10, 10)]
    solids[0].label, solids[1].label = "pocket-floor", "machine-pocket-floor"
    names: dict[str, Any] = {"environment": Compound(children=solids)}
    exec(write_design(designed(WORLD), WORLD), names)
    labels = [part.label for part in names["assembly"].children]
    assert "machine-machine-pocket-floor" in labels
    assert not {"pocket-floor", "machine-pocket-floor"} & set(labels)
    assert len(set(labels)) == len(labels)


def test_payload_on_a_solid_is_refused_with_the_room_below_it() -> None:
    shelf = Bounds((-100, -200, 0), (100, 200, 279.9))
    with pytest.raises(NoRouteError, match=r"starts 0\.1 mm above a solid"):
        designed(replace(WORLD, solids=(FLOOR, shelf)))


def test_design_is_cheaper_where_a_price_binds() -> None:
    design, lean = find_design(WORLD, ChannelProportions()), find_design(WORLD, leaner(ChannelProportions()))
    assert lean.least_price_usd < design.least_price_usd


def test_legs_do_not_stand_on_solids_that_do_not_fill_their_boxes() -> None:
    box = [[-500.0, -300.0, -20.0], [500.0, 300.0, 0.0]]
    heap = [[0.0, -50.0, 0.0], [100.0, 50.0, 60.0]]
    facts = Facts(
        build=WORLD.build,
        goal=WORLD.goal,
        forbids=(),
        solids=[box, heap],
        curved=[1],
        shape="ball",
        size_mm=40.0,
        start_mm=WORLD.start,
    )
    assert len(problem_from(facts).solids) == 2
    assert len(problem_from(facts).levels) == 1


def printed_facts(*solids: Any, obstacles: Sequence[Any] = (), binds: Sequence[str] = ()) -> dict[str, Any]:
    """Return the facts that the cell prints of an environment with these solids."""
    zone = SimpleNamespace(min_mm=(0, 0, 0), max_mm=(1, 1, 1))
    payload = SimpleNamespace(shape="ball", extents_mm=(40, 40, 40), start_mm=(0, 0, 0), friction=0.3)
    benchmark = SimpleNamespace(
        bounds=SimpleNamespace(min_mm=(-200, -200, -200)),
        build_zone=zone,
        goal_zone=zone,
        goal_rule="inside",
        forbid_zones=[SimpleNamespace(box=zone, binds=each) for each in binds],
        obstacles=obstacles,
        payload=payload,
        hold_s=0.0,
    )
    names = {
        "environment": Compound(children=list(solids)),
        "benchmark": benchmark,
        "limits": SimpleNamespace(max_unit_price_usd=57.0),
    }
    with redirect_stdout(StringIO()) as output:
        exec(FACTS_CODE, names)
    text = output.getvalue()
    return cast("dict[str, Any]", json.loads(text[text.index(FACTS[0]) + len(FACTS[0]) : text.index(FACTS[1])]))


def test_doorway_in_a_wall_is_free() -> None:
    wall = Pos(0, 0, 100) * Box(20, 200, 200) - Pos(0, 0, 50) * Box(20, 80, 100)
    facts = printed_facts(wall)
    assert facts["curved"] == []
    assert len(facts["solids"]) == 3
    volume = sum((b[0] - a[0]) * (b[1] - a[1]) * (b[2] - a[2]) for a, b in facts["solids"])
    assert volume == pytest.approx(wall.volume)
    assert (facts["hold_s"], facts["friction"], facts["max_price_usd"]) == (0.0, 0.3, 57.0)


def test_obstacle_is_forbidden_unless_its_solids_fill_it() -> None:
    box = SimpleNamespace(box=SimpleNamespace(min_mm=(-5, -10, -15), max_mm=(5, 10, 15)))
    assert printed_facts(Box(10, 20, 30), obstacles=[box])["forbids"] == []
    assert printed_facts(Box(10, 2, 30), obstacles=[box])["forbids"] == [[[-5, -10, -15], [5, 10, 15]]]


def test_solid_with_a_material_counts_as_moving() -> None:
    gate: Any = Pos(0, 0, 50) * Box(5, 60, 20)
    gate.metadata = {"material_id": "pom"}
    facts = printed_facts(Box(100, 100, 10), gate)
    assert (len(facts["solids"]), facts["moving"]) == (2, [1])


def test_zones_bind_whom_the_file_names() -> None:
    facts = printed_facts(Pos(0, 0, -100) * Box(10, 20, 30), binds=["parts", "payload", "both", "parts"])
    assert (len(facts["forbids"]), len(facts["payload_forbids"]), facts["goal_rule"]) == (3, 2, "inside")


def test_room_below_the_payload_is_measured_on_the_solid_and_not_its_box() -> None:
    hollow = Pos(0, 0, -100) * (Box(100, 100, 100) - Pos(0, 0, 30) * Box(60, 60, 60))
    facts = printed_facts(hollow)
    assert facts["room_mm"] == pytest.approx(-20 - -100)
    assert printed_facts(Pos(150, 0, 0) * Box(10, 10, 10))["room_mm"] is None


def test_plain_box_stays_one_box() -> None:
    assert printed_facts(Box(10, 20, 30))["solids"] == [[[-5, -10, -15], [5, 10, 15]]]


def test_cylinder_is_covered_by_boxes_that_count_as_curved() -> None:
    facts = printed_facts(Cylinder(50, 40))
    assert facts["curved"] != []
    boxes = [facts["solids"][index] for index in facts["curved"]]
    assert max(high[0] for _, high in boxes) == pytest.approx(50, abs=0.1)
