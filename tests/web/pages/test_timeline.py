"""The timeline of a run in a browser: live, restored by its address, by keyboard."""

from typing import Any

import pytest
from gateway.http.cursors import event_cursor
from playwright.async_api import Page
from store.log import LogPosition

from tests.store.example_runs import log_entries, new_request, session_events
from tests.support.clusters.example_run import ExampleRun, new_example_run
from tests.web.pages.world import PATIENCE_MS, PagesWorld, colours_of_view, types_of_rows, wait_for_rows, wait_for_view

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_open_run_shows_each_event_as_it_comes(world: PagesWorld, page: Page) -> None:
    run = await new_example_run(world.artifacts)
    await world.record(run.events[:5])
    await world.publish(run.events[5:7])  # perhaps recorded, perhaps not
    await page.goto(run.path)
    await wait_for_rows(page, 7)
    for event in run.events[7:12]:
        await world.publish([event])
    await wait_for_rows(page, 12)
    await world.publish(run.events[12:])
    await wait_for_rows(page, len(run.events))
    assert await types_of_rows(page) == [event.type for event in run.events]
    await page.wait_for_selector("#summary .outcome.succeeded", timeout=PATIENCE_MS)
    await page.wait_for_selector(".simulation", timeout=PATIENCE_MS)


async def test_run_shows_its_world_in_3d_and_scrubs(run: ExampleRun, page: Page) -> None:
    await page.goto(run.path)
    await wait_for_view(page)
    assert await colours_of_view(page) > 50
    before = await page.evaluate("document.querySelector('.replay').viewer.picture()")
    await page.locator(".stage input[type=range]").first.focus()
    await page.keyboard.press("End")
    await page.wait_for_function("() => document.querySelector('.replay').viewer.state().time_s > 1")
    assert await page.evaluate("document.querySelector('.replay').viewer.picture()") != before


async def test_address_restores_event_simulation_time_and_part(run: ExampleRun, page: Page) -> None:
    await page.goto(run.path)
    await wait_for_view(page)
    await page.locator("a.row[data-type=DesignSimulated]").click()
    await page.wait_for_selector("#event .moments button", timeout=PATIENCE_MS)
    moment = page.locator("#event .moments button[data-part]").nth(3)
    time_s = float(await moment.get_attribute("data-time") or "")
    await page.locator("#event button[data-part^=chute]").last.click()
    await page.evaluate("time => document.querySelector('.replay').viewer.seek(time)", time_s)
    await page.wait_for_function("time => location.search.includes('time=' + time)", arg=f"{time_s:.3f}")
    address, state = page.url, await _state(page)
    await page.goto("about:blank")
    await page.goto(address)
    await wait_for_view(page)
    assert await _state(page) == state
    assert state["part"].startswith("chute")
    assert abs(state["time"] - time_s) < 1e-3
    assert await page.locator("a.row.selected").get_attribute("data-type") == "DesignSimulated"
    assert await page.locator("#event article > h2").inner_text() != ""


async def test_timeline_works_by_keyboard_alone(run: ExampleRun, page: Page) -> None:
    await page.goto(run.path)
    for _ in range(60):
        await page.keyboard.press("Tab")
        if await page.evaluate("document.activeElement.matches('a.row')"):
            break
    await page.keyboard.press("Home")
    for _ in range(2):
        await page.keyboard.press("ArrowDown")
    assert await page.locator("a.row.selected").get_attribute("data-type") == run.events[2].type
    await page.keyboard.press("End")
    await page.wait_for_function(
        "type => document.querySelector('#event article > h2')?.textContent.includes(type)",
        arg=run.events[-1].type,
        timeout=PATIENCE_MS,
    )
    assert await page.evaluate("document.activeElement.dataset.type") == run.events[-1].type


async def test_long_run_holds_few_rows_and_shows_the_chosen_one(world: PagesWorld, page: Page) -> None:
    request = new_request()
    events = [request, *session_events(request, 1200)]
    await world.log.append(log_entries(*events, first_sequence=10**9))
    cursor = event_cursor(LogPosition(10**9 + 750, events[750].id))
    await page.goto(f"/pages/runs/{request.run_id}?event={cursor}")
    await page.wait_for_function(
        """cursor => {
            const row = document.querySelector('a.row.selected');
            const box = document.getElementById('timeline').getBoundingClientRect();
            const {top} = row?.getBoundingClientRect() ?? {};
            return row?.dataset.cursor === cursor && top > box.top && top < box.bottom;
        }""",
        arg=cursor,
        timeout=PATIENCE_MS,
    )
    assert len(await types_of_rows(page)) < 600
    assert await page.evaluate("document.querySelector('a.row.selected').closest('ol').start") == 701
    await page.evaluate("document.getElementById('timeline').scrollTop = 0")
    await page.wait_for_selector("a.row[data-type=EngineeringRequested]", timeout=PATIENCE_MS)
    removed = "() => document.querySelector('a.row.selected') === null"  # the address keeps it
    await page.wait_for_function(removed, timeout=PATIENCE_MS)
    assert cursor in page.url


async def test_groups_filter_the_timeline(run: ExampleRun, page: Page) -> None:
    await page.goto(f"{run.path}?show=plan&show=cell")
    types = await types_of_rows(page)
    assert set(types) == {"PlanProposed", "PlanApproved", "CellRequested", "CellCompleted"}
    assert types == [each.type for each in run.events if each.type in set(types)]


async def test_search_finds_rows_by_their_words_and_texts(run: ExampleRun, page: Page) -> None:
    await page.goto(run.path)
    field = page.get_by_role("searchbox", name="Search in the timeline")
    await field.fill("DESIGN valid")
    await field.press("Enter")
    await page.wait_for_function("() => location.search.includes('q=')")
    types = await types_of_rows(page)
    assert "DesignValidated" in types
    assert len(types) < len(run.events)
    assert await page.locator("#live").inner_text() == f"{len(types)} found"
    await page.locator("a.row[data-type=DesignValidated]").click()
    await page.wait_for_function("() => location.search.includes('event=') && location.search.includes('q=')")
    await page.goto(f"{run.path}?q=def+build123d+xyzzy")
    assert await types_of_rows(page) == []


async def test_back_returns_to_the_former_event_and_simulation(run: ExampleRun, page: Page) -> None:
    await page.goto(run.path)
    await wait_for_view(page)
    await page.locator("a.row[data-type=EnvironmentBuilt]").click()
    await page.wait_for_function("() => location.search.includes('event=')")
    address = page.url
    world = await page.evaluate("document.querySelector('.replay').dataset.ready")
    await page.locator("a.row[data-type=DesignSimulated]").last.click()
    await page.wait_for_function("was => document.querySelector('.replay').dataset.ready !== was", arg=world)
    await page.wait_for_function("was => location.href !== was", arg=address)
    await page.go_back()
    await page.wait_for_function("was => document.querySelector('.replay').dataset.ready === was", arg=world)
    assert page.url == address
    assert await page.locator("a.row.selected").get_attribute("data-type") == "EnvironmentBuilt"


async def _state(page: Page) -> dict[str, Any]:
    return await page.evaluate(
        """() => {
            const root = document.querySelector('.replay');
            const {time_s, part} = root.viewer.state();
            return {simulation: root.dataset.ready, time: Math.round(time_s * 1000) / 1000, part};
        }"""
    )
