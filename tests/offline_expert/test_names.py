"""Names of a world: no label of a solid, joint or payload changes what the expert builds, or what it reads."""

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from build123d import Box, Compound, Pos
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage, ToolMessage
from offline_expert.drives.machine import DriveProportions
from offline_expert.drives.script import write_machine
from offline_expert.drives.selection import choose_machine
from offline_expert.engineer.history import read_history
from offline_expert.engineer.policy import decide
from offline_expert.routing.dimensions import ChannelProportions
from offline_expert.routing.problem import RoutingProblem
from offline_expert.routing.router import find_design
from offline_expert.routing.script import write_design
from offline_expert.task_facts import with_task

from tests.support.routing_problems import facts, facts_observation, problem

TASK = """# Assignment

## Zones (mm)

| kind | label | min x | min y | min z | max x | max y | max z |
|---|---|---|---|---|---|---|---|
| environment | {solid} | 0 | 0 | 0 | 1 | 1 | 1 |

## Payloads

| label | pocket-floor | ball-2 |

## Moving parts of the environment

- `gate` slides by 10 mm on `ground` (joint `slide`); no motor: it moves when it is pushed
"""


def nothing(*_: object, **__: object) -> list[str]:
    return []


def unit_box(_: str) -> Box:
    return Box(1, 1, 1)


def labels_of(script: str, solids: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the labels of the parts that a script makes in a world with these solids."""

    utils: Any = ModuleType("utils")
    utils.ManufacturingMethod = SimpleNamespace(PRINTING_3D="print")
    utils.catalog_part = unit_box
    utils.bond_contacts = utils.bonded = utils.drive = utils.Positions = nothing
    monkeypatch.setitem(sys.modules, "utils", utils)
    children = [Pos(20 * number, 0, 0) * Box(10, 10, 10) for number, _ in enumerate(solids)]
    for child, label in zip(children, solids, strict=True):
        child.label = label
    names: dict[str, Any] = {"environment": Compound(children=children)}
    exec(script, names)
    return [part.label for part in names["assembly"].children]


@pytest.mark.parametrize("family", ["push-flat", "lift-to-shelf"])
def test_solid_with_the_label_of_any_part_leaves_the_machine_as_it_is(
    family: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = write_machine(choose_machine(problem(family, 0), DriveProportions()))
    alone = labels_of(script, ["ground"], monkeypatch)
    assert labels_of(script, ["ground", *alone], monkeypatch) == [f"machine-{label}" for label in alone]


def test_label_of_a_payload_is_given_to_no_part(monkeypatch: pytest.MonkeyPatch) -> None:
    world = problem("gravity-chute", 0)
    design = find_design(world, ChannelProportions())
    taken = frozenset(with_task(facts("gravity-chute", 0), TASK).get("taken", ()))
    assert taken == {"slide", "pocket-floor", "ball-2"}
    script = write_design(design, problem_with(world, taken))
    assert "pocket-floor" not in labels_of(script, ["ground"], monkeypatch)
    assert write_design(design, problem_with(world, frozenset({"ball-2"}))) == write_design(design, world)


def problem_with(world: RoutingProblem, taken: frozenset[str]) -> RoutingProblem:
    """Return the problem with labels in use."""
    return replace(world, taken=taken)


def test_joint_of_the_world_keeps_its_label_for_itself() -> None:
    machine = choose_machine(problem("push-flat", 0), DriveProportions())
    assert 'LinearJoint("slide"' in write_machine(machine)
    assert 'LinearJoint("machine-slide"' in write_machine(machine, {"slide"})


@pytest.mark.parametrize("solid", ["ground", "rail", "leg-house", "motor-plate"])
@pytest.mark.parametrize(
    ("culprit", "failure"),
    [
        ("chute-1-floor-to-{solid}-9", "weak_panel"),
        ("machine-chute-1-floor-to-machine-chute-2-back-9", "weak_joint"),
        ("chute-1-floor-to-chute-1-leg-9", "overloaded"),
    ],
)
def test_name_of_a_solid_does_not_change_what_gave_way(solid: str, culprit: str, failure: str) -> None:
    seen = {"verdict": "failed", "ending": "overloaded", "culprit": culprit.format(solid=solid), "time_s": 1.0}
    observation = f"# Observation\n\n<<<RESULT {json.dumps(seen)} RESULT>>>"
    assert read_history(checked(observation, TASK.format(solid=solid))).failures == [failure]


def test_error_of_a_script_is_named_in_its_failure() -> None:
    error = "**The cell stopped with an error** (0.1 s).\n\n### Error\n`ValueError` in line 3 of the cell: no such part"
    (attempt,) = read_history(checked(f"# Observation\n\n{error}", TASK)).attempts
    assert (attempt.failure, attempt.detail) == ("interrupted", "ValueError: no such part")


def checked(observation: str, task: str) -> list[BaseMessage]:
    """Return a conversation in which the first design was checked."""
    messages: list[BaseMessage] = [SystemMessage("# Role: engineer\n\nRules."), HumanMessage(task)]
    messages += [decide(messages), HumanMessage(facts_observation("gravity-chute", 0))]
    written = decide(messages)
    messages += [written, ToolMessage("`script.py` is written.", tool_call_id=written.tool_calls[0]["id"])]
    return [*messages, decide(messages), HumanMessage(observation)]
