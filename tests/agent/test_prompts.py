"""Tests of prompt templates, and the golden files of the system prompts."""

import ast
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from agent.loop.role import Prompts
from benchmark_generator.replies import PLAN_TOOLS, WORK_TOOLS
from critic.tool_calls import CRITIC_TOOLS
from jinja2 import UndefinedError
from kernel.api.drafts import author_utils
from kernel.api.reviews import reviewer_utils
from planner.tool_calls import PLANNER_TOOLS
from pydantic import BaseModel
from skill_learner.tools import TOOLS as LEARNER_TOOLS

from tests.agent.regenerate_prompts import current_prompts
from tests.support.replies.taught_code import PROMPTS, calls_of, function_of

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


TOOLS: dict[str, Sequence[type[BaseModel]]] = {
    "planner/system": PLANNER_TOOLS,
    "critic/system": CRITIC_TOOLS,
    "skill_learner/system": LEARNER_TOOLS,
    "benchmark_generator/system": (*PLAN_TOOLS, *WORK_TOOLS),
}


def calls_of_tools() -> Iterator[tuple[str, str]]:
    """Yield the calls in prompts of roles that act by tools, unless their kernels have functions of that name."""
    for name in TOOLS:
        kernel = author_utils if name.startswith("benchmark") else reviewer_utils
        in_kernel = {*kernel.__all__, "todo", "journal", "show", "recall", "build"}
        texts = [call for call in calls_of(PROMPTS[name]) if function_of(call) not in in_kernel or "learner" in name]
        yield from ((name, call) for call in texts)


@pytest.mark.parametrize(("name", "call"), list(calls_of_tools()))
def test_tool_in_a_prompt_exists_and_has_these_arguments(name: str, call: str) -> None:
    expression = ast.parse(call, mode="eval").body
    assert isinstance(expression, ast.Call)
    tool, *_ = [each for each in TOOLS[name] if each.model_config.get("title") == function_of(call)]
    assert {argument.id for argument in expression.args if isinstance(argument, ast.Name)} <= set(tool.model_fields)
    required = {field for field, each in tool.model_fields.items() if each.is_required()}
    assert len(expression.args) >= len(required)
