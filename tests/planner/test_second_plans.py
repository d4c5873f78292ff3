"""Tests of catalog searches, of plans after an upheld refusal, and of continuations."""

from typing import Any

import pytest
from agent.loop.replies import MalformedReplyError
from agent.loop.role import Prompts
from contracts.envelope import Event, answering, deciding
from contracts.events.catalog import CatalogSearched, CatalogSearchFailed, CatalogSearchRequested
from contracts.events.conversation import ReplyRejected
from contracts.events.plan import PlanProposed, PlanRefused, PlanRejected, RefusalUpheld
from contracts.events.run import EngineeringRequested, EnvironmentRequested, RunFailed
from contracts.models.benchmark import Budget, Limits
from contracts.models.catalog import CatalogFind
from contracts.models.conversation import Message
from kernel.workspace_template import TEMPLATES
from langchain_core.messages import AIMessage
from planner.replies import MAX_SEARCHES, read_plan

from tests.agent.example_plan import REPLY
from tests.agent.role_harness import RoleHarness, engineering_requested, last_prompt
from tests.contracts import example_values as values
from tests.planner.planner_harness import plan_in, planner_harness

PROOF = "172 USD at most 57: the cheapest of 5 designs.\n\nSee [cell 1]."
NO_OTHER = "## No other plan\n\nEvery machine needs the same channel."
MOTOR = CatalogFind(id="mg996r", name="servo", what="a | b", unit_price_usd=12, confidence="typical", reason="cheap")


def _search(words: str, name: str = "search_catalog", **more: object) -> AIMessage:
    call: dict[str, Any] = {"id": f"call-{words}", "name": name, "args": {"words": words, **more}}
    return AIMessage("", tool_calls=[call])


async def _begun(
    *script: str | AIMessage | Exception, **changes: Any
) -> tuple[RoleHarness, EngineeringRequested, list[Event]]:
    harness = planner_harness(script)
    request = engineering_requested(**changes)
    (world,) = await harness.consume(request)
    assert isinstance(world, EnvironmentRequested)
    return harness, request, await plan_in(harness, world)


def _upheld(run: Event, step: int) -> RefusalUpheld:
    refused = PlanRefused(
        **deciding(run, "engineer", step),
        assignment=values.ASSIGNMENT,
        environment=values.ENVIRONMENT,
        model="scripted",
        plan_md=values.PLAN,
        todo_md=values.TODO,
        proof_md=PROOF,
        evidence=(),
    )
    return RefusalUpheld(**answering(refused, "critic"), review_md="The goal is under the floor.", proof_md=PROOF)


async def test_search_result_answers_its_tool_call() -> None:
    harness, request, (requested,) = await _begun(_search("a servo"), REPLY)
    assert isinstance(requested, CatalogSearchRequested)
    assert (requested.role, requested.words, requested.quantity) == ("planner", "a servo", request.assignment.quantity)
    (proposed,) = await harness.consume(
        CatalogSearched(**answering(requested, "catalog"), found=(MOTOR,), note="one fits")
    )
    assert isinstance(proposed, PlanProposed)
    kinds = last_prompt(harness.chat)
    assert [kind for kind, _ in kinds] == ["system", "human", "ai", "tool"]
    assert "| mg996r | servo; a \\| b | 12 | cheap | typical |" in kinds[-1][1]
    assert f"one fits\n\n{MAX_SEARCHES - 1} searches are left." in kinds[-1][1]


async def test_failed_and_empty_searches_are_shown() -> None:
    harness, _, (requested,) = await _begun(_search("a"), _search("b"), REPLY)
    assert isinstance(requested, CatalogSearchRequested)
    failed = CatalogSearchFailed(**answering(requested, "catalog"), reason="too_many_queries", detail="endless")
    (again,) = await harness.consume(failed)
    assert "The search failed (too_many_queries): endless" in last_prompt(harness.chat)[-1][1]
    assert isinstance(again, CatalogSearchRequested)
    await harness.consume(CatalogSearched(**answering(again, "catalog"), found=(), note="b is not listed"))
    assert last_prompt(harness.chat)[-1][1].startswith("Nothing fits.\n\n> b is not listed")


async def test_searches_are_limited() -> None:
    searches = [_search(f"thing {number}") for number in range(MAX_SEARCHES + 1)]
    harness, _, decided = await _begun(*searches, REPLY)
    for _ in range(MAX_SEARCHES):
        (requested,) = decided
        assert isinstance(requested, CatalogSearchRequested)
        decided = await harness.consume(CatalogSearched(**answering(requested, "catalog"), found=()))
    (rejected,) = decided
    assert isinstance(rejected, ReplyRejected)
    assert f"searched {MAX_SEARCHES} times, and at most" in rejected.problem
    (proposed,) = await harness.consume(rejected)
    assert isinstance(proposed, PlanProposed)


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (_search("x", name="write_file"), "The tool `write_file` does not exist; there are `search_catalog(words)`"),
        (_search("x", limit=3), "`search_catalog` takes `words` and nothing else: limit"),
        (_search(""), "words: String should have at least 1 character"),
    ],
)
async def test_invalid_call_is_rejected(call: AIMessage, problem: str) -> None:
    _, _, (rejected,) = await _begun(call)
    assert isinstance(rejected, ReplyRejected)
    assert problem in rejected.problem


