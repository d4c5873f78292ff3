"""Tests of the planner's tools: searches in one reply, and the plan as fields."""

import json
from typing import Any

import pytest
from agent.loop.replies import MalformedReplyError
from contracts.envelope import Event, Request, answering, deciding
from contracts.events.catalog import CatalogSearched, CatalogSearchRequested
from contracts.events.conversation import ReplyRejected
from contracts.events.plan import PlanProposed, PlanRejected, RefusalUpheld
from contracts.events.run import EnvironmentRequested, RunFailed
from contracts.models.benchmark import Limits
from documents.plan import read_plan
from documents.todo import read_todo
from langchain_core.messages import AIMessage, ToolMessage
from planner.replies import MAX_SEARCHES
from planner.tool_calls import ProposePlan, planned_work

from tests.agent.role_harness import RoleHarness, call, engineering_requested
from tests.planner.planner_harness import plan_in, planner_harness

FIELDS: dict[str, Any] = {
    "idea": "It rolls down one channel.\n\nThen it rests. ",
    "parts": [
        {"name": "channel", "count": 1, "method": "3d_printing", "material": "pla", "mass_g": 85, "price_usd": 10.5},
        {"name": "leg", "count": "2", "method": "3d_printing", "material": "petg", "mass_g": 22.5, "price_usd": "3"},
    ],
    "moved_by": "gravity, on a slope of 8 degrees",
    "stages": ["it drops", "it rolls\nto the pocket"],
    "risks": [{"risk": "it bounces: out", "measure": "the wall is higher"}],
    "todo": ["- [ ] T1: Measure", "Build", "T3: Simulate", "Submit"],
}


PROPOSE = call(("propose_plan", FIELDS))


async def begun(*script: AIMessage) -> tuple[RoleHarness, list[Event]]:
    """Return the planner's first decisions with the world checked."""
    harness = planner_harness(script)
    (world,) = await harness.consume(engineering_requested())
    assert isinstance(world, EnvironmentRequested)
    return harness, await plan_in(harness, world)


async def test_plan_of_fields_becomes_documents() -> None:
    _, (proposed,) = await begun(PROPOSE)
    assert isinstance(proposed, PlanProposed)
    plan, todo = read_plan(proposed.plan_md), read_todo(proposed.todo_md)
    assert [(each.name, each.count, str(each.price_usd)) for each in plan.parts] == [
        ("channel", 1, "10.5"),
        ("leg", 2, "3"),
    ]
    assert plan.stages == ("it drops", "it rolls to the pocket")
    assert [item.text for item in todo.items] == ["Measure", "Build", "Simulate", "Submit"]


async def test_figure_that_is_left_out_counts_as_not_estimated() -> None:
    part = {name: value for name, value in FIELDS["parts"][0].items() if name != "price_usd"}
    _, (proposed,) = await begun(call(("propose_plan", FIELDS | {"parts": [part]})))
    assert isinstance(proposed, PlanProposed)
    (planned,) = read_plan(proposed.plan_md).parts
    assert (planned.mass_g, planned.price_usd) == (85, None)


@pytest.mark.parametrize(
    ("changes", "problems"),
    [
        ({"parts": [FIELDS["parts"][0] | {"material": "gold"}]}, ["parts.0: `gold` is not a material"]),
        ({"parts": [FIELDS["parts"][0]] * 2}, ["parts.1: `channel` is named twice"]),
        ({"idea": "## Idea\n\nroll"}, ["idea: Value error, must not contain headings"]),
        ({"parts": [FIELDS["parts"][0] | {"price_usd": 900}]}, ["parts: the prices add up to 900 USD", "add the risk"]),
        ({"todo": ["Drop it (reason: no)"], "idea": "# x"}, ["todo: Value error", "idea: Value error"]),
    ],
)
def test_problems_of_a_plan_are_named_by_field(changes: dict[str, Any], problems: list[str]) -> None:
    with pytest.raises(MalformedReplyError) as error:
        planned_work(ProposePlan.model_validate(FIELDS | changes), Limits(max_unit_price_usd=100))
    assert all(problem in str(error.value) for problem in problems), error.value


async def test_missing_field_is_named() -> None:
    fields = {name: value for name, value in FIELDS.items() if name != "risks"}
    harness, (rejected,) = await begun(call(("propose_plan", fields)), PROPOSE)
    assert isinstance(rejected, ReplyRejected)
    assert "risks: Field required" in rejected.problem
    (proposed,) = await harness.consume(rejected)
    assert isinstance(proposed, PlanProposed)


async def test_searches_of_one_reply_run_in_order_and_each_is_answered() -> None:
    harness, decided = await begun(call(*[("search_catalog", {"words": word}) for word in ("motor", "screw")]), PROPOSE)
    for words in ("motor", "screw"):
        (search,) = decided
        assert isinstance(search, CatalogSearchRequested)
        assert search.words == words
        decided = await harness.consume(CatalogSearched(**answering(search, "catalog"), found=()))
    (proposed,) = decided
    assert isinstance(proposed, PlanProposed)
    answers = [each for each in harness.chat.conversations[-1] if isinstance(each, ToolMessage)]
    assert [each.tool_call_id for each in answers] == ["c0", "c1"]
    assert harness.chat.calls == 2


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (call(("search_catalog", {"words": "a"}), ("propose_plan", FIELDS)), "`propose_plan` in a reply of its own"),
        (call(*[("search_catalog", {"words": "a"})] * (MAX_SEARCHES + 1)), f"at most {MAX_SEARCHES} searches"),
        (call(("no_other_plan", {"why": "no"})), "The tool `no_other_plan` does not exist"),
    ],
)
async def test_calls_that_cannot_run_are_rejected(reply: AIMessage, problem: str) -> None:
    _, (rejected,) = await begun(reply, PROPOSE)
    assert isinstance(rejected, ReplyRejected)
    assert problem in rejected.problem


async def test_review_answers_the_call_that_proposed_the_plan() -> None:
    harness, (proposed,) = await begun(PROPOSE, PROPOSE)
    assert isinstance(proposed, Request)
    (again,) = await harness.consume(PlanRejected(**answering(proposed, "critic"), review_md="- too dear"))
    assert isinstance(again, PlanProposed)
    assert [each.type for each in harness.chat.conversations[-1]] == ["system", "human", "ai", "tool"]


async def test_refused_plan_may_end_the_run_by_a_call() -> None:
    harness, (proposed,) = await begun(PROPOSE, call(("no_other_plan", {"why": "nothing lifts it"})))
    assert isinstance(proposed, Request)
    upheld = RefusalUpheld(**deciding(proposed, "engineer", 700), review_md="- true", proof_md="[cell 1]: too heavy")
    (failed,) = await harness.consume(upheld)
    assert isinstance(failed, RunFailed)
    assert failed.reason == "refused"
    assert "nothing lifts it" in failed.detail


def test_schema_of_a_plan_is_small_enough_for_every_call() -> None:
    assert len(json.dumps(ProposePlan.model_json_schema())) < 3_500
