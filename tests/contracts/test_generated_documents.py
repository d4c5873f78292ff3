"""What is written of the language by machine is up to date, and leads somewhere."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from contracts.publishers import SERVICES, may_publish
from contracts.registry import EVENTS

from tests.contracts.documents import ASYNCAPI, EVENTS_MD, current_documents
from tests.contracts.fields import references
from tests.contracts.wiring import wires

EVENTS_TEXT = EVENTS_MD.read_text("utf-8")
DOCUMENT: dict[str, Any] = json.loads(ASYNCAPI.read_text("utf-8"))


@pytest.mark.parametrize("path", [EVENTS_MD, ASYNCAPI], ids=lambda path: path.name)
def test_a_document_is_as_the_code_of_today_writes_it(path: Path):
    assert path.read_text("utf-8") == current_documents()[path], "run `python -m tests.contracts.regenerate`"


def test_every_link_leads_somewhere():
    headings = {re.sub(r"[^\w -]", "", each).lower().replace(" ", "-") for each in _headings()}
    links = re.findall(r"\]\(([^)]+)\)", EVENTS_TEXT)
    assert len(links) > 200
    anchors = {link[1:] for link in links if link.startswith("#")}
    assert anchors - headings == set()
    assert [link for link in links if not link.startswith("#") and not (EVENTS_MD.parent / link).exists()] == []


def test_no_heading_stands_twice_so_that_links_are_clear():
    assert len(_headings()) == len(set(_headings()))


def test_every_event_has_a_section_in_the_order_of_a_run():
    names = [event.__name__ for event in EVENTS]
    assert [heading for heading in _headings() if heading in names] == names


def test_asyncapi_tells_what_every_service_receives_and_says():
    actions = [operation["action"] for operation in DOCUMENT["operations"].values()]
    assert actions.count("send") == sum(len(may_publish(service)) for service in SERVICES)
    assert actions.count("receive") > len(wires())  # and what is attended, and recorded


def test_asyncapi_refers_to_nothing_that_it_lacks():
    schemas = DOCUMENT["components"]["schemas"]
    assert {event.__name__ for event in EVENTS} <= set(schemas)
    referred = {name for name in references(DOCUMENT["components"]) if not name.startswith("#")}
    assert referred <= set(schemas)


def _headings() -> list[str]:
    return re.findall(r"^#+ (.+)$", EVENTS_TEXT, re.MULTILINE)