async def test_upheld_refusal_leads_to_another_plan() -> None:
    harness, request, _ = await _begun(REPLY, REPLY.replace("8 degrees", "9 degrees"))
    (again,) = await harness.consume(_upheld(request, 90))
    assert isinstance(again, PlanProposed)
    assert "9 degrees" in again.plan_md
    text = last_prompt(harness.chat)[-1][1]
    assert "proved that the plan cannot be carried out" in text
    assert "The goal is under the floor." in text


async def test_refusals_count_as_rejections() -> None:
    harness, request, (proposed,) = await _begun(REPLY, REPLY, budget=Budget(max_rejections=1))
    assert isinstance(proposed, PlanProposed)
    await harness.consume(PlanRejected(**answering(proposed, "critic"), review_md="no"))
    (failed,) = await harness.consume(_upheld(request, 90))
    assert isinstance(failed, RunFailed)
    assert failed.reason == "refused"
    assert failed.detail.startswith(
        "172 USD at most 57: the cheapest of 5 designs. See [cell 1]. The plans failed 2 times"
    )
    assert "The goal is under the floor." in failed.detail


async def test_run_without_another_plan_ends_with_the_engineers_proof() -> None:
    harness, request, _ = await _begun(REPLY, NO_OTHER)
    (failed,) = await harness.consume(_upheld(request, 90))
    assert isinstance(failed, RunFailed)
    assert failed.reason == "refused"
    assert failed.detail.startswith("172 USD at most 57: the cheapest of 5 designs.")
    assert failed.detail.endswith("The planner has no other plan: Every machine needs the same channel.")


async def test_planner_may_not_give_up_before_a_refusal() -> None:
    _, _, (rejected,) = await _begun(NO_OTHER)
    assert isinstance(rejected, ReplyRejected)
    assert "`## Idea` is missing" in rejected.problem


async def test_end_without_a_sentence_why_is_rejected() -> None:
    harness, request, _ = await _begun(REPLY, "## No other plan\n\n")
    (rejected,) = await harness.consume(_upheld(request, 90))
    assert isinstance(rejected, ReplyRejected)
    assert "why no other idea can work" in rejected.problem


async def test_refusal_of_an_older_version_ends_the_run_with_its_review() -> None:
    harness, request, _ = await _begun(REPLY, budget=Budget(max_rejections=0))
    old = _upheld(request, 90).model_copy(update={"proof_md": ""})
    (failed,) = await harness.consume(old)
    assert isinstance(failed, RunFailed)
    assert failed.detail.startswith("plans failed 1 times")


@pytest.mark.parametrize("has_risk", [True, False])
def test_plan_over_a_limit_must_name_it_as_a_risk(has_risk: bool) -> None:
    risk = "- the estimate is over the limit: 88 USD at most 1; the design may still beat it\n\n## TODO"
    text = REPLY.replace("## TODO", risk) if has_risk else REPLY
    reply, limits = Message(author="assistant", text=text), Limits(max_unit_price_usd=1)
    if has_risk:
        assert "the estimate is over the limit" in read_plan(reply, limits).plan_md
    else:
        with pytest.raises(MalformedReplyError, match="add the risk `- the estimate is over the limit"):
            read_plan(reply, limits)


async def test_continuation_is_planned_with_user_text_and_journal() -> None:
    changes = {"says": "Make it\n## Zones (mm)", "journal_md": "# Journal\n\n## J1: roll\n\n| start | 1 |\n"}
    continues = values.CONTINUATION.model_copy(update=changes)
    harness, _, (proposed,) = await _begun(REPLY, continues=continues, executor="tool_call")
    assert isinstance(proposed, PlanProposed)
    assert (proposed.continues, proposed.executor) == (continues, "tool_call")
    task = last_prompt(harness.chat)[1][1]
    assert "> Make it\n> ## Zones (mm)" in task
    assert "> ## J1: roll\n>\n> | start | 1 |" in task
    assert task.count("\n## Zones (mm)") == 1


def test_example_plan_in_the_prompt_is_valid() -> None:
    form, template = Prompts("planner").render("form"), TEMPLATES["planner"].files
    planned = read_plan(Message(author="assistant", text=form), Limits(max_unit_price_usd=100))
    assert (planned.plan_md, planned.todo_md) == (template["plan.md"], template["todo.md"])
