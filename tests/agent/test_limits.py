"""Every limit that a kernel's function can refuse by is named where models read about the function."""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType

import pytest
from contracts import cell_limits
from kernel.api import engineer_api
from kernel.api.drafts import author_utils
from kernel.api.questions.names import VisionModel
from kernel.api.reviews import film_questions, reruns, reviewer_utils
from kernel.baked import utils
from planner.estimates import MAX_PARTS, EstimatePrice
from planner.workspace import MAX_VIEWS, ViewDocument
from skill_learner.proposals.rules import MAX_ADDED, MAX_DELETED

from tests.support.replies.taught_code import PROMPTS

LEAST = 2
"""A smaller number in a condition is not a limit."""


def limits_of(function: object, seen: frozenset[object] = frozenset()) -> Iterator[int]:
    """Yield the constants of conditions under which a function, or one of this library that it calls, raises."""
    if not isinstance(function, FunctionType) or function in seen or not function.__module__.startswith("kernel.api"):
        return
    names = function.__globals__
    for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))):
        if isinstance(node, ast.If) and any(isinstance(each, ast.Raise) for each in node.body):
            found = [names.get(each.id) for each in ast.walk(node.test) if isinstance(each, ast.Name)]
            yield from (each for each in found if type(each) is int and each >= LEAST)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield from limits_of(names.get(node.func.id), seen | {function})


def names_it(text: str, limit: int) -> bool:
    return f"{limit}" in text or f"{limit:,}" in text


def functions(*modules: ModuleType) -> list[FunctionType]:
    things = [getattr(module, name) for module in modules for name in module.__all__]
    return list(dict.fromkeys(each for each in things if isinstance(each, FunctionType)))


FUNCTIONS = [*functions(utils, reviewer_utils, author_utils), engineer_api.show]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: f"{each.__module__}.{each.__name__}")
def test_limits_of_a_function_are_in_its_documentation(function: FunctionType) -> None:
    unnamed = {limit for limit in limits_of(function) if not names_it(inspect.getdoc(function) or "", limit)}
    assert unnamed == set()


def test_limits_are_found() -> None:
    assert {*limits_of(utils.simulate)} == {engineer_api.MAX_REPLICAS, engineer_api.MAX_SEED}
    assert 20 in limits_of(engineer_api.show)


@pytest.mark.parametrize(
    ("limit", "documented"),
    [
        (reruns.MAX_RERUNS, reruns.simulate),
        (film_questions.MAX_QUESTIONS, film_questions.ask_film),
        (8, VisionModel.locate),
        (16, VisionModel.ask_with_thinking),
        (MAX_PARTS, EstimatePrice),
        (MAX_VIEWS, ViewDocument),
    ],
)
def test_limits_that_the_host_keeps_are_in_the_documentation(limit: int, documented: Callable[..., object]) -> None:
    assert names_it(inspect.getdoc(documented) or "", limit)


def test_replicas_of_a_preview_and_limits_of_cells_are_in_the_engineers_prompt() -> None:
    prompt = " ".join(PROMPTS["engineer/system"].split())
    assert f"1 to {engineer_api.MAX_REPLICAS} replicas" in prompt
    assert "up to 50 values" in prompt
    numbers = [value for name, value in vars(cell_limits).items() if name.isupper()]
    assert [number for number in numbers if f" {number:g} " not in prompt] == []


def test_limits_of_a_proposal_are_in_the_learners_prompt() -> None:
    assert f"{MAX_DELETED} lines deleted and {MAX_ADDED} added" in " ".join(PROMPTS["skill_learner/system"].split())
