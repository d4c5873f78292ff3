"""The offline planner plans from what it is shown, in the form that is asked for."""

import pytest
from agent.offline.model import OfflineExpert
from agent.prompts import Prompts
from agent.rendering.assignment import assignment_markdown
from contracts.conversation import Message
from contracts.geometry import Box
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from planner.plan import read_plan

from tests.contracts import example_values as values


def _task(**changes: object) -> list[BaseMessage]:
    variant = values.VARIANT.model_copy(update=changes)
    assignment = values.ASSIGNMENT.model_copy(update={"variant": variant})
    prompts = Prompts("planner")
    task = prompts.render("task", assignment=assignment_markdown(assignment, values.ENVIRONMENT))
    return [SystemMessage(prompts.render("system")), HumanMessage(task)]


def _plan(messages: list[BaseMessage]) -> str:
    reply = OfflineExpert().invoke(messages)
    return read_plan(Message(author="assistant", text=reply.text)).plan_md


def test_it_goes_round_what_is_in_the_way() -> None:
    assert "runs through `wall`" in _plan(_task())


def test_it_goes_straight_when_nothing_is() -> None:
    assert "one straight chute" in _plan(_task(forbid_zones=()))


@pytest.mark.parametrize(("goal_z_mm", "enough"), [(0, True), (330, False)])
def test_it_knows_whether_gravity_is_enough(goal_z_mm: float, enough: bool) -> None:
    goal = Box(min_mm=(200, -40, goal_z_mm), max_mm=(280, 40, goal_z_mm + 60))
    assert ("Gravity is enough" in _plan(_task(goal_zone=goal))) is enough


def test_it_wants_a_motor_where_the_goal_lies_higher() -> None:
    (_, _, z) = values.VARIANT.payload.start_mm
    low, high = (
        Box(min_mm=(200, -40, z), max_mm=(280, 40, z + 60)),
        Box(min_mm=(200, -40, z - 20), max_mm=(280, 40, z + 60)),
    )
    for goal, how in ((low, "lifts it"), (high, "pushes it over the floor")):
        plan = _plan(_task(goal_zone=goal))
        assert how in plan
        assert "below half of its stall torque" in plan
        assert "Gravity is enough" not in plan


def test_it_takes_up_the_review() -> None:
    messages = _task()
    first = OfflineExpert().invoke(messages)
    review = HumanMessage(Prompts("planner").render("review", review="Name the slope of each leg."))
    assert "Name the slope of each leg." in _plan([*messages, first, review])
