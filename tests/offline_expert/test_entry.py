"""Where a payload that the world itself moves comes by, and how a round one that lies rolls."""

import json
from dataclasses import replace

import pytest
from agent.rendering.assignment import payloads_section
from benchmarks.loader import load
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from offline_expert.boxes import Bounds, Vec
from offline_expert.engineer.policy import decide
from offline_expert.routing.dimensions import ChannelProportions
from offline_expert.routing.entry import entered
from offline_expert.routing.problem import Facts, RoutingProblem, problem_from
from offline_expert.routing.router import NoRouteError, find_design
from offline_expert.task_facts import with_task

from perf.benchmarks.strangers import WORLDS
from tests.support.routing_problems import facts

BUILD = Bounds((0.0, -100.0, 0.0), (500.0, 100.0, 300.0))
SHELF = Bounds((-100.0, -100.0, 0.0), (50.0, 100.0, 200.0))
WORLD = RoutingProblem(
    build=BUILD,
    goal=Bounds((400.0, -50.0, 50.0), (480.0, 50.0, 120.0)),
    forbids=(),
    solids=(SHELF,),
    is_ball=True,
    size_mm=20.0,
    start=(-50.0, 0.0, 210.0),
    room_mm=0.0,
)


def test_payload_that_rolls_over_an_edge_enters_behind_it_with_a_heading() -> None:
    found = entered(WORLD, [WORLD.start, (0.0, 0.0, 210.0), (50.0, 0.0, 209.0), (90.0, 0.0, 199.0)])
    x, y, z = found.start
    assert (60 <= x <= 65, y, 195 < z < 210) == (True, 0.0, True)
    assert (found.heading_deg, found.room_mm) == (0.0, None)
    assert not found.outside_text


def test_payload_that_falls_out_of_a_hopper_enters_below_it_without_a_heading() -> None:
    high = replace(WORLD, start=(150.0, 60.0, 400.0))
    found = entered(high, [high.start, (120.0, 0.0, 350.0), (118.0, 0.0, 310.0), (116.0, 0.0, 250.0)])
    assert found.heading_deg is None
    assert 280 < found.start[2] <= 290
    with pytest.raises(NoRouteError, match=r"underside comes by 2\d\d mm above the goal's bottom"):
        find_design(replace(found, solids=(BUILD.grown(-40.0),)), ChannelProportions())


def test_direction_of_entry_is_that_of_the_path() -> None:
    turned = [(-50.0, 0.0, 210.0), (40.0, 40.0, 210.0), (100.0, 70.0, 205.0)]
    heading = entered(WORLD, turned).heading_deg
    assert heading == pytest.approx(26.57, abs=0.01)


@pytest.mark.parametrize(
    "path",
    [
        [],
        [(-50.0, 0.0, 210.0), (-48.0, 0.0, 210.0)],
        [(-50.0, 0.0, 210.0), (-50.0, 0.0, 400.0)],
    ],
    ids=["not watched", "at rest", "never inside"],
)
def test_payload_that_comes_nowhere_keeps_its_start(path: list[Vec]) -> None:
    assert entered(WORLD, path) == WORLD


def test_payload_that_falls_straight_into_the_build_zone_keeps_its_start() -> None:
    above = replace(WORLD, start=(200.0, 0.0, 350.0), room_mm=350.0)
    assert entered(above, [above.start, (200.0, 0.0, 280.0), (200.0, 0.0, 100.0)]) == above


def test_expert_watches_a_payload_outside_the_build_zone_once_and_designs_from_where_it_comes_by() -> None:
    known = facts("gravity-chute", 0)
    (x, y, z), low = known["start_mm"], known["build"][0]
    outside = {**known, "start_mm": [low[0] - 100.0, y, z], "room_mm": 200.0}
    messages: list[BaseMessage] = [SystemMessage("# Role: engineer\n\nRules."), HumanMessage("# Assignment")]
    path = [[low[0] - 100.0, y, z], [x - 30.0, y, z], [x, y, z - 5.0]]
    for answer in (f"<<<FACTS {json.dumps(outside)} FACTS>>>", f"<<<PATH {json.dumps({'path_mm': path})} PATH>>>"):
        messages += [decide(messages), HumanMessage(f"# Observation\n\n{answer}")]
    watch, written = messages[-2], decide(messages)
    assert isinstance(watch, AIMessage)
    assert "run = simulate(" in watch.text
    assert written.tool_calls[0]["name"] == "write_file"


LIES = {
    "flat-pipe": (30.0, 80.0, 0.0),
    "ledge-capsule": (24.0, 60.0, 90.0),
    "openings-push-diagonal": None,
    "knock-over": None,
}
"""A pin across x, a capsule along x, a cube, a can that stands upright."""


@pytest.mark.parametrize("name", LIES)
def test_task_states_how_a_round_payload_lies(name: str) -> None:
    task = payloads_section(load(str(WORLDS / name), 0).variant)
    assert with_task(facts("gravity-chute", 0), task).get("lies") == LIES[name]


def test_lying_payload_gets_a_straight_channel_as_wide_as_it_is_long() -> None:
    known = Facts(
        build=[[-400, -200, 0], [400, 200, 300]],
        goal=[[-300, -60, 20], [-200, 60, 120]],
        forbids=[],
        solids=[[[-400, -200, -20], [400, 200, 0]]],
        shape="cylinder",
        size_mm=80.0,
        start_mm=[150.0, 0.0, 220.0],
        room_mm=180.0,
        lies=(30.0, 80.0, 0.0),
    )
    rolling = problem_from(known).rolling()
    assert (rolling.size_mm, rolling.room_mm, rolling.is_ball) == (30.0, 205.0, True)
    design = find_design(rolling, ChannelProportions())
    (floor,) = (part.box for part in design.parts if part.label == "chute-1-floor")
    assert (len(design.segments), floor.size[1]) == (1, 96.0)
    assert [rolling.is_ahead(yaw_deg) for yaw_deg in (0.0, 180.0, 15.0, 90.0)] == [True, True, True, False]


def test_payload_that_comes_from_the_side_flies_over_a_low_panel_against_a_high_one() -> None:
    goal = Bounds((90.0, -95.0, 60.0), (190.0, -5.0, 140.0))
    floor = Bounds((-150.0, -250.0, -20.0), (650.0, 250.0, 0.0))
    world = replace(WORLD, build=BUILD.grown(150.0), solids=(SHELF, floor), start=(70.0, 150.0, 205.0))
    world = replace(world, goal=goal, heading_deg=0.0)
    design = find_design(world, ChannelProportions())
    (segment,) = design.segments
    assert (segment.turn, segment.yaw_deg) == ("right", pytest.approx(-90.0, abs=12.0))
    panels = {part.label: part.box.bounds.high[2] for part in design.parts if "panel" in part.label}
    assert panels["chute-1-panel-right"] < world.start[2] - world.size_mm / 2 < panels["chute-1-panel-left"]


def test_payload_that_falls_near_a_face_of_the_build_zone_enters_where_walls_have_room() -> None:
    path = [(-20.0, 0.0, 330.0), (0.0, 0.0, 280.0), (20.0, 0.0, 220.0), (40.0, 0.0, 140.0)]
    found = entered(replace(WORLD, solids=(), start=path[0]), path)
    assert (found.heading_deg, found.start[0] >= 24.0) == (None, True)
