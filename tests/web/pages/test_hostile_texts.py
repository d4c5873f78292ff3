"""Hostile texts in every place where a model, a kernel or a user writes: on pages they stay text."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from contracts.envelope import Event, deciding
from contracts.events.conversation import JournalEntryAdded, ModelCalled
from contracts.events.design import DesignInvalidated
from contracts.events.plan import PlanProposed
from contracts.events.run import EngineeringRequested
from contracts.events.session import CellCompleted, CellRequested, FileWriteRequested
from contracts.models.design import Finding
from contracts.models.observation import CellError, Observation, Variable
from playwright.async_api import Page

from tests.contracts.examples import full_examples
from tests.support.clusters.example_run import ExampleRun, renamed_run
from tests.support.pages.hostile_markup import HOSTILE
from tests.web.pages.world import PATIENCE_MS, PagesWorld, wait_for_rows

pytestmark = pytest.mark.asyncio(loop_scope="module")

EXAMPLES = full_examples()
ALL = "\n".join(HOSTILE)
FREE = (
    "window.owned === undefined && document.getElementById('owned') === null && document.querySelector('base') === null"
)


def hostile_events(opening: EngineeringRequested) -> list[Event]:
    """Return events of the run with hostile texts in all of their texts."""
    plan, call = EXAMPLES[PlanProposed], EXAMPLES[ModelCalled]
    assert isinstance(plan, PlanProposed)
    assert isinstance(call, ModelCalled)
    reply = call.reply.model_copy(update={"text": ALL, "reasoning": (ALL,)})
    seen = Observation(
        status="error",
        output=ALL,
        error=CellError(type=HOSTILE[0], message=ALL, line=1, traceback=ALL),
        variables=tuple(Variable(name=each, type=each, summary=each, change="new") for each in HOSTILE),
    )
    finding = Finding(rule="floating", label=HOSTILE[0], detail=ALL)
    fields: Sequence[tuple[type[Event], Mapping[str, Any]]] = (
        (PlanProposed, dict(plan) | {"plan_md": ALL, "todo_md": ALL}),
        (ModelCalled, {**dict(call), "reply": reply}),
        *[(CellRequested, {"purpose": each, "code": each, "next_goal": each}) for each in HOSTILE],
        (CellCompleted, {"observation": seen}),
        (FileWriteRequested, {"path": HOSTILE[3], "text": ALL}),
        (DesignInvalidated, {"findings": (finding,), "limits": opening.assignment.limits}),
        (JournalEntryAdded, {**dict(EXAMPLES[JournalEntryAdded]), "intent": ALL, "result": ALL}),
    )
    envelope = set(Event.model_fields)
    return [
        kind(
            **deciding(opening, "engineer", step),
            **{name: each for name, each in given.items() if name not in envelope},
        )
        for step, (kind, given) in enumerate(fields)
    ]


async def test_hostile_texts_stay_texts_on_all_pages(world: PagesWorld, run: ExampleRun, page: Page) -> None:
    opening = run.events[0]
    assert isinstance(opening, EngineeringRequested)
    variant = opening.assignment.variant.model_copy(update={"title": HOSTILE[4], "description": ALL})
    assignment = opening.assignment.model_copy(update={"variant": variant})
    hostile = opening.model_copy(update={"assignment": assignment, "model": f"openai:{HOSTILE[0]}"})
    other = renamed_run([hostile])
    events = [*other.events, *hostile_events(_opening(other.events))]
    await world.record(events)
    foreign: list[str] = []
    page.on("request", lambda request: None if request.url.startswith(world.url) else foreign.append(request.url))
    await page.goto(other.path)
    await wait_for_rows(page, len(events))
    assert await page.evaluate(FREE)
    cells = await page.locator("a.row[data-type=CellRequested] .text").all_inner_texts()
    assert cells[0] == f"cell: {HOSTILE[0]}"
    for type_ in dict.fromkeys(event.type for event in events):
        await page.locator(f"a.row[data-type={type_}]").first.click()
        heading = "type => document.querySelector('#event article > h2')?.textContent.includes(type)"
        await page.wait_for_function(heading, arg=type_, timeout=PATIENCE_MS)
        assert await page.evaluate(FREE), type_
        assert await page.locator("#event :is(script, iframe, object, embed, base, style, link, svg)").count() == 0
        assert await page.locator("#event a[href^='javascript']").count() == 0
    for path in ("/pages/runs", "/pages/system", f"/pages/compare?run={other.run_id}&run={run.run_id}"):
        await page.goto(path)
        assert await page.evaluate(FREE), path
    assert foreign == []


def _opening(events: Sequence[Event]) -> EngineeringRequested:
    opening = events[0]
    assert isinstance(opening, EngineeringRequested)
    return opening
