"""Tests of prompt templates, and the golden files of the system prompts."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from agent.loop.role import Prompts
from jinja2 import UndefinedError

from tests.agent.regenerate_prompts import current_prompts

CURRENT = current_prompts()


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    name = f"prompted_{tmp_path.name.replace('-', '_')}"
    folder = tmp_path / name / "prompts"
    folder.mkdir(parents=True)
    (tmp_path / name / "__init__.py").touch()
    (folder / "system.md.j2").write_text("Be {{ tone }}: <{{ tone }}>\n", encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    yield name
    sys.modules.pop(name, None)


def test_values_are_inserted_verbatim(package: str) -> None:
    assert Prompts(package).render("system", tone="a & b") == "Be a & b: <a & b>"


def test_missing_value_raises(package: str) -> None:
    with pytest.raises(UndefinedError, match="tone"):
        Prompts(package).render("system")


def test_values_are_not_templates(package: str) -> None:
    assert Prompts(package).render("system", tone="{{ 7 * 7 }}") == "Be {{ 7 * 7 }}: <{{ 7 * 7 }}>"


def test_digest_changes_with_every_prompt_file(package: str, tmp_path: Path) -> None:
    before = Prompts(package).digest
    assert Prompts(package).digest == before
    (tmp_path / package / "prompts" / "task.md.j2").write_text("Do it.", encoding="utf-8")
    assert Prompts(package).digest != before


@pytest.mark.parametrize("path", CURRENT, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_system_prompt_equals_its_golden_file(path: Path) -> None:
    """After a change of a prompt: `python -m tests.agent.regenerate_prompts`."""
    assert path.read_text("utf-8") == CURRENT[path]
