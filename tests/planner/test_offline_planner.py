"""The offline planner plans from what it is shown, in the form that is asked for and within the limits."""

import pytest
from agent.loop.prompts import Prompts
from agent.model.messages import from_chat
from agent.model.providers import offline_chat
from agent.rendering.assignment import assignment_markdown
from benchmarks.loader import load
from contracts.events.catalog import CatalogSearched, CatalogSearchRequested
from contracts.models.benchmark import Limits
from contracts.models.catalog import CatalogFind
from contracts.models.conversation import Message
from contracts.models.geometry import Box
from documents.plan import Plan, read_plan
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage, ToolMessage
from offline_expert.drives.machine import DEFAULT_MOTOR
from parts_catalog.parts import part
from planner.catalog_search import read_search, search_markdown
from planner.plan import read_reply

from tests.agent.role_play import engineering_requested
from tests.contracts import example_values as values

HIGHER = Box(min_mm=(200, -40, 350), max_mm=(280, 40, 410))
AS_HIGH = Box(min_mm=(200, -40, 330), max_mm=(280, 40, 410))
ROOMY = Limits(max_unit_price_usd=120, max_mass_kg=0.6, max_parts=12)


def _task(limits: Limits = values.LIMITS, **changes: object) -> list[BaseMessage]:
    variant = values.VARIANT.model_copy(update=changes)
    assignment = values.ASSIGNMENT.model_copy(update={"variant": variant, "limits": limits})
    task = Prompts("planner").render("task", assignment=assignment_markdown(assignment, values.ENVIRONMENT))
    return [SystemMessage("# Role: planner\n"), HumanMessage(task)]


def _plan(messages: list[BaseMessage], limits: Limits = values.LIMITS) -> Plan:
    reply = offline_chat().invoke(messages)
    return read_plan(read_reply(Message(author="assistant", text=reply.text), limits).plan_md)


def _searched(messages: list[BaseMessage], *found: CatalogFind) -> list[BaseMessage]:
    """Let the planner search, and find this."""
    call = offline_chat().invoke(messages)
    asked = CatalogSearchRequested.deciding(engineering_requested(), "planner", 1, words="a motor")
    told = search_markdown(CatalogSearched.answering(asked, "catalog", found=found), 1)
    return [*messages, call, ToolMessage(told, tool_call_id="search-1")]


def test_it_goes_round_what_is_in_the_way() -> None:
    plan = _plan(_task())
    assert "runs through `wall`" in plan.idea
    assert {each.name: each.count for each in plan.parts}["channel floor"] == 3


def test_it_goes_straight_when_nothing_is() -> None:
    plan = _plan(_task(forbid_zones=()))
    assert "one straight chute" in plan.idea
    assert {each.name: each.count for each in plan.parts}["channel floor"] == 1


@pytest.mark.parametrize(("goal_z_mm", "enough"), [(0, True), (300, False)])
def test_it_knows_whether_gravity_is_enough(goal_z_mm: float, enough: bool) -> None:
    goal = Box(min_mm=(200, -40, goal_z_mm), max_mm=(280, 40, goal_z_mm + 60))
    plan = _plan(_task(goal_zone=goal))
    assert ("Gravity is enough" in plan.idea) is enough
    assert "slope" in plan.moved_by


@pytest.mark.parametrize(
    "limits",
    [Limits(), values.LIMITS, Limits(max_mass_kg=0.05), Limits(max_unit_price_usd=9), Limits(max_parts=5)],
)
def test_its_parts_keep_to_every_limit(limits: Limits) -> None:
    plan = _plan(_task(limits), limits)
    assert plan.part_count <= (limits.max_parts or 20)
    assert all(each.mass_g > 0 for each in plan.parts)


@pytest.mark.parametrize("family", ["gravity-chute", "detour", "push-flat", "lift-to-shelf"])
def test_its_plans_keep_to_the_limits_of_every_benchmark_of_the_suite(family: str) -> None:
    for seed in range(5):
        loaded = load(family, seed)
        changes = {name: getattr(loaded.variant, name) for name in type(loaded.variant).model_fields}
        messages = _task(loaded.file.limits, **changes)
        called = offline_chat().invoke(messages).tool_calls
        plan = _plan(_searched(messages) if called else messages, loaded.file.limits)
        assert bool(called) is (family in {"push-flat", "lift-to-shelf"})
        assert plan.part_count > 5


@pytest.mark.parametrize(("goal", "how"), [(HIGHER, "lifts it"), (AS_HIGH, "pushes it over the floor")])
def test_it_wants_a_motor_where_the_goal_lies_higher(goal: Box, how: str) -> None:
    messages = _task(ROOMY, goal_zone=goal)
    assert "gear motor" in read_search(from_chat(offline_chat().invoke(messages)), 0).words
    find = CatalogFind(
        id=DEFAULT_MOTOR.id, name="motor", what="12 V", unit_price_usd=40.5, confidence="typical", reason="strong"
    )
    plan = _plan(_searched(messages, find), ROOMY)
    assert how in plan.idea
    assert "below half of its stall torque" in plan.idea
    (motor,) = (each for each in plan.parts if each.method == "catalog")
    assert (motor.material, float(motor.price_usd)) == (DEFAULT_MOTOR.id, 40.5)


def test_it_plans_with_its_own_motor_when_nothing_was_found() -> None:
    plan = _plan(_searched(_task(ROOMY, goal_zone=HIGHER)), ROOMY)
    (motor,) = (each for each in plan.parts if each.method == "catalog")
    sold = part(DEFAULT_MOTOR.id)
    assert (motor.material, float(motor.mass_g), float(motor.price_usd)) == (
        sold.id,
        sold.mass_kg * 1000,
        sold.price_usd,
    )


@pytest.mark.parametrize("prompt", ["rejected", "refused"])
def test_it_takes_up_what_became_of_the_last_plan(prompt: str) -> None:
    messages = _task()
    first = offline_chat().invoke(messages)
    review = HumanMessage(Prompts("planner").render(prompt, review="- Name the slope\n- of each leg."))
    plan = _plan([*messages, first, review])
    assert "- Name the slope - of each leg." in plan.idea
    assert "Sides are 24 mm high" in _plan(messages).idea
    assert "Sides are 30 mm high" in plan.idea
