"""Parts of a replay in Chromium: the tree and the 3D view lead to each other, and Back returns to the former view."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page
from run_report.document import report_html

from tests.support.pages.reported_run import stored_run
from tests.web.test_report import AXE, SERIOUS, opened

pytestmark = pytest.mark.asyncio(loop_scope="module")

PICK = """(label) => { // where a click meets the part
    const viewer = millwright.viewers[0];
    const { canvas } = viewer.controls;
    viewer.resize();
    canvas.scrollIntoView({ block: "nearest" });
    const box = canvas.getBoundingClientRect();
    const isFree = (x, y) => document.elementFromPoint(box.left + x, box.top + y) === canvas;
    for (let x = 4; x < canvas.clientWidth; x += 6) {
        for (let y = 4; y < canvas.clientHeight; y += 6) {
            if (isFree(x, y) && viewer.picker.at(x, y)?.label === label) return { x, y };
        }
    }
    return null;
}"""
STATE = "() => millwright.viewers[0].state()"
PART_IS = "(label) => millwright.viewers[0].state().part === label"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a run that was really simulated."""
    stored = await asyncio.to_thread(stored_run)
    file = tmp_path_factory.mktemp("report") / "report.html"
    file.write_text(await report_html(stored.events, stored.artifacts), encoding="utf-8")
    return file


@pytest_asyncio.fixture(loop_scope="module", params=[400, 1280])
async def page(browser: Browser, report: Path, request: pytest.FixtureRequest) -> AsyncIterator[Page]:
    """It in a browser, with the tree of parts open."""
    shown, _ = await opened(browser, report, request.param)
    await shown.get_by_role("button", name="Parts", exact=True).click()
    yield shown
    await shown.context.close()


async def test_tree_and_view_select_each_other(page: Page) -> None:
    await page.get_by_role("treeitem", name="post", exact=True).locator(".mv-name").click()
    assert (await page.evaluate(STATE))["part"] == "post"
    await page.get_by_role("button", name="Parts", exact=True).click()
    place = await page.evaluate(PICK, "arm")
    await page.locator(".mv-canvas").click(position=place)
    await page.get_by_role("button", name="Parts", exact=True).click()
    chosen = page.locator("[role=treeitem][aria-selected=true]")
    assert await chosen.locator(".mv-name").inner_text() == "arm"


async def test_parts_are_hidden_and_shown_alone_by_keyboard(page: Page) -> None:
    await page.get_by_role("treeitem", name="arm", exact=True).focus()
    await page.keyboard.press("h")
    assert (await page.evaluate(STATE))["hidden_parts"] == ["arm"]
    assert await page.evaluate(PICK, "arm") is None
    await page.keyboard.press("h")
    assert await page.evaluate(PICK, "arm") is not None
    await page.keyboard.press("i")
    assert (await page.evaluate(STATE))["isolated"] == ["arm"]
    assert await page.evaluate(PICK, "post") is None
    await page.keyboard.press("Home")
    await page.keyboard.press("ArrowLeft")
    assert await page.get_by_role("treeitem", name="arm", exact=True).count() == 0
    await page.get_by_role("button", name="Show all").click()
    assert (await page.evaluate(STATE))["isolated"] is None


async def test_back_returns_to_the_former_view(page: Page) -> None:
    address, before = page.url.partition("#")[0], await page.evaluate(STATE)
    await page.get_by_role("treeitem", name="arm", exact=True).locator(".mv-name").click()
    await page.wait_for_function("() => location.hash.includes('part=arm')")
    await page.locator(".mv").focus()
    await page.keyboard.press("4")
    await page.wait_for_function("() => history.state?.key?.includes('left')")
    await page.keyboard.press("e")
    await page.wait_for_function("() => history.state?.views[0].state.exploded === 1")
    await page.go_back()
    await page.wait_for_function("() => millwright.viewers[0].state().exploded === 0")
    assert (await page.evaluate(STATE))["view"] == "left"
    await page.go_back()
    await page.wait_for_function("() => millwright.viewers[0].state().view === 'best'")
    assert (await page.evaluate(STATE))["part"] == "arm"
    await page.go_back()
    await page.wait_for_function(PART_IS, arg=before["part"])
    assert page.url.partition("#")[0] == address
    await page.go_forward()
    await page.wait_for_function(PART_IS, arg="arm")


async def test_page_with_the_tree_is_accessible(page: Page) -> None:
    await page.evaluate(AXE.read_text(encoding="utf-8"))
    assert await page.evaluate(SERIOUS) == []
