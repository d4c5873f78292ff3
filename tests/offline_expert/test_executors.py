"""The expert engineer under each executor: the same designs, said by cells, by tool calls or in one script."""

import ast
import json
import re
from collections.abc import Mapping, Sequence

import pytest
from agent.rendering.assignment import assignment_markdown
from benchmarks.loader import load
from contracts.models.benchmark import Solid
from contracts.models.geometry import Box
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from offline_expert.drives.machine import GEARED, Proportions
from offline_expert.drives.motor_choice import LEAST_N_M, SoldMotor, motor_among
from offline_expert.engineer import decide

from tests.contracts import example_values as values
from tests.offline_expert.problems import facts, printed
from tests.suite.worlds import DRIVEN, FAMILIES

SOLVED = {"verdict": "solved", "ending": "reached_goal", "time_s": 2.0, "max_speed_m_s": 1.0, "success_rate": 1.0}
MISSED = {**SOLVED, "verdict": "failed", "ending": "missed_goal", "closest_goal_mm": 9.0, "final_mm": [0, 0, 5.0]}


def by_cells(family: str, *more: str) -> AIMessage:
    """Return the reply to the facts, and to what is told after them."""
    messages: list[BaseMessage] = [SystemMessage("# Role: engineer\n\nRules."), HumanMessage("# Assignment")]
    for told in (printed(family, 1), *more):
        messages += [decide(messages), HumanMessage(told)]
    return decide(messages)


def script_of(reply: AIMessage) -> str:
    """Return the script that a reply writes."""
    (call,) = reply.tool_calls
    assert (call["name"], call["args"]["path"]) == ("write_file", "script.py")
    return call["args"]["text"]


class Calling:
    """A conversation in which the expert can only call tools."""

    def __init__(self) -> None:
        self.messages: list[BaseMessage] = [
            SystemMessage("# Role: engineer\nExecutor: tool_call\n\nRules."),
            HumanMessage("# Assignment"),
        ]

    def hear(self) -> tuple[str, AIMessage]:
        """Return the name of the next call, and the reply."""
        reply = decide(self.messages)
        self.messages.append(reply)
        (call,) = reply.tool_calls
        return call["name"], reply

    def tell(self, text: str) -> tuple[str, AIMessage]:
        """Answer the call and return the next one."""
        said = self.messages[-1]
        assert isinstance(said, AIMessage)
        self.messages.append(ToolMessage(text, tool_call_id=said.tool_calls[0]["id"]))
        return self.hear()

    def seen(self, seen: Mapping[str, object]) -> tuple[str, AIMessage]:
        """Answer a simulation."""
        return self.tell(f"# Observation of cell 2, simulation 1\n\n```text\nseen: {json.dumps(seen)}\n```")


@pytest.mark.parametrize("family", [*FAMILIES, *DRIVEN])
def test_by_tool_calls_it_measures_writes_simulates_and_submits(family: str) -> None:
    talk = Calling()
    name, reply = talk.hear()
    assert (name, reply.tool_calls[0]["args"]) == ("query", {"measure": "world"})
    world = json.dumps(facts(family, 1))
    name, reply = talk.tell(f"# Observation of cell 1\n\n### Output\n```text\nworld: {world}\n```")
    first = script_of(reply)
    assert talk.tell("`script.py` is written (9 bytes).")[0] == "simulate"
    name, reply = talk.seen(MISSED)
    assert script_of(reply) != first
    assert talk.tell("`script.py` is written (9 bytes).")[0] == "simulate"
    assert talk.seen(SOLVED)[0] == "submit_for_review"
    assert len({each.tool_calls[0]["id"] for each in talk.messages if isinstance(each, AIMessage)}) == 6


@pytest.mark.parametrize("family", FAMILIES)
def test_in_one_script_it_says_what_its_cells_would_have_written(family: str) -> None:
    reply = alone(family)
    titles = re.findall(r"^## (.+)$", reply.text, re.MULTILINE)
    assert titles == ["Reasoning", "Script"]
    text = reply.text.partition("```python\n")[2].removesuffix("```")
    assert text == script_of(by_cells(family))


@pytest.mark.parametrize("family", DRIVEN)
def test_in_one_script_it_takes_the_motor_that_it_knows_by_heart(family: str) -> None:
    text = alone(family).text
    assert f'catalog_part("{GEARED.id}")' in text
    assert "known by heart" in text


def test_in_one_script_it_says_why_there_is_none() -> None:
    reply = alone("detour", shape="cube")
    (statement,) = ast.parse(reply.text.partition("```python\n")[2].removesuffix("```")).body
    assert isinstance(statement, ast.Raise)
    assert "The payload is no ball" in reply.text


def alone(family: str, shape: str = "ball") -> AIMessage:
    """Return the only reply to the whole task."""
    variant = load(family, 1).variant
    if family not in DRIVEN:
        variant = variant.model_copy(update={"payload": variant.payload.model_copy(update={"shape": shape})})
    solids = tuple(
        Solid(label=f"solid-{number}", box=Box.model_validate({"min_mm": low, "max_mm": high}))
        for number, (low, high) in enumerate(facts(family, 1)["solids"])
    )
    assignment = values.ASSIGNMENT.model_copy(update={"variant": variant})
    environment = values.ENVIRONMENT.model_copy(update={"solids": solids})
    task = f"# Assignment\n\n{assignment_markdown(assignment, environment)}\n\n## Plan\n\nRoll."
    return decide([SystemMessage("# Role: engineer\nExecutor: single_pass\n"), HumanMessage(task)])


def motor(name: str, usd: float, size_mm: Sequence[float] = (25.0, 25.0, 60.0), **more: str | float) -> SoldMotor:
    """Return a motor that fits, but for what is said otherwise."""
    fields = {
        "control": "position_or_velocity",
        "continuous_torque_n_m": 0.5,
        "no_load_speed_rad_s": 25.0,
        "mass_g": 99,
    }
    return SoldMotor(id=name, size_mm=size_mm, unit_price_usd=usd, **{**fields, **more})  # pyright: ignore[reportArgumentType] - of these types


FOUND = [
    motor("no-sensor", 5, control="velocity"),
    motor("weak", 6, continuous_torque_n_m=LEAST_N_M - 0.01),
    motor("slow", 7, no_load_speed_rad_s=19.0),
    motor("flat", 8, (25.0, 20.0, 60.0)),
    motor("thick", 9, (37.0, 37.0, 70.0)),
    motor("dear", 30),
    motor("right", 20),
]


def test_of_what_was_found_the_cheapest_that_fits_is_taken() -> None:
    chosen = motor_among(FOUND, Proportions())
    assert chosen is not None
    assert (chosen.id, chosen.radius_mm, chosen.length_mm, chosen.mass_kg) == ("right", 12.5, 60.0, 0.099)
    assert motor_among(FOUND[:5], Proportions()) is None


@pytest.mark.parametrize("family", DRIVEN)
def test_by_cells_it_searches_the_catalog_in_words_before_it_builds(family: str) -> None:
    search = by_cells(family)
    assert "catalog.search(" in search.text
    assert "12 V gear motor" in search.text
    ast.parse(search.text.partition("```python\n")[2].rpartition("\n```")[0])
    told = f"# Observation\n\n<<<MOTORS {json.dumps({'motors': FOUND})} MOTORS>>>"
    reply = by_cells(family, told)
    assert 'catalog_part("right")' in script_of(reply)
    assert "the catalog's search found" in reply.text
    assert f'catalog_part("{GEARED.id}")' in script_of(by_cells(family, "# Observation\n\nno such catalog"))
