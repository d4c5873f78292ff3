"""The documents agree with the code."""

import re
from pathlib import Path

import pytest
from contracts.registry import EVENTS, REQUESTS

from tests.architecture.repository import ROOT, known_files
from tools import import_graph

ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
MAX_LINES = 200
MAX_COLUMNS = 120
WITHOUT_PAGES = {"libs", "services", "tests", "perf"}
"""Top folders whose Markdown files are data, prompts, or results of programs."""
REASONS = sorted((ROOT / "docs" / "architecture").glob("*.md"))
MAX_LINES_OF_REASONS = 100
_PATH = re.compile(r"`((?:libs|services|apps|tests|tools|perf|docs|deploy)/[^` ]*)`")
_ROW = re.compile(r"^\| (\w+) \| ([a-z-]+) \| ([\w, ]+?)(?: \(.*\))? \|$", re.MULTILINE)


PAGES = [
    path
    for path in known_files()
    if path.suffix == ".md" and path.parts[0] not in WITHOUT_PAGES and path != Path("docs/events.md")
]
"""All pages that people write; docs/events.md is generated."""
_LINK = re.compile(r"\]\((?![a-z]+:|#)([^)#]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_links_of_a_page_lead_to_files(page: Path):
    text = (ROOT / page).read_text("utf-8")
    assert [link for link in _LINK.findall(text) if not (ROOT / page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_lines_of_prose_have_at_most_120_characters(page: Path):
    assert [line for line in prose_lines((ROOT / page).read_text("utf-8")) if len(line) > MAX_COLUMNS] == []


def prose_lines(text: str) -> list[str]:
    """Return the lines outside of code blocks and tables, without the targets of links."""
    without_code = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    lines = [line for line in without_code.splitlines() if not line.lstrip().startswith("|")]
    return [re.sub(r"\]\([^)]*\)", "]", line) for line in lines]


def test_architecture_document_is_short():
    assert len(ARCHITECTURE.splitlines()) <= MAX_LINES


def test_every_path_in_architecture_document_exists():
    paths = _PATH.findall(ARCHITECTURE)
    assert len(paths) > 10
    assert [path for path in paths if not any(ROOT.glob(path.rstrip("/")))] == []


def test_table_of_requests_matches_the_registry():
    names = {request.__name__ for request in REQUESTS}
    rows = {row[0]: (row[1], set(row[2].split(", "))) for row in _ROW.findall(ARCHITECTURE) if row[0] in names}
    assert rows == {each.__name__: (each.owner, {one.__name__ for one in each.outcomes}) for each in REQUESTS}


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.__name__)
def test_architecture_document_mentions_every_event(event: type):
    assert re.search(rf"\b{event.__name__}\b", ARCHITECTURE)


@pytest.mark.parametrize("page", REASONS, ids=lambda path: path.stem)
def test_page_of_reasons_is_short_and_linked(page: Path):
    assert len(page.read_text("utf-8").splitlines()) <= MAX_LINES_OF_REASONS
    assert f"](architecture/{page.name})" in ARCHITECTURE


def test_picture_of_imports_is_that_of_the_code():
    assert import_graph.PICTURE.read_text("utf-8") == import_graph.drawn(), "run `python -m tools.import_graph`"
