"""A report in Chromium: it opens from disk with the network blocked, and its replay can be used."""

import asyncio
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page
from run_report.document import report_html

from tests.support.pages.hostile_markup import HOSTILE
from tests.support.pages.reported_run import StoredRun, repeated_with, stored_run, titled, with_texts

pytestmark = pytest.mark.asyncio(loop_scope="module")

AXE = Path(__file__).parent / "axe" / "axe.min.js"
SERIOUS = "axe.run().then(found => found.violations.filter(each => ['serious', 'critical'].includes(each.impact)))"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stored() -> StoredRun:
    """A run that was really simulated."""
    return await asyncio.to_thread(stored_run)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def report(stored: StoredRun, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its report."""
    file = tmp_path_factory.mktemp("report") / "report.html"
    file.write_text(await report_html(stored.events, stored.artifacts), encoding="utf-8")
    return file


async def assert_readable_on_a_phone(browser: Browser, report: Path) -> None:
    """Assert that a report fits the width of a phone and is accessible."""
    page, _ = await opened(browser, report, width=390)
    assert await page.evaluate("document.documentElement.scrollWidth") <= 390
    await page.evaluate(AXE.read_text(encoding="utf-8"))
    assert await page.evaluate(SERIOUS) == []
    await page.context.close()


async def opened(browser: Browser, file: Path, width: int = 1280) -> tuple[Page, list[str]]:
    """Return a page with a report, opened from disk without a network, and what it requested of others."""
    context = await browser.new_context(offline=True, viewport={"width": width, "height": 600})
    page = await context.new_page()
    foreign: list[str] = []
    is_own = ("file:", "data:")
    page.on("request", lambda request: None if request.url.startswith(is_own) else foreign.append(request.url))
    await page.goto(file.as_uri())
    await page.wait_for_selector("body[data-ready=yes]", timeout=120_000)
    return page, foreign


async def test_report_opens_offline_scrubs_and_selects(browser: Browser, report: Path):
    page, foreign = await opened(browser, report)
    first = await page.evaluate("millwright.viewers[0].picture()")
    later = await page.evaluate("(millwright.viewers[0].seek(1.6), millwright.viewers[0].picture())")
    assert first != later
    assert len(first) > 10_000  # a blank canvas compresses to less
    await page.click("button[data-select=arm]")
    assert await page.evaluate("millwright.viewers[0].state().part") == "arm"
    assert await page.locator("#code .line.chosen").count() == 1
    assert foreign == []
    await page.context.close()


async def test_hostile_report_runs_and_loads_nothing(browser: Browser, stored: StoredRun, tmp_path: Path):
    events = titled(repeated_with(with_texts(stored.events, HOSTILE), HOSTILE), HOSTILE[0])
    file = tmp_path / "report.html"
    file.write_text(await report_html(events, stored.artifacts), encoding="utf-8")
    page, foreign = await opened(browser, file)
    assert await page.evaluate("window.owned") is None
    assert await page.locator("#owned").count() == 0
    assert foreign == []
    await page.context.close()


async def test_report_is_accessible_and_fits_a_phone(browser: Browser, report: Path):
    await assert_readable_on_a_phone(browser, report)
