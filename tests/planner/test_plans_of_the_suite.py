"""The offline planner's plan of each benchmark of the suite describes the machine that the expert builds."""

import contextlib
import io
import json

import pytest
from agent.rendering.assignment import assignment_markdown
from benchmarks.loader import FILE, SUITE, LoadedBenchmark, load
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from offline_expert import planner
from offline_expert.drives.machine import DriveProportions
from offline_expert.drives.selection import choose_machine, needs_motor
from offline_expert.engineer.facts import FACTS, FACTS_CODE
from offline_expert.routing.problem import RoutingProblem, problem_from

from tests.contracts import example_values as values
from tests.support.environment_build import build_from_script


def built_problem(loaded: LoadedBenchmark) -> RoutingProblem:
    """Return what the engineer measures in its kernel."""
    script: dict[str, object] = {}
    exec(loaded.environment_code, script)  # of the suite
    build = script["build"]
    assert callable(build)
    names = {"benchmark": loaded.variant, "environment": build(loaded.variant), "limits": loaded.limits}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(FACTS_CODE, names)
    return problem_from(json.loads(printed.getvalue().split(FACTS[0])[1].split(FACTS[1])[0]))


def plan_of(loaded: LoadedBenchmark) -> str:
    build = build_from_script(loaded.environment_code.decode(), loaded.variant)
    assert build.files is not None, build.fault
    solids = {"solids": build.files.geometry.solids, "mechanism": build.files.geometry.mechanism}
    assignment = values.ASSIGNMENT.model_copy(update={"variant": loaded.variant, "limits": loaded.limits})
    task = HumanMessage(assignment_markdown(assignment, values.ENVIRONMENT.model_copy(update=solids)))
    reply = planner.decide([task])
    if reply.tool_calls:
        reply = planner.decide([task, AIMessage("", tool_calls=reply.tool_calls), ToolMessage("", tool_call_id="1")])
    return reply.text


FAMILIES = sorted(path.parent.name for path in SUITE.glob(f"*/{FILE}"))


@pytest.mark.sample(5)
@pytest.mark.parametrize("family", FAMILIES)
def test_plan_names_the_drive_of_the_machine_that_is_built(family: str) -> None:
    loaded = load(family, 0)
    plan, problem = plan_of(loaded), built_problem(loaded)
    has_motor = needs_motor(problem)
    assert ("Moved by: a bought gear motor" in plan) is has_motor
    assert ("ravity is not enough" in plan) is has_motor
    assert ("Gravity is enough" in plan or "Gravity is doubtful" in plan) is not has_motor
    if has_motor:
        assert choose_machine(problem, DriveProportions()).summary in plan
