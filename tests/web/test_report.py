"""A report in Chromium: it opens from disk with the network blocked, and its replay can be used."""

import asyncio
from pathlib import Path

from playwright.async_api import Browser, Page
from run_report.document import report_html

from tests.support.pages.hostile_markup import HOSTILE
from tests.support.pages.reported_run import repeated_with, stored_run, titled, with_texts

AXE = Path(__file__).parent / "axe" / "axe.min.js"
SERIOUS = "axe.run().then(found => found.violations.filter(each => ['serious', 'critical'].includes(each.impact)))"


async def opened(browser: Browser, folder: Path, *, is_hostile: bool = False, width: int = 1280) -> Page:
    """Return a page with the report of the example run, opened from disk without a network."""
    run = await asyncio.to_thread(stored_run)
    events = run.events
    if is_hostile:
        events = titled(repeated_with(with_texts(events, HOSTILE), HOSTILE), HOSTILE[0])
    file = folder / "report.html"
    file.write_text(await report_html(events, run.artifacts), encoding="utf-8")
    context = await browser.new_context(offline=True, viewport={"width": width, "height": 800})
    page = await context.new_page()
    page.requested = []  # type: ignore[attr-defined]
    page.on("request", lambda request: page.requested.append(request.url))  # type: ignore[attr-defined]
    await page.goto(file.as_uri())
    await page.wait_for_selector("body[data-ready=yes]", timeout=120_000)
    return page


async def test_report_opens_offline_scrubs_and_selects(browser: Browser, tmp_path: Path):
    page = await opened(browser, tmp_path)
    first = await page.evaluate("millwright.viewers[0].picture()")
    later = await page.evaluate("(millwright.viewers[0].seek(1.6), millwright.viewers[0].picture())")
    assert first != later
    assert len(first) > 10_000  # a blank canvas compresses to less
    await page.click("button[data-select=arm]")
    assert await page.evaluate("millwright.viewers[0].state().part") == "arm"
    assert await page.locator("#code .line.chosen").count() == 1
    requested = [url for url in page.requested if not url.startswith(("file:", "data:"))]  # type: ignore[attr-defined]
    assert requested == []


async def test_hostile_report_runs_and_loads_nothing(browser: Browser, tmp_path: Path):
    page = await opened(browser, tmp_path, is_hostile=True)
    assert await page.evaluate("window.owned") is None
    assert await page.locator("#owned").count() == 0
    requested = [url for url in page.requested if not url.startswith(("file:", "data:"))]  # type: ignore[attr-defined]
    assert requested == []


async def test_report_is_accessible_and_fits_a_phone(browser: Browser, tmp_path: Path):
    page = await opened(browser, tmp_path, width=390)
    assert await page.evaluate("document.documentElement.scrollWidth") <= 390
    await page.evaluate(AXE.read_text(encoding="utf-8"))
    assert await page.evaluate(SERIOUS) == []
