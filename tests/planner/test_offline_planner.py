"""Tests of the offline planner: its plans follow the form and the limits."""

import pytest
from agent.loop.role import Prompts
from agent.model.messages import from_langchain
from agent.model.providers import offline_chat
from agent.rendering.assignment import assignment_markdown
from benchmarks.loader import load
from contracts.envelope import answering, deciding
from contracts.events.catalog import CatalogSearched, CatalogSearchRequested
from contracts.models.benchmark import Limits
from contracts.models.catalog import CatalogFind
from contracts.models.conversation import Message
from contracts.models.geometry import Box
from documents.plan import Plan
from documents.plan import read_plan as read_plan_document
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage, ToolMessage
from offline_expert.drives.machine import DEFAULT_MOTOR
from parts_catalog.parts import part
from planner.messages import search_markdown
from planner.replies import CatalogSearch, read_end, read_plan
from planner.tool_calls import lookup_of

from tests.agent.role_harness import engineering_requested
from tests.contracts import example_values as values

HIGHER = Box(min_mm=(200, -40, 350), max_mm=(280, 40, 410))
ROOMY = Limits(max_unit_price_usd=120, max_mass_kg=0.6, max_parts=12)


def _task(limits: Limits = values.LIMITS, **changes: object) -> list[BaseMessage]:
    variant = values.VARIANT.model_copy(update=changes)
    assignment = values.ASSIGNMENT.model_copy(update={"variant": variant, "limits": limits})
    task = Prompts("planner").render("task", assignment=assignment_markdown(assignment, values.ENVIRONMENT), skills="")
    return [SystemMessage("# Role: planner\n"), HumanMessage(task)]


def _plan(messages: list[BaseMessage], limits: Limits = values.LIMITS) -> Plan:
    reply = offline_chat().invoke(messages)
    return read_plan_document(read_plan(Message(author="assistant", text=reply.text), limits).plan_md)


def _searched(messages: list[BaseMessage], *found: CatalogFind) -> list[BaseMessage]:
    """Let the planner search, and find this."""
    call = offline_chat().invoke(messages)
    requested = CatalogSearchRequested(**deciding(engineering_requested(), "planner", 1), words="a motor")
    result = search_markdown(CatalogSearched(**answering(requested, "catalog"), found=found), 1)
    return [*messages, call, ToolMessage(result, tool_call_id="search-1")]


def test_offline_planner_routes_around_obstacles() -> None:
    plan = _plan(_task())
    assert "runs through `wall`" in plan.idea
    assert {each.name: each.count for each in plan.parts}["channel floor"] == 3


def test_offline_planner_goes_straight_without_obstacles() -> None:
    plan = _plan(_task(forbid_zones=()))
    assert "one straight chute" in plan.idea
    assert {each.name: each.count for each in plan.parts}["channel floor"] == 1


@pytest.mark.parametrize(
    ("measures", "longest_mm"),
    [
        ({"shape": "cube", "size_mm": 50.0}, 50.0),
        ({"shape": "box", "size_mm": 60.0, "edges_mm": (30.0, 60.0, 20.0)}, 60.0),
        ({"shape": "cylinder", "size_mm": 30.0, "length_mm": 70.0}, 70.0),
        ({"shape": "solid", "size_mm": 40.0, "edges_mm": (40.0, 25.0, 30.0)}, 40.0),
    ],
)
def test_offline_planner_measures_a_payload_of_any_shape(measures: dict[str, object], longest_mm: float) -> None:
    plan = _plan(_task(payload=values.VARIANT.payload.model_copy(update=measures)))
    assert f"Sides are {0.8 * longest_mm:.0f} mm high" in plan.idea


@pytest.mark.parametrize(("goal_z_mm", "enough"), [(0, True), (300, True), (310, False)])
def test_offline_planner_decides_whether_gravity_suffices(goal_z_mm: float, enough: bool) -> None:
    goal = Box(min_mm=(200, -40, goal_z_mm), max_mm=(280, 40, goal_z_mm + 60))
    plan = _plan(_task(goal_zone=goal))
    assert ("Gravity is enough" in plan.idea) is enough
    assert "slope" in plan.moved_by


