"""A visitor of pages, with mouse or keyboard."""

from dataclasses import dataclass, field
from typing import Literal

from playwright.async_api import Locator, Page, Response

from tests.support.clusters.example_run import ExampleRun
from tests.web.pages.world import PATIENCE_MS, PagesWorld

MOST_TABS = 300
IS_FOCUSED = "element => element === document.activeElement"
FITS = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"


@dataclass
class Visitor:
    """Uses the controls of a page; `complaints` has what the browser or the gateway objects to meanwhile."""

    page: Page
    world: PagesWorld
    run: ExampleRun
    """A recorded run with an event of every kind that has controls."""
    device: Literal["mouse", "keyboard"]
    token: str
    complaints: list[str] = field(default_factory=list[str])

    def listen(self) -> None:
        """Collect complaints from now on."""
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", lambda message: self._note(message.text) if message.type == "error" else None)
        self.page.on("response", self._note_failure)

    async def open(self, path: str) -> None:
        """Open a page, which must fit into the window."""
        await self.page.goto(path, timeout=PATIENCE_MS)
        assert await self.page.evaluate(FITS), f"{path} is wider than the window"

    async def press(self, control: Locator) -> None:
        """Press a button, follow a link, or mark a box."""
        if self.device == "mouse":
            await control.click(timeout=PATIENCE_MS)
            return
        await self._reach(control)
        is_box = await control.get_attribute("type") == "checkbox"
        await self.page.keyboard.press("Space" if is_box else "Enter")

    async def fill(self, control: Locator, text: str) -> None:
        """Write into a field what it has instead of what it had."""
        if self.device == "mouse":
            await control.click(timeout=PATIENCE_MS)
        else:
            await self._reach(control)
        await self.page.keyboard.press("Control+a")
        await self.page.keyboard.type(text)

    async def choose(self, control: Locator, value: str) -> None:
        """Choose an option, by its value."""
        if self.device == "mouse":
            await control.select_option(value, timeout=PATIENCE_MS)
            return
        await self._reach(control)
        before = await control.input_value()
        values = await control.evaluate("select => [...select.options].map(each => each.value)")
        steps = values.index(value) - values.index(before)
        for _ in range(abs(steps)):
            await self.page.keyboard.press("ArrowDown" if steps > 0 else "ArrowUp")
        assert await control.input_value() == value

    async def wait_for(self, condition: str, argument: object = None) -> None:
        """Wait until a function in JavaScript is true of the page."""
        await self.page.wait_for_function(condition, arg=argument, timeout=PATIENCE_MS)

    async def wait_for_path(self, path: str) -> None:
        """Wait until the page has this address, its query aside."""
        await self.page.wait_for_url(lambda url: url.partition("?")[0].endswith(path), timeout=PATIENCE_MS)

    async def _reach(self, control: Locator) -> None:
        await control.wait_for(timeout=PATIENCE_MS)
        for _ in range(MOST_TABS):
            if await control.evaluate(IS_FOCUSED):
                return
            await self.page.keyboard.press("Tab")
        raise AssertionError(f"the key Tab does not reach {control}")

    def _note(self, text: str) -> None:
        self.complaints.append(text)

    def _note_failure(self, response: Response) -> None:
        if response.status >= 400:
            self._note(f"{response.request.method} {response.url}: {response.status}")
