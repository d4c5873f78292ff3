"""The documentation as a site: every page is reached, every link leads somewhere, blocks and commands are known."""

import logging
import re
from pathlib import Path

import pytest
import yaml
from mkdocs.commands.build import build
from mkdocs.config import load_config  # pyright: ignore[reportUnknownVariableType] - partly typed

from tests.architecture.repository import ROOT

Entry = str | dict[str, "Entry"] | list["Entry"]
"""Of the navigation."""
WRITTEN = {"index.md", "troubleshooting.md", "findings.md"}
"""By tools/docs_site.py."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The site, and the warnings of its build."""
    folder, warnings = tmp_path_factory.mktemp("site"), list[str]()
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: warnings.append(record.getMessage())
    logger = logging.getLogger("mkdocs")
    logger.addHandler(handler)
    build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(folder)))
    logger.removeHandler(handler)
    return folder, warnings


def test_build_has_no_warning(site: tuple[Path, list[str]]) -> None:
    assert site[1] == []


def test_every_page_is_in_the_navigation() -> None:
    shown = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
    pages = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")} | WRITTEN
    assert pages == set(_leaves(yaml.safe_load(shown)))


def test_page_of_messages_has_those_of_doctor(site: tuple[Path, list[str]]) -> None:
    text = (site[0] / "troubleshooting/index.html").read_text("utf-8")
    assert "cannot be reached" in text
    assert "make the temporary folder writable" in text


def test_reference_has_the_calls_of_the_package(site: tuple[Path, list[str]]) -> None:
    text = (site[0] / "reference/index.html").read_text("utf-8")
    assert "Return the verdict on a design" in text
    assert "DesignEnvironment" in text


def test_links_to_files_outside_the_site_are_text(site: tuple[Path, list[str]]) -> None:
    text = (site[0] / "index.html").read_text("utf-8")
    outside = re.findall(r"\]\((perf/[^)]+)\)", (ROOT / "README.md").read_text("utf-8"))
    assert outside
    assert [link for link in outside if f"<code>{link}</code>" not in text] == []
    assert 'href="perf/' not in text


def _leaves(entry: Entry) -> list[str]:
    if isinstance(entry, str):
        return [entry]
    return [leaf for value in (entry.values() if isinstance(entry, dict) else entry) for leaf in _leaves(value)]
