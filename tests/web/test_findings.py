"""Findings of a design that was refused, and of one that failed, at their places in a report's 3D view."""

from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page
from run_report.document import report_html

from tests.support.clusters.example_run import FILE
from tests.support.event_logs.recorded_run import read_file
from tests.web.test_report import assert_readable_on_a_phone, opened

pytestmark = pytest.mark.asyncio(loop_scope="module")

FRAMED = """() => {
    const viewer = millwright.viewers[0];
    const entry = viewer.findings.entries[viewer.state().finding];
    const {x, y} = viewer.stage.pixel(entry.point);
    const {clientWidth, clientHeight} = viewer.controls.canvas;
    const distance = viewer.stage.camera.position.distanceTo(entry.point);
    return {x: x / clientWidth, y: y / clientHeight, isNear: distance < viewer.stage.size};
}"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a recorded run: its first design failed in the simulation, its second one was refused."""
    recorded = await read_file(FILE.with_name("failed.jsonl.gz"))
    file = tmp_path_factory.mktemp("report") / "report.html"
    file.write_text(await report_html(list(recorded.events), recorded.artifacts), encoding="utf-8")
    return file


async def finding(page: Page) -> int | None:
    """Return which finding is chosen."""
    return await page.evaluate("millwright.viewers[0].state().finding")


async def assert_framed(page: Page) -> None:
    """Assert that the chosen finding is in the middle of the picture, and near."""
    framed = await page.evaluate(FRAMED)
    assert framed["x"] == pytest.approx(0.5, abs=0.05)
    assert framed["y"] == pytest.approx(0.5, abs=0.05)
    assert framed["isNear"]


async def test_findings_are_chosen_in_the_list_and_at_their_places(browser: Browser, report: Path):
    page, foreign = await opened(browser, report)
    assert await page.locator(".mv-finding").count() == 6
    assert await page.locator(".mv-marker:visible").count() == 6
    await page.locator(".mv-finding").nth(2).click()
    assert await finding(page) == 2
    assert await page.evaluate("millwright.viewers[0].state().part") == "chute-2-floor"
    await assert_framed(page)
    await page.evaluate("millwright.viewers[0].look('best')")
    await page.locator(".mv-marker").nth(0).dispatch_event("click")
    assert await page.locator(".mv-finding[aria-pressed=true]").inner_text() == (
        await page.locator(".mv-finding").nth(0).inner_text()
    )
    await assert_framed(page)
    await page.locator(".viewer").press("v")
    assert await finding(page) == 1
    await page.get_by_role("button", name="Findings (6)").click()
    assert await page.locator(".mv-marker:visible, .mv-finding:visible").count() == 0
    assert foreign == []
    await page.context.close()


async def test_findings_of_a_simulation_go_to_their_times(browser: Browser, report: Path):
    page, _ = await opened(browser, report)
    choice = page.locator("select[data-choice]")
    failed = await choice.locator("option", has_text="design 1").get_attribute("value")
    await choice.select_option(failed)
    await page.wait_for_function("id => millwright.viewers[0].simulation === id", arg=failed)
    first = page.locator(".mv-finding").first
    await first.click()
    time_s = await page.evaluate("millwright.viewers[0].state().time_s")
    assert f"{time_s:.2f} s" in await first.inner_text()
    assert "of 8 replicas" in await page.locator(".mv-finding").last.inner_text()
    await page.context.close()


async def test_finding_without_a_place_is_listed_only(browser: Browser, report: Path):
    page, _ = await opened(browser, report)
    await page.evaluate(
        """async () => {
            const root = document.querySelector('.viewer');
            const scene = millwright.viewers[0].world.scene;
            millwright.viewers[0].dispose();
            const findings = [{title: 'over price', text: 'it costs too much', severity: 'error', place_mm: null}];
            millwright.viewers[0] = await MillwrightViewer.createViewer(root, {scene, findings});
        }"""
    )
    assert await page.locator(".mv-finding").count() == 1
    assert await page.locator(".mv-marker").count() == 0
    await page.locator(".mv-finding").click()
    assert await finding(page) == 0
    await page.context.close()


async def test_report_with_findings_is_accessible_and_fits_a_phone(browser: Browser, report: Path):
    await assert_readable_on_a_phone(browser, report)