@pytest.mark.parametrize(
    "limits",
    [Limits(max_mass_kg=0.05), Limits(max_unit_price_usd=9), Limits(max_parts=5)],
)
def test_offline_plan_over_a_limit_names_it_as_a_risk(limits: Limits) -> None:
    lean = _plan(_task(Limits(max_unit_price_usd=9)), Limits(max_unit_price_usd=9))
    plan = _plan(_task(limits), limits)
    (risk,) = (each for each in plan.risks if each.risk == "the estimate is over the limit")
    assert " at most " in risk.measure
    assert plan.parts == lean.parts, "the same machine, whatever the limit: figures are not bent"


def test_offline_plan_without_limits_is_within_them() -> None:
    plan = _plan(_task(Limits()), Limits())
    assert "the estimate is over the limit" not in {each.risk for each in plan.risks}


@pytest.mark.parametrize("family", ["gravity-chute", "detour", "push-flat", "lift-to-shelf"])
def test_offline_plan_fits_every_benchmark_of_the_suite(family: str) -> None:
    for seed in range(5):
        loaded = load(family, seed)
        changes = {name: getattr(loaded.variant, name) for name in type(loaded.variant).model_fields}
        messages = _task(loaded.limits, **changes)
        called = offline_chat().invoke(messages).tool_calls
        plan = _plan(_searched(messages) if called else messages, loaded.limits)
        assert bool(called) is (family in {"push-flat", "lift-to-shelf"})
        assert plan.part_count > 5


def test_plan_without_a_machine_is_approved_in_form_only() -> None:
    for messages, words in (
        (_task(), "All checks"),
        (_searched(_task(goal_zone=HIGHER)), "names no machine that fits"),
    ):
        plan = offline_chat().invoke(messages).text
        review = offline_chat().invoke([SystemMessage("# Role: critic\n"), HumanMessage(f"# Plan\n\n{plan}")]).text
        assert words in review


def test_higher_goal_needs_a_motor() -> None:
    messages = _task(ROOMY, goal_zone=HIGHER)
    lookup = lookup_of(from_langchain(offline_chat().invoke(messages)).tool_calls[0])
    assert isinstance(lookup, CatalogSearch)
    assert "gear motor" in lookup.words
    find = CatalogFind(
        id=DEFAULT_MOTOR.id, name="motor", what="12 V", unit_price_usd=40.5, confidence="typical", reason="strong"
    )
    plan = _plan(_searched(messages, find), ROOMY)
    assert "Gravity is not enough" in plan.idea
    assert "below half of its stall torque" in plan.idea
    (motor,) = (each for each in plan.parts if each.method == "catalog")
    assert motor.price_usd is not None
    assert (motor.material, float(motor.price_usd)) == (DEFAULT_MOTOR.id, 40.5)


def test_empty_search_leads_to_the_default_motor() -> None:
    plan = _plan(_searched(_task(ROOMY, goal_zone=HIGHER)), ROOMY)
    (motor,) = (each for each in plan.parts if each.method == "catalog")
    bought = part(DEFAULT_MOTOR.id)
    assert motor.mass_g is not None
    assert motor.price_usd is not None
    assert (motor.material, float(motor.mass_g), float(motor.price_usd)) == (
        bought.id,
        bought.mass_kg * 1000,
        bought.price_usd,
    )


def test_offline_planner_has_no_other_plan_after_a_refusal() -> None:
    messages = _task()
    review = HumanMessage(Prompts("planner").render("refused", review="- It costs 172 USD, at most 57."))
    reply = offline_chat().invoke([*messages, offline_chat().invoke(messages), review])
    assert "would be the same one" in (read_end(Message(author="assistant", text=reply.text)) or "")


def test_offline_planner_answers_the_last_review() -> None:
    messages = _task()
    first = offline_chat().invoke(messages)
    review = HumanMessage(Prompts("planner").render("rejected", review="- Name the slope\n- of each leg."))
    plan = _plan([*messages, first, review])
    assert "- Name the slope - of each leg." in plan.idea
    assert "Sides are 24 mm high" in _plan(messages).idea
    assert "Sides are 30 mm high" in plan.idea
