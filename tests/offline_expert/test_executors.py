"""The expert engineer with each executor: the same designs by cells, tool calls or a single script."""

import ast
import json
import re
from collections.abc import Mapping, Sequence

import pytest
from agent.rendering.assignment import assignment_markdown
from benchmarks.loader import load
from contracts.models.benchmark import GoalRule, Solid, Zone
from contracts.models.geometry import Box
from documents.todo import check_change, read_todo
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from offline_expert.drives.machine import DEFAULT_MOTOR, DriveProportions, FoundMotor
from offline_expert.drives.selection import MIN_TORQUE_N_M, choose_motor
from offline_expert.engineer.policy import decide
from offline_expert.task_facts import facts_of

from tests.contracts import example_values as values
from tests.suite.worlds import DRIVEN, FAMILIES
from tests.support.routing_problems import facts, facts_observation

SOLVED = {"verdict": "solved", "ending": "reached_goal", "time_s": 2.0, "max_speed_m_s": 1.0, "success_rate": 1.0}
MISSED = {**SOLVED, "verdict": "failed", "ending": "missed_goal", "closest_goal_mm": 9.0, "final_mm": [0, 0, 5.0]}


def by_cells(family: str, *more: str) -> AIMessage:
    """Return the reply of the `code` executor to the facts and further observations."""
    messages: list[BaseMessage] = [SystemMessage("# Role: engineer\n\nRules."), HumanMessage("# Assignment")]
    for observation in (facts_observation(family, 1), *more):
        messages += [decide(messages), HumanMessage(observation)]
    return decide(messages)


def script_of(reply: AIMessage) -> str:
    """Return the script that a reply writes."""
    (call,) = reply.tool_calls
    assert (call["name"], call["args"]["path"]) == ("write_file", "script.py")
    return call["args"]["text"]


class ToolConversation:
    """A conversation with the `tool_call` executor."""

    def __init__(self) -> None:
        self.messages: list[BaseMessage] = [
            SystemMessage("# Role: engineer\nExecutor: tool_call\n\nRules."),
            HumanMessage("# Assignment"),
        ]

    def next_call(self) -> tuple[str, AIMessage]:
        """Return the name of the next call, and the reply."""
        reply = decide(self.messages)
        self.messages.append(reply)
        (call,) = reply.tool_calls
        return call["name"], reply

    def answer(self, text: str) -> tuple[str, AIMessage]:
        """Add the result of the last call and return the next one."""
        reply = self.messages[-1]
        assert isinstance(reply, AIMessage)
        self.messages.append(ToolMessage(text, tool_call_id=reply.tool_calls[0]["id"]))
        return self.next_call()

    def answer_simulation(self, result: Mapping[str, object]) -> tuple[str, AIMessage]:
        """Add the result of a simulation and return the next call."""
        return self.answer(f"# Observation of cell 2, simulation 1\n\n```text\nseen: {json.dumps(result)}\n```")


@pytest.mark.parametrize("family", [*FAMILIES, *DRIVEN])
def test_tool_calls_measure_write_simulate_and_submit(family: str) -> None:
    conversation = ToolConversation()
    name, reply = conversation.next_call()
    assert (name, reply.tool_calls[0]["args"]) == ("query", {"measure": "world"})
    world = json.dumps(facts(family, 1))
    name, reply = conversation.answer(f"# Observation of cell 1\n\n### Output\n```text\nworld: {world}\n```")
    first = script_of(reply)
    assert conversation.answer("`script.py` is written (9 bytes).")[0] == "simulate"
    name, reply = conversation.answer_simulation(MISSED)
    assert script_of(reply) != first
    assert conversation.answer("`script.py` is written (9 bytes).")[0] == "simulate"
    assert conversation.answer_simulation(SOLVED)[0] == "submit_for_review"
    assert len({each.tool_calls[0]["id"] for each in conversation.messages if isinstance(each, AIMessage)}) == 6


@pytest.mark.parametrize("family", FAMILIES)
def test_single_script_equals_script_of_cells(family: str) -> None:
    reply = single_pass(family)
    titles = re.findall(r"^## (.+)$", reply.text, re.MULTILINE)
    assert titles == ["Reasoning", "Script"]
    text = reply.text.partition("```python\n")[2].removesuffix("```")
    assert text == script_of(by_cells(family))


@pytest.mark.parametrize("family", DRIVEN)
def test_single_script_uses_default_motor(family: str) -> None:
    assert f'catalog_part("{DEFAULT_MOTOR.id}")' in single_pass(family).text


def test_single_script_raises_reason_of_refusal() -> None:
    reply = single_pass("lift-to-shelf", shape="cube")
    (statement,) = ast.parse(reply.text.partition("```python\n")[2].removesuffix("```")).body
    assert isinstance(statement, ast.Raise)
    assert re.search(r"This expert found no machine that fits.* not a ball", reply.text)


@pytest.mark.parametrize("rule", ["touch", "inside", "at_rest"])
def test_task_states_goal_rule_hold_and_whom_zones_bind(rule: GoalRule) -> None:
    zones = tuple(
        Zone(label=bound, box=values.VARIANT.goal_zone, binds=bound) for bound in ("both", "parts", "payload", "parts")
    )
    variant = values.VARIANT.model_copy(update={"goal_rule": rule, "hold_s": 0.0, "forbid_zones": zones})
    assignment = values.ASSIGNMENT.model_copy(update={"variant": variant})
    known = facts_of(assignment_markdown(assignment, values.ENVIRONMENT))
    assert (known.get("goal_rule"), known.get("hold_s")) == (rule, 0.0)
    assert (len(known["forbids"]), len(known.get("payload_forbids", ()))) == (3, 2)
    assert known.get("friction") == variant.payload.friction


