"""Tests of what the planner looks up: estimates and files of its workspace, by tool calls and in Markdown."""

import json
from typing import Any

import pytest
from agent.loop.replies import MalformedReplyError
from artifacts.testing import FakeArtifacts
from contracts.envelope import Event, answering
from contracts.events.catalog import CatalogSearched, CatalogSearchRequested
from contracts.events.conversation import ReplyRejected, ToolAnswered
from contracts.events.plan import PlanProposed, PlanRejected
from contracts.events.run import EnvironmentRequested
from contracts.models.conversation import Message
from contracts.skills import OfferedSkill
from documents.plan import read_plan
from documents.shipped_skills import skills_of
from langchain_core.messages import AIMessage
from parts_catalog.materials import MATERIALS
from parts_catalog.parts import part
from parts_catalog.pricing.estimate import PartEstimate, estimate_part
from parts_catalog.pricing.order import Order
from parts_catalog.quantity_prices import unit_price_usd
from planner.estimates import MAX_ESTIMATES, EstimatePrice, SizedPart, estimate_markdown, read_estimate

from tests.agent.example_plan import REPLY
from tests.agent.role_harness import RoleHarness, engineering_requested, last_prompt
from tests.contracts import example_values as values
from tests.planner.planner_harness import plan_in, planner_harness
from tests.planner.test_tool_calls import PROPOSE, call

QUANTITY = values.ASSIGNMENT.quantity
POST: dict[str, Any] = {
    "name": "post",
    "count": 2,
    "method": "3d_printing",
    "material": "pla",
    "size_mm": [16, 16, 256],
}
ESTIMATE = ("estimate_price", {"parts": [POST, {"name": "servo", "method": "catalog", "material": "mg996r"}]})


async def begun(
    *script: str | AIMessage, skills: tuple[OfferedSkill, ...] = (), artifacts: FakeArtifacts | None = None
) -> tuple[RoleHarness, list[Event]]:
    """Return the planner's first decisions."""
    harness = planner_harness(script, artifacts=artifacts)
    (world,) = await harness.consume(engineering_requested())
    assert isinstance(world, EnvironmentRequested)
    return harness, await plan_in(harness, world, *skills)


def estimate_of(size_mm: tuple[float, float, float]) -> PartEstimate:
    return estimate_part(Order(material=MATERIALS["pla"], quantity=QUANTITY), "3d_printing", size_mm)


def price_of(size_mm: tuple[float, float, float]) -> float:
    return estimate_of(size_mm).unit_price_usd


def estimated(*parts: dict[str, Any]) -> str:
    estimate = EstimatePrice(parts=[SizedPart.model_validate(each) for each in parts])
    return estimate_markdown(estimate, values.ASSIGNMENT, 3)


async def test_estimate_costs_one_call_and_its_figures_reach_the_model() -> None:
    harness, (answered,) = await begun(call(ESTIMATE), PROPOSE)
    assert isinstance(answered, ToolAnswered)
    assert json.loads(answered.arguments_json)["parts"][0]["size_mm"] == [16, 16, 256]
    (proposed,) = await harness.consume(answered)
    assert isinstance(proposed, PlanProposed)
    assert harness.chat.calls == 2
    kind, answer = last_prompt(harness.chat)[-1]
    assert kind == "tool"
    price_usd, servo_usd = price_of((16, 16, 256)), unit_price_usd(part("mg996r"), QUANTITY)
    assert f"| post | 2 | 3d_printing | pla | {estimate_of((16, 16, 256)).mass_g:.4g} | {price_usd:.2f} |" in answer
    assert f"| 55 | {servo_usd:.2f} |" in answer
    assert f"Together: {2 * price_usd + servo_usd:.2f} USD of" in answer


async def test_estimates_searches_and_files_of_one_reply_run_in_order() -> None:
    search = ("search_catalog", {"words": "a servo"})
    view = ("view_file", {"path": "skills/planning/SKILL.md"})
    harness, (answered,) = await begun(call(ESTIMATE, search, view), PROPOSE)
    (requested,) = await harness.consume(answered)
    assert isinstance(requested, CatalogSearchRequested)
    (viewed,) = await harness.consume(CatalogSearched(**answering(requested, "catalog"), found=()))
    assert isinstance(viewed, ToolAnswered)
    (proposed,) = await harness.consume(viewed)
    assert isinstance(proposed, PlanProposed)
    answers = [text for kind, text in last_prompt(harness.chat) if kind == "tool"]
    assert len(answers) == 3
    assert "Together" in answers[0]
    assert "Nothing fits" in answers[1]
    assert "From positions to an idea" in answers[2]


def test_hollow_part_is_estimated_by_its_volume() -> None:
    size, volume_cm3 = [200, 60, 40], 60.0
    row = next(
        line for line in estimated({**POST, "size_mm": size, "volume_cm3": volume_cm3}).splitlines() if "post" in line
    )
    grams = float(row.split("|")[5])
    assert 0.6 * volume_cm3 * 1.24 < grams <= volume_cm3 * 1.24
    assert "12% of its box is material" in row


def test_estimate_shows_the_step_from_the_small_to_the_large_printer() -> None:
    small, large = price_of((16, 16, 256)), price_of((16, 16, 257))
    assert large > 1.5 * small
    text = estimated(POST, {**POST, "name": "longer", "size_mm": [16, 16, 257]})
    machines = [
        line.rpartition("made on the machine for ")[2][:15] for line in text.splitlines() if "machine for" in line
    ]
    assert machines[0] != machines[1]
    assert f"{large:.2f}" in text


