"""Pages of all kinds of ends: what came out is in the first line, with its pictures, findings and files."""

import io
import zipfile

import pytest
from playwright.async_api import Browser, Page

from tests.support.clusters.example_run import ExampleRun, new_example_run
from tests.web.pages.test_looks import AXE, violations
from tests.web.pages.world import PATIENCE_MS, PagesWorld, wait_for_view

pytestmark = pytest.mark.asyncio(loop_scope="module")

ENDS = {
    "failed": ("Failed: steps exhausted", {"last_submission.zip", "assembly.step", "video.mp4", "report.html"}),
    "question": ("Answer: 2.77", {"answer.json", "cells.py", "video/00.png", "report.html"}),
    "generation": ("Published: gap-1", {"benchmark.zip", "certificate.json", "review.md", "plan.md", "report.html"}),
}


async def recorded(world: PagesWorld, name: str) -> ExampleRun:
    """Return a recorded run, in the log."""
    run = await new_example_run(world.artifacts, name)
    await world.record(run.events)
    return run


async def shown(page: Page, run: ExampleRun) -> None:
    await page.goto(run.path, timeout=PATIENCE_MS)
    if await page.locator("select.simulation").count():
        await wait_for_view(page)


@pytest.mark.parametrize("name", ENDS)
async def test_end_has_a_first_line_files_and_a_zip_and_fits(world: PagesWorld, browser: Browser, name: str) -> None:
    run = await recorded(world, name)
    line, files = ENDS[name]
    context = await browser.new_context(base_url=world.url, reduced_motion="reduce")
    page = await context.new_page()
    await shown(page, run)
    assert (await page.locator(".came-out").inner_text()).startswith(line)
    assert await page.locator(".sections h3").count() >= 1
    await page.evaluate(AXE)
    assert await violations(page, 1280, "light") + await violations(page, 400, "dark") == []
    await context.close()
    listed = (await world.http.get(f"/runs/{run.run_id}/files")).raise_for_status().json()
    assert files <= {each["path"] for each in listed["files"]}
    zipped = (await world.http.get(f"/runs/{run.run_id}/files.zip")).raise_for_status().content
    with zipfile.ZipFile(io.BytesIO(zipped)) as archive:
        names = {each.partition("/")[0] for each in archive.namelist()}
    assert names == {listed["name"]}
    assert listed["name"].endswith(str(run.run_id)[:8])


async def test_refused_design_shows_its_findings_at_their_places(world: PagesWorld, page: Page) -> None:
    await shown(page, await recorded(world, "failed"))
    assert await page.locator(".mv-marker:visible").count() == 6
    await page.locator(".mv-finding").nth(0).click()
    state = await page.evaluate("document.querySelector('.replay').viewer.state()")
    assert (state["finding"], state["part"]) == (0, "mast")


@pytest.mark.parametrize(
    ("address", "name"), [("/pages/runs?kind=benchmark", "generation"), ("/pages/questions", "question")]
)
async def test_lists_lead_to_questions_and_generated_benchmarks(
    world: PagesWorld, page: Page, address: str, name: str
) -> None:
    run = await recorded(world, name)
    await page.goto(address)
    await page.locator(f'a[href="{run.path}"]').first.click()
    await page.wait_for_selector(".came-out", timeout=PATIENCE_MS)