def single_pass(family: str, shape: str = "ball") -> AIMessage:
    """Return the reply of the `single_pass` executor."""
    variant = load(family, 1).variant
    if shape != "ball" or family not in DRIVEN:
        variant = variant.model_copy(update={"payload": variant.payload.model_copy(update={"shape": shape})})
    solids = tuple(
        Solid(label=f"solid-{number}", box=Box.model_validate({"min_mm": low, "max_mm": high}))
        for number, (low, high) in enumerate(facts(family, 1)["solids"])
    )
    assignment = values.ASSIGNMENT.model_copy(update={"variant": variant})
    environment = values.ENVIRONMENT.model_copy(update={"solids": solids})
    task = f"# Assignment\n\n{assignment_markdown(assignment, environment)}\n\n## Plan\n\nRoll."
    return decide([SystemMessage("# Role: engineer\nExecutor: single_pass\n"), HumanMessage(task)])


def motor(name: str, usd: float, size_mm: Sequence[float] = (25.0, 25.0, 60.0), **more: str | float) -> FoundMotor:
    """Return a motor that is suitable except for the given fields."""
    fields = {
        "control": "position_or_velocity",
        "continuous_torque_n_m": 0.5,
        "no_load_speed_rad_s": 25.0,
        "mass_g": 99,
    }
    return FoundMotor(id=name, size_mm=size_mm, unit_price_usd=usd, **{**fields, **more})  # pyright: ignore[reportArgumentType] - of these types


FOUND = [
    motor("no-sensor", 5, control="velocity"),
    motor("weak", 6, continuous_torque_n_m=MIN_TORQUE_N_M - 0.01),
    motor("slow", 7, no_load_speed_rad_s=19.0),
    motor("flat", 8, (25.0, 20.0, 60.0)),
    motor("thick", 9, (37.0, 37.0, 70.0)),
    motor("expensive", 30),
    motor("best", 20),
]


def test_cheapest_suitable_motor_is_chosen() -> None:
    chosen = choose_motor(FOUND, DriveProportions())
    assert chosen is not None
    assert (chosen.id, chosen.radius_mm, chosen.length_mm, chosen.mass_kg) == ("best", 12.5, 60.0, 0.099)
    assert choose_motor(FOUND[:5], DriveProportions()) is None


@pytest.mark.parametrize("family", DRIVEN)
def test_cells_search_catalog_before_first_design(family: str) -> None:
    search = by_cells(family)
    assert "catalog.search(" in search.text
    assert "12 V gear motor" in search.text
    ast.parse(search.text.partition("```python\n")[2].rpartition("\n```")[0])
    found = f"# Observation\n\n<<<MOTORS {json.dumps({'motors': FOUND})} MOTORS>>>"
    reply = by_cells(family, found)
    assert 'catalog_part("best")' in script_of(reply)
    assert f'catalog_part("{DEFAULT_MOTOR.id}")' in script_of(by_cells(family, "# Observation\n\nno such catalog"))


TASK = """# Assignment

# TODO

- [ ] T1: Read benchmark and environment in the kernel
- [ ] T2: Write script.py
- [ ] T3: Check price and manufacturability
- [ ] T4: Simulate until every replica stays
- [ ] T5: Submit for review
- [ ] T6: Paint it red
"""


def code_of(reply: AIMessage) -> str:
    """Return the code of a cell, which must be valid."""
    code = reply.text.partition("```python\n")[2].rpartition("\n```")[0]
    ast.parse(code)
    return code


def test_cells_settle_each_item_after_the_line_that_does_it() -> None:
    messages: list[BaseMessage] = [SystemMessage("# Role: engineer\n\nRules."), HumanMessage(TASK)]

    def after(observation: str) -> AIMessage:
        messages.extend([decide(messages), HumanMessage(observation)])
        return decide(messages)

    facts_cell = code_of(decide(messages))
    assert facts_cell.endswith('todo.check("T1")')
    script_of(after(facts_observation("gravity-chute", 1)))
    check = code_of(after("`script.py` is written (9 bytes)."))
    places = [check.index(text) for text in ('check("T2")', "price(assembly)\n", 'check("T3")', 'check("T4")')]
    assert places == sorted(places)
    assert check.index('if result.verdict != "solved":') < check.index('todo.check("T4")')
    submit = code_of(after(f"# Observation\n\n<<<RESULT {json.dumps(SOLVED)} RESULT>>>"))
    assert submit.index('todo.check("T5")') < submit.index("journal.add(") < submit.index("submit_for_review(assembly)")
    assert 'todo.drop("T6", ' in submit
    after("# The critic rejected the design\n\nraise the walls")
    again = code_of(after("`script.py` is written (9 bytes)."))
    assert [line for line in again.splitlines() if "uncheck" in line] == [
        f'todo.uncheck("{item}")' for item in ("T3", "T4", "T5")
    ]


def test_tool_calls_settle_the_list_before_the_submission() -> None:
    conversation = ToolConversation()
    conversation.messages[1] = HumanMessage(TASK)
    conversation.next_call()
    conversation.answer(
        f"# Observation of cell 1\n\n### Output\n```text\nworld: {json.dumps(facts('gravity-chute', 1))}\n```"
    )
    conversation.answer("`script.py` is written (9 bytes).")
    name, reply = conversation.answer_simulation(SOLVED)
    (call,) = reply.tool_calls
    assert (name, call["args"]["path"]) == ("write_file", "todo.md")
    check_change(read_todo(f"# TODO{TASK.partition('# TODO')[2]}"), read_todo(call["args"]["text"]))
    assert "- [-] T6: Paint it red (reason: " in call["args"]["text"]
    assert "[ ]" not in call["args"]["text"]
    assert conversation.answer("`todo.md` is written (9 bytes).")[0] == "submit_for_review"