@pytest.mark.parametrize(
    ("part_fields", "reason"),
    [
        ({"material": "gold"}, "there is no material 'gold'"),
        ({"material": "pom"}, "pom needs"),
        ({"size_mm": None}, "needs `size_mm`"),
        ({"volume_cm3": 900.0}, "a block of this size"),
        ({"method": "catalog", "material": "mg9999"}, "did you mean"),
    ],
)
def test_part_that_cannot_be_estimated_says_why_and_the_others_are(part_fields: dict[str, Any], reason: str) -> None:
    text = estimated({**POST, "name": "odd", **part_fields}, POST)
    odd, post = (next(line for line in text.splitlines() if line.startswith(f"| {name}")) for name in ("odd", "post"))
    assert "| ? | ? | not estimated: " in odd
    assert reason in odd
    assert "made on the machine" in post
    assert "Together, without 1 that could not be estimated" in text


def test_part_beyond_all_machines_says_so() -> None:
    assert "does not fit: the largest machine takes" in estimated({**POST, "size_mm": [16, 16, 4000]})


MARKDOWN = """## Estimate

| part | count | method | material | size_mm | volume_cm3 |
|:-----|------:|--------|----------|---------|-----------:|
| post | 2 | 3d_printing | pla | 16 x 16 x 256 | |
| `servo` | 1 | catalog | mg996r | | |
"""


@pytest.mark.parametrize(
    "text",
    [
        MARKDOWN,
        MARKDOWN.replace("## Estimate", "**Estimate**"),
        MARKDOWN.replace(" x ", "×"),  # noqa: RUF001 - models write it
        f"{MARKDOWN}\nThank you!",
    ],
)
async def test_estimate_in_markdown_is_answered_like_a_call(text: str) -> None:
    harness, (answered,) = await begun(text, REPLY)
    assert isinstance(answered, ToolAnswered)
    (proposed,) = await harness.consume(answered)
    assert isinstance(proposed, PlanProposed)
    kind, answer = last_prompt(harness.chat)[-1]
    assert kind == "human"
    assert f"{price_of((16, 16, 256)):.2f}" in answer


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("## Estimate\n\nthe post please", "one table with the columns"),
        ("## Estimate\n\n| post | 2 | pla |", "one table with the columns"),
        (MARKDOWN.replace("16 x 16 x 256", "16 x 16"), "parts.0.size_mm"),
        (MARKDOWN.replace("3d_printing", "casting"), "parts.0.method"),
    ],
)
def test_unclear_estimate_in_markdown_is_refused_with_the_form(text: str, problem: str) -> None:
    with pytest.raises(MalformedReplyError) as error:
        read_estimate(Message(author="assistant", text=text))
    assert problem in str(error.value)


def test_plan_is_no_estimate() -> None:
    assert read_estimate(Message(author="assistant", text=REPLY)) is None


async def test_too_many_estimates_are_refused() -> None:
    harness, decided = await begun(*[call(ESTIMATE)] * (MAX_ESTIMATES + 1), PROPOSE)
    for _ in range(MAX_ESTIMATES):
        (event,) = decided
        assert isinstance(event, ToolAnswered)
        decided = await harness.consume(event)
    (rejected,) = decided
    assert isinstance(rejected, ReplyRejected)
    assert f"{MAX_ESTIMATES} times" in rejected.problem


async def test_workspace_has_the_form_until_a_plan_was_proposed() -> None:
    view = call(("view_file", {"path": "plan.md"}))
    harness, (form,) = await begun(view, PROPOSE, view)
    assert isinstance(form, ToolAnswered)
    assert "down one channel" in form.answer_md
    (proposed,) = await harness.consume(form)
    assert isinstance(proposed, PlanProposed)
    (own,) = await harness.consume(PlanRejected(**answering(proposed, "critic"), review_md="too dear"))
    assert isinstance(own, ToolAnswered)
    assert read_plan(proposed.plan_md).idea.splitlines()[0] in own.answer_md


async def test_offered_skill_is_listed_and_its_text_shown_in_a_fence() -> None:
    artifacts = FakeArtifacts()
    text = "---\nname: long-drops\n---\n# Role: critic\n```\nlower it\n"
    ref = await artifacts.put(text.encode(), "text/markdown")
    skill = OfferedSkill(name="long-drops", description="When a drop\nis long.", version=3, skill_md=ref)
    view = call(("view_file", {"path": "skills/long-drops/SKILL.md"}))
    harness, (viewed,) = await begun(view, PROPOSE, skills=(skill,), artifacts=artifacts)
    assert isinstance(viewed, ToolAnswered)
    assert viewed.answer_md.endswith(f"~~~~text\n{text.rstrip()}\n~~~~")
    await harness.consume(viewed)
    task = last_prompt(harness.chat)[1][1]
    assert "- `long-drops` (learned, v3): When a drop is long." in task
    for shipped in skills_of("planner").values():
        assert f"- `{shipped.name}`: {shipped.description}" in task


async def test_missing_file_ends_the_calls_of_a_reply_and_lists_what_there_is() -> None:
    view = ("view_file", {"path": "../secrets"})
    harness, (missing,) = await begun(call(view, ESTIMATE), PROPOSE)
    assert isinstance(missing, ToolAnswered)
    assert missing.has_failed
    await harness.consume(missing)
    first, second = [text for kind, text in last_prompt(harness.chat) if kind == "tool"]
    assert "there are plan.md, todo.md, skills/bought-parts/SKILL.md" in first
    assert second == "Not run, because call 1 failed."
