"""Debian's Chromium for tests of pages and reports; they are skipped where there is none."""

import os
import shutil
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
SOFTWARE_GRAPHICS = ("--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--mute-audio")
"""A container may have neither user namespaces nor a graphics card."""
OTHER_MACHINE = "millwright.test"
"""A name of this machine that a browser takes for another one: without TLS it trusts such addresses less."""


def chromium_path() -> str | None:
    """Return the Chromium that `MILLWRIGHT_CHROMIUM` names, or the first one in PATH; None: there is none."""
    named = os.environ.get("MILLWRIGHT_CHROMIUM")
    return named or next(filter(None, map(shutil.which, NAMES)), None)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    """A browser for the tests of a module, without graphics hardware. Contexts keep them apart."""
    path = chromium_path()
    if path is None:
        pytest.skip("no Chromium: apt-get install chromium, or name one in MILLWRIGHT_CHROMIUM")
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(
            executable_path=path, args=[*SOFTWARE_GRAPHICS, f"--host-resolver-rules=MAP {OTHER_MACHINE} 127.0.0.1"]
        )
        yield chromium
        await chromium.close()
