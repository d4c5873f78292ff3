"""Pages at two widths and in both themes: whole, and accessible to everybody."""

from pathlib import Path
from typing import Literal

import pytest
from playwright.async_api import Browser, Page

from tests.support.clusters.example_run import ExampleRun
from tests.web.pages.world import PATIENCE_MS, PagesWorld, wait_for_view

pytestmark = pytest.mark.asyncio(loop_scope="module")

AXE = (Path(__file__).parents[1] / "axe" / "axe.min.js").read_text("utf-8")
SERIOUS = """async () => (await axe.run(document, {resultTypes: ['violations']})).violations
    .filter(each => ['serious', 'critical'].includes(each.impact))
    .map(each => each.id + ': ' + each.nodes.map(node => node.html.slice(0, 200) + node.failureSummary).join(' | '))"""
NEXT_FRAME = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
PATHS = (
    "/pages/runs",
    "/pages/new-run",
    "/pages/own-benchmark",
    "/pages/ask",
    "/pages/benchmarks",
    "/pages/benchmarks/detour?seed=3",
    "/pages/skills",
    "/pages/evaluations",
    "/pages/system",
    "/pages/sign-in",
)
LOOKS: tuple[tuple[int, Literal["light", "dark"]], ...] = (
    (1280, "light"),
    (1280, "dark"),
    (390, "dark"),
    (390, "light"),
)


async def opened(page: Page, path: str) -> None:
    """Open a page, whole."""
    await page.goto(path, timeout=PATIENCE_MS)
    if "/runs/" in path and not path.endswith("/act"):
        await wait_for_view(page)
    await page.evaluate(AXE)


async def violations(page: Page, width: int, scheme: Literal["light", "dark"]) -> list[str]:
    """Return what is wrong at a width, in a theme: the page is wider than the window, or axe finds it serious."""
    await page.set_viewport_size({"width": width, "height": 700})
    await page.emulate_media(color_scheme=scheme)
    place = f"{page.url}, {scheme}, {width} px:"
    await page.evaluate(NEXT_FRAME)  # scripts are notified of another theme before it
    whole = await page.evaluate("document.documentElement.scrollWidth")
    wide = [] if whole <= width else [f"{place} it is {whole} px wide"]
    return wide + [f"{place} {each}" for each in await page.evaluate(SERIOUS)]


async def test_pages_fit_and_have_no_serious_violation(world: PagesWorld, run: ExampleRun, browser: Browser) -> None:
    cursor = await world.cursor_of(run, "DesignSimulated")
    context = await browser.new_context(base_url=world.url, bypass_csp=True, reduced_motion="reduce")
    page = await context.new_page()
    own = (f"{run.path}?event={cursor}", f"{run.path}/act", f"/pages/compare?run={run.run_id}&run={run.run_id}")
    found: list[str] = []
    for path in (*PATHS, *own):
        await opened(page, path)
        for width, scheme in LOOKS:
            found += await violations(page, width, scheme)
    await context.close()
    assert found == [], "\n".join(found)
