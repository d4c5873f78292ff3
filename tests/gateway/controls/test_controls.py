"""Every form and button of the pages does in a browser what it is for, for everybody who may use it."""

from collections.abc import AsyncIterator
from typing import Literal, NamedTuple

import httpx
import pytest
import pytest_asyncio
from gateway.http.sessions import COOKIE
from playwright.async_api import Browser

from tests.gateway.controls.conftest import OWNER
from tests.gateway.controls.template_controls import controls_of_templates
from tests.gateway.controls.visitor import Visitor
from tests.gateway.controls.walks import WALKS, Walk
from tests.support.clusters.example_run import ExampleRun
from tests.web.conftest import OTHER_MACHINE
from tests.web.pages.world import PagesWorld


class Circumstances(NamedTuple):
    """How a visitor uses the pages."""

    host: str
    is_signed_in: bool
    device: Literal["mouse", "keyboard"] = "mouse"
    width: int = 1280


WAYS = {
    "signed in": Circumstances(OTHER_MACHINE, is_signed_in=True),
    "keyboard": Circumstances(OTHER_MACHINE, is_signed_in=True, device="keyboard"),
    "signed out, narrow": Circumstances("127.0.0.1", is_signed_in=False, width=400),
}
"""Signed out: of a gateway without tokens. Towards another machine a browser does not tell which site a form is of."""
CASES = [
    pytest.param(
        way,
        each,
        id=f"{way}-{each.name}",
        marks=() if (place + walk) % len(WAYS) == 0 else pytest.mark.full,
    )
    for place, way in enumerate(WAYS)
    for walk, each in enumerate(WALKS)
]
"""In the gate each walk is walked in one way."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def session(worlds: dict[bool, PagesWorld]) -> str:
    """The cookie of an open session."""
    async with httpx.AsyncClient(base_url=worlds[True].url, trust_env=False) as client:
        response = await client.post("/pages/sign-in", data={"token": OWNER.token.get_secret_value()})
    return response.cookies[COOKIE]


@pytest_asyncio.fixture(loop_scope="module")
async def visitor(  # noqa: PLR0917 - fixtures
    way: str, made: Walk, browser: Browser, worlds: dict[bool, PagesWorld], run: ExampleRun, session: str
) -> AsyncIterator[Visitor]:
    """A visitor with a browser of their own."""
    host, is_signed_in, device, width = WAYS[way]
    world = worlds[is_signed_in or made.needs_session]
    url = world.url.replace("127.0.0.1", host)
    context = await browser.new_context(base_url=url, viewport={"width": width, "height": 700}, reduced_motion="reduce")
    if is_signed_in:
        await context.add_cookies([{"name": COOKIE, "value": session, "url": url, "sameSite": "Strict"}])
    visitor = Visitor(await context.new_page(), world, run, device, OWNER.token.get_secret_value())
    visitor.listen()
    yield visitor
    await context.close()


def test_every_control_of_the_templates_has_a_walk() -> None:
    missing = controls_of_templates() - {name for each in WALKS for name in each.controls}
    assert not missing, f"add walks to tests/gateway/controls/walks.py for: {sorted(missing)}"


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("way", "made"), CASES)
async def test_control_does_what_it_is_for(made: Walk, visitor: Visitor) -> None:
    await made.steps(visitor)
    assert visitor.complaints == []
