"""A round payload that lies rolls across its axis: in a channel as wide as it is long, in two directions."""

import pytest
from agent.rendering.assignment import payloads_section
from benchmarks.loader import load
from offline_expert.routing.dimensions import ChannelProportions
from offline_expert.routing.problem import Facts, problem_from
from offline_expert.routing.router import find_design
from offline_expert.task_facts import with_task

from perf.benchmarks.strangers import WORLDS
from tests.support.routing_problems import facts

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
