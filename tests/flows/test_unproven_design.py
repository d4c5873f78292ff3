"""A design that physics refutes is never delivered as solved, whatever the critic's model says.

The models of critic and engineer are scripted; their client, all services, kernels and physics are real.
"""

import io
import json

import pytest
from cli.formatting import format_event
from cli.runs.result_panel import failed_panel
from contracts.envelope import Event
from contracts.events.design import DesignApproved, DesignRejected, DesignSimulated
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from contracts.events.skill import SkillLearned
from contracts.models.benchmark import Budget
from contracts.models.conversation import Usage
from rich.console import Console
from store.runs import summarize

from tests.engineer.engineer_harness import cell_reply
from tests.flows.scripted_runs import RUN_S, Case, ScriptedRun, run_all
from tests.support.clusters.cluster import Endpoints
from tests.support.clusters.fake_provider import completion, tool_call

BLOCK = """\
from build123d import Box, Compound, Pos
from utils import ManufacturingMethod

block = Pos(200, 200, 20.01) * Box(40, 40, 40)
block.label = "block"
block.metadata = {"manufacturing_method": ManufacturingMethod.PRINTING_3D, "material_id": "pla"}
assembly = Compound(label="machine", children=[block])
"""
SUBMIT = """
from script import assembly
from utils import submit_for_review

for item in todo.items:
    todo.check(item.id)
submit_for_review(assembly)
"""
WRITTEN = tool_call("write_file", json.dumps({"path": "script.py", "text": BLOCK}))
APPROVAL = "VERDICT: APPROVE\n\n## Reasons\n\n- It is a fine block.\n\n## Evidence\n\n- `stability`: 30 of 30"
CASE = Case(
    {
        "engineer": (WRITTEN, completion(cell_reply(SUBMIT))),
        "critic": ("expert", completion(cell_reply("stability = 30")), completion(APPROVAL)),
    },
    Budget(deadline_s=RUN_S, max_rejections=0),
)
pytestmark = pytest.mark.timeout(700)


@pytest.fixture(scope="module")
def run(real_servers: Endpoints) -> ScriptedRun:
    return run_all(real_servers, {"flatterer": CASE})["flatterer"]


def _only(run: ScriptedRun, event_class: type[Event]) -> Event:
    (event,) = run.of(event_class)
    return event


def test_no_replica_of_the_block_reaches_the_goal(run: ScriptedRun) -> None:
    simulated = _only(run, DesignSimulated)
    assert isinstance(simulated, DesignSimulated)
    assert (simulated.result.verdict, simulated.result.stability) == ("failed", "failed")
    assert [replica.ending for replica in simulated.result.replicas] == ["missed_goal"] * 32


def test_design_is_rejected_with_what_was_measured(run: ScriptedRun) -> None:
    rejected = _only(run, DesignRejected)
    assert isinstance(rejected, DesignRejected)
    assert "it is failed and failed, not solved and stable" in rejected.review_md
    assert "0 of 32 jittered replicas reached the goal" in rejected.review_md
    assert "32 replicas ended as missed goal" in rejected.review_md
    assert run.of(DesignApproved) == []
    assert len(run.calls("critic")) == 1, "its model was asked about the plan, and not about the design"


def test_run_fails_and_nothing_is_learned(run: ScriptedRun) -> None:
    assert isinstance(run.end, RunFailed), run.end
    assert run.end.reason == "design_rejected"
    assert "0 of 32 jittered replicas" in run.end.detail
    assert (run.of(RunSucceeded), run.of(SkillLearned)) == ([], [])


def test_run_is_not_shown_as_solved(run: ScriptedRun) -> None:
    request = _only(run, EngineeringRequested)
    assert isinstance(request, EngineeringRequested)
    assert isinstance(run.end, RunFailed)
    console = Console(file=io.StringIO(), width=200)
    console.print(failed_panel(request, run.end, Usage(), 1.0))
    assert isinstance(console.file, io.StringIO)
    for shown in (console.file.getvalue(), *(format_event(event).text for event in run.events)):
        assert "SOLVED" not in shown
    assert summarize(request, run.end, len(run.events)).outcome == "failed"
