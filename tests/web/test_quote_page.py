"""The page of a quote in Chromium: it opens from disk offline, marks its places, and is accessible."""

import asyncio
from pathlib import Path

import pytest
from cad_worker.job_protocol import FileQuoteRequest, FileQuoteResult
from cad_worker.jobs.part_file import quote_file
from contracts.quotes import QuoteChoice, QuoteReport, worst_of
from playwright.async_api import Browser
from run_report.quotes.page import report_page

pytestmark = pytest.mark.asyncio(loop_scope="module")

CORPUS = Path(__file__).parents[1] / "cli" / "quotes" / "corpus" / "step"
FILES = ("bracket_assembly_nested.step", "fins_0.35.step", "bracket_open_shell.step")
AXE = Path(__file__).parent / "axe" / "axe.min.js"
SERIOUS = "axe.run().then(found => found.violations.filter(each => ['serious', 'critical'].includes(each.impact)))"
CHOICE = QuoteChoice(methods=("cnc", "3d_printing", "injection_molding"), quantities=(1, 1000))


def result_of(name: str) -> FileQuoteResult:
    data = (CORPUS / name).read_bytes()
    return quote_file(FileQuoteRequest(file=name, name=name, choice=CHOICE, data=data, has_view=True))


async def test_page_shows_parts_with_marks_offline_and_is_accessible(browser: Browser, tmp_path: Path) -> None:
    results = await asyncio.to_thread(lambda: [result_of(name) for name in FILES])
    quotes = tuple(result.quote for result in results)
    report = QuoteReport(choice=CHOICE, files=quotes, verdict=worst_of(quote.verdict for quote in quotes))
    file = tmp_path / "quote.html"
    file.write_text(report_page(report, [result.shown for result in results]), encoding="utf-8")
    context = await browser.new_context(offline=True, viewport={"width": 1280, "height": 900})
    page = await context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    await page.goto(file.as_uri())
    await page.wait_for_selector("body[data-ready=true]", timeout=120_000)
    await page.click("section [data-go='2']")
    await page.click("button[data-open='1']")
    await page.wait_for_selector("[data-viewer='1'] canvas")
    assert await page.locator("canvas").count() == 1, "one view at a time"
    await page.evaluate(AXE.read_text("utf-8"))
    assert await page.evaluate(SERIOUS) == []
    assert errors == []
    await context.close()
