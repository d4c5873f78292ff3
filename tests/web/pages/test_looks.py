"""Pages at two widths and in both themes: whole, and accessible to everybody."""

from pathlib import Path
from typing import Literal

import pytest
from playwright.async_api import Browser, Page

from tests.web.pages.world import PATIENCE_MS, PagesWorld, wait_for_view

AXE = (Path(__file__).parents[1] / "axe" / "axe.min.js").read_text("utf-8")
SERIOUS = """async () => (await axe.run(document, {resultTypes: ['violations']})).violations
    .filter(each => ['serious', 'critical'].includes(each.impact))
    .map(each => each.id + ': ' + each.nodes.map(node => node.html.slice(0, 200) + node.failureSummary).join(' | '))"""
PATHS = (
    "/pages/runs",
    "/pages/new-run",
    "/pages/benchmarks",
    "/pages/benchmarks/detour?seed=3",
    "/pages/skills",
    "/pages/evaluations",
    "/pages/system",
    "/pages/sign-in",
)


async def checked(page: Page, path: str) -> list[str]:
    """Return the serious violations that axe finds; the page must not be wider than the window."""
    await page.goto(path, timeout=PATIENCE_MS)
    if "/runs/" in path and not path.endswith("/act"):
        await wait_for_view(page)
    await page.evaluate(AXE)
    width = await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width[0] <= width[1], f"{path} is {width[0]} px wide in a window of {width[1]} px"
    return [f"{path} {each}" for each in await page.evaluate(SERIOUS)]


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_pages_fit_and_have_no_serious_violation(
    world: PagesWorld, browser: Browser, width: int, scheme: Literal["light", "dark"]
) -> None:
    run = await world.recorded_run()
    cursor = await world.cursor_of(run, "DesignSimulated")
    size = {"width": width, "height": 844}
    context = await browser.new_context(base_url=world.url, viewport=size, color_scheme=scheme, bypass_csp=True)  # pyright: ignore[reportArgumentType] - a dictionary of this form
    page = await context.new_page()
    own = (f"{run.path}?event={cursor}", f"{run.path}/act", f"/pages/compare?run={run.run_id}&run={run.run_id}")
    found = [problem for path in (*PATHS, *own) for problem in await checked(page, path)]
    await context.close()
    assert found == []
