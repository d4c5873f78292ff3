"""Quotes by the API and the pages: a file is sent, judged by a worker, and shown with its parts."""

from collections.abc import Callable
from uuid import UUID

import pytest
from artifacts.client import Artifacts
from artifacts.port import put_json
from chassis.app import App
from contracts.envelope import answering
from contracts.events.quote import QuoteCompleted, QuoteRequested
from contracts.quotes import DrawnParts, FileQuote
from parts_catalog.methods.registry import METHODS
from store.log import EventLog

from tests.gateway.gateway_client import RunningGateway, problem_of
from tests.store.example_runs import log_entries

CUBE = b"ISO-10303-21; not really"


async def requested(gateway: RunningGateway, publisher: App, **fields: str | list[str]) -> QuoteRequested:
    """Send a file, and return the event that this published."""
    sent = {"file": ("parts/bracket.step", CUBE)}
    accepted = await gateway.client.post("/quotes", files=sent, data=fields)
    assert accepted.status_code == 202, accepted.text
    (event,) = await publisher.bus.history(UUID(accepted.json()["run_id"]))
    assert isinstance(event, QuoteRequested)
    assert accepted.headers["location"] == f"/quotes/{event.run_id}"
    return event


async def test_file_is_quoted_as_chosen(gateway: RunningGateway, publisher: App, artifacts: Artifacts) -> None:
    fields = {"method": ["cnc", "cnc"], "material": "aluminum-6061", "quantity": ["5", "50"], "tolerance": "fine"}
    event = await requested(gateway, publisher, **fields)
    assert (event.name, event.choice.methods, event.choice.quantities) == ("bracket.step", ("cnc",), (5, 50))
    assert (event.choice.materials, event.choice.tolerance_class) == (("aluminum-6061",), "fine")
    assert await artifacts.get(event.file) == CUBE


async def test_file_alone_is_quoted_by_all_methods(gateway: RunningGateway, publisher: App) -> None:
    choice = (await requested(gateway, publisher)).choice
    assert (choice.methods, choice.quantities) == (tuple(METHODS), (1, 10, 100, 1000))


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"method": "sawing"}, "method"),
        ({"material": "unobtainium"}, "unobtainium"),
        ({"quantity": "0"}, "quantity"),
        ({"tolerance": "exact"}, "tolerance"),
    ],
)
async def test_choice_that_does_not_exist_is_refused(
    gateway: RunningGateway, fields: dict[str, str], word: str
) -> None:
    refused = await gateway.client.post("/quotes", files={"file": ("a.stl", b"x")}, data=fields)
    assert word in problem_of(refused, 422)


async def test_answer_is_shown_by_api_and_page(
    gateway: RunningGateway,
    publisher: App,
    artifacts: Artifacts,
    log: EventLog,
    next_sequence: Callable[[int], int],
) -> None:
    event = await requested(gateway, publisher)
    address = f"/quotes/{event.run_id}"
    assert (await gateway.client.get(address)).raise_for_status().json()["quote"] is None
    waiting = (await gateway.client.get(f"/pages{address}")).raise_for_status()
    assert waiting.headers["refresh"] == "2"
    quote = FileQuote(file="bracket.step", verdict="unusable", problem="is <b>cut off</b>", problem_kind="truncated")
    completed = QuoteCompleted(
        **answering(event, "cad-worker"),
        verdict="unusable",
        parts=0,
        problem=quote.problem,
        quote=await put_json(artifacts, quote),
        shown=await put_json(artifacts, DrawnParts()),
    )
    await log.append(log_entries(event, completed, first_sequence=next_sequence(2)))
    shown = (await gateway.client.get(address)).raise_for_status().json()
    assert (shown["requested"]["name"], shown["quote"]["problem_kind"]) == ("bracket.step", "truncated")
    page = (await gateway.client.get(f"/pages{address}")).raise_for_status()
    assert "It is &lt;b&gt;cut off&lt;/b&gt;." in page.text
    assert page.headers["content-security-policy"].startswith("default-src 'none'; script-src 'sha256-")


async def test_run_that_is_not_a_quote_is_named(gateway: RunningGateway) -> None:
    asked = await gateway.client.post("/runs", json={"benchmark": "gravity-chute"})
    assert "is not a quote" in problem_of(await gateway.client.get(f"/quotes/{asked.json()['run_id']}"), 404)
