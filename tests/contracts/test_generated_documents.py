"""The generated documents are up to date and their links resolve."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from contracts.envelope import SERVICES
from contracts.publishers import may_publish
from contracts.registry import EVENTS

from tests.contracts.generated_documents import ASYNCAPI, EVENTS_MD, current_documents
from tests.contracts.schema_fields import references
from tests.contracts.service_wiring import routes

EVENTS_TEXT = EVENTS_MD.read_text("utf-8")
DOCUMENT: dict[str, Any] = json.loads(ASYNCAPI.read_text("utf-8"))


@pytest.mark.parametrize("path", [EVENTS_MD, ASYNCAPI], ids=lambda path: path.name)
def test_generated_document_is_up_to_date(path: Path):
    assert path.read_text("utf-8") == current_documents()[path], "run `python -m tests.contracts.regenerate`"


def test_every_link_resolves():
    headings = {re.sub(r"[^\w -]", "", each).lower().replace(" ", "-") for each in _headings()}
    links = re.findall(r"\]\(([^)]+)\)", EVENTS_TEXT)
    assert len(links) > 200
    anchors = {link[1:] for link in links if link.startswith("#")}
    assert anchors - headings == set()
    assert [link for link in links if not link.startswith("#") and not (EVENTS_MD.parent / link).exists()] == []


def test_headings_are_unique():
    assert len(_headings()) == len(set(_headings()))


def test_every_event_has_a_section_in_run_order():
    names = [event.__name__ for event in EVENTS]
    assert [heading for heading in _headings() if heading in names] == names


def test_asyncapi_lists_all_sent_and_received_events():
    actions = [operation["action"] for operation in DOCUMENT["operations"].values()]
    assert actions.count("send") == sum(len(may_publish(service)) for service in SERVICES)
    assert actions.count("receive") > len(routes())  # also requests served by thread, and the recorder


def test_asyncapi_references_resolve():
    schemas = DOCUMENT["components"]["schemas"]
    assert {event.__name__ for event in EVENTS} <= set(schemas)
    referred = {name for name in references(DOCUMENT["components"]) if not name.startswith("#")}
    assert referred <= set(schemas)


def _headings() -> list[str]:
    return re.findall(r"^#+ (.+)$", EVENTS_TEXT, re.MULTILINE)
