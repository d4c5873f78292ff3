"""What the documents say of the code is true."""

import re
from pathlib import Path

import pytest
from contracts.registry import EVENTS, REQUESTS

from tests.architecture.repository import ROOT

ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
MOST_LINES = 150
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))
_PLACE = re.compile(r"`((?:libs|services|cli|tests|suite|perf|docs)/[^` ]*)`")
_ROW = re.compile(r"^\| (\w+) \| ([a-z-]+) \| ([\w, ]+?)(?: \(.*\))? \|$", re.MULTILINE)


def test_architecture_document_is_short():
    assert len(ARCHITECTURE.splitlines()) <= MOST_LINES


def test_every_path_in_architecture_document_exists():
    places = _PLACE.findall(ARCHITECTURE)
    assert len(places) > 10
    assert [place for place in places if not any(ROOT.glob(place.rstrip("/")))] == []


def test_table_of_requests_matches_the_registry():
    names = {request.__name__ for request in REQUESTS}
    told = {name: (owner, set(said.split(", "))) for name, owner, said in _ROW.findall(ARCHITECTURE) if name in names}
    assert told == {each.__name__: (each.owner, {one.__name__ for one in each.outcomes}) for each in REQUESTS}


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.__name__)
def test_architecture_document_mentions_every_event(event: type):
    assert re.search(rf"\b{event.__name__}\b", ARCHITECTURE)


@pytest.mark.parametrize("decision", DECISIONS, ids=lambda path: path.stem)
def test_decision_has_its_number_and_sections(decision: Path):
    text = decision.read_text("utf-8")
    number = decision.name[:4]
    assert text.startswith(f"# {number}: ")
    parts = re.findall(r"^\*\*(\w+)\.\*\*", text, re.MULTILINE)
    assert parts == ["Context", "Decision", "Consequences", "Alternatives"]


def test_decisions_are_numbered_consecutively():
    assert [path.name[:4] for path in DECISIONS] == [f"{number:04}" for number in range(1, len(DECISIONS) + 1)]
