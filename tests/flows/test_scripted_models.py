"""Complete runs with scripted models: they end as expected, and the log has every conversation.

Providers are faulty, or a critic's model approves what physics refutes. Only the provider is fake; its client, all
services, kernels and physics are real. All cases run at once.
"""

import io
import json
from dataclasses import replace

import pytest
from benchmarks.loader import file_of, read_witness
from cli.export.chat import call_rows
from cli.export.rows import ChatMessage
from cli.runs.result_panel import failed_panel
from contracts.envelope import Event
from contracts.event_format import format_event
from contracts.events.conversation import ReplyRejected
from contracts.events.dead_letters import MessageAbandoned
from contracts.events.design import DesignApproved, DesignRejected, DesignSimulated, DesignSubmitted
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from contracts.events.session import FileWriteRequested
from contracts.events.skill import SkillLearned, SkillRejected
from contracts.models.benchmark import Budget
from contracts.models.conversation import Usage
from rich.console import Console
from store.runs import summarize

from tests.engineer.engineer_harness import cell_reply
from tests.flows.scripted_runs import BENCHMARK, CONVERSATIONS, ROLES, RUN_S, Case, ScriptedRun, run_all
from tests.support.clusters.cluster import Endpoints
from tests.support.clusters.fake_provider import completion, error, tool_call

WITNESS = read_witness(file_of(BENCHMARK))
LONG = WITNESS + "# Why it is so, once more: gravity is the only drive that is needed here.\n" * 2_800

TRIED = completion(cell_reply('print("noise " * 2_000)\nraise ValueError("the first idea was a spring")'))
WRITTEN = tool_call("write_file", json.dumps({"path": "script.py", "text": WITNESS}))
WRITTEN_LONG = tool_call("write_file", json.dumps({"path": "script.py", "text": LONG}))
SUBMITTED = completion(
    cell_reply(
        "from script import assembly\nfrom utils import submit_for_review\n\n"
        "for item in todo.items:\n    todo.check(item.id)\nsubmit_for_review(assembly)"
    )
)

BUSY = error(429, "slow down", retry_after="2")
BROKEN = error(500, "oh no")
STALLED = replace(completion("too late"), after_s=60.0)
CUT = replace(TRIED, claimed_bytes=len(TRIED.body) + 500)
UNFORMED = completion("## Purpose\n\nlook")
BAD_JSON = tool_call("write_file", '{"path": "script.py", "text": ')
REFUSED = completion(None, "content_filter", refusal="I will not build that.")
TOO_LONG = error(400, "This model's maximum context length is 8192 tokens.", "context_length_exceeded")

BLOCK = """\
from build123d import Box, Compound, Pos
from utils import ManufacturingMethod

block = Pos(200, 200, 20.01) * Box(40, 40, 40)
block.label = "block"
block.metadata = {"manufacturing_method": ManufacturingMethod.PRINTING_3D, "material_id": "pla"}
assembly = Compound(label="machine", children=[block])
"""
WRITTEN_BLOCK = tool_call("write_file", json.dumps({"path": "script.py", "text": BLOCK}))
APPROVAL = "VERDICT: APPROVE\n\n## Reasons\n\n- It is a fine block.\n\n## Evidence\n\n- `stability`: 30 of 30"

CASES = {
    "clean": Case({"engineer": (TRIED, WRITTEN, SUBMITTED)}, is_whole=False),
    "faulty": Case(
        {
            "planner": (STALLED, UNFORMED, "expert"),
            "critic": (CUT, REFUSED, "expert"),
            "engineer": (BUSY, TRIED, UNFORMED, BAD_JSON, TOO_LONG, WRITTEN_LONG, BROKEN, REFUSED, CUT, SUBMITTED),
            "skill-learner": (BUSY, UNFORMED, "expert"),
        }
    ),
    "unreadable": Case({"engineer": (TRIED, UNFORMED, BAD_JSON, REFUSED)}),
    "unwilling": Case({"critic": (REFUSED,)}),
    "narrow": Case({"planner": (TOO_LONG,)}),
    "away": Case({"planner": (BROKEN,)}, Budget(deadline_s=30.0)),
    "flatterer": Case(
        {
            "engineer": (WRITTEN_BLOCK, SUBMITTED),
            "critic": ("expert", completion(cell_reply("stability = 30")), completion(APPROVAL)),
        },
        Budget(deadline_s=RUN_S, max_rejections=0),
    ),
}
pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def runs(real_servers: Endpoints) -> dict[str, ScriptedRun]:
    return run_all(real_servers, CASES)


def _failure(run: ScriptedRun) -> RunFailed:
    assert isinstance(run.end, RunFailed), run.end
    return run.end


def _rejected(run: ScriptedRun) -> dict[str, int]:
    return {role: len(run.of(ReplyRejected, role)) for role in ROLES if run.of(ReplyRejected, role)}


def test_passing_faults_do_not_fail_the_run(runs: dict[str, ScriptedRun]) -> None:
    faulty = runs["faulty"]
    assert isinstance(faulty.end, RunSucceeded), faulty.end
    assert (faulty.end.result.verdict, faulty.end.result.stability) == ("solved", "stable")
    assert len(faulty.of(SkillLearned)) + len(faulty.of(SkillRejected)) == 1


def test_submitted_design_does_not_depend_on_faults(runs: dict[str, ScriptedRun]) -> None:
    digests = [
        [each.submission.digest for each in runs[case].events if isinstance(each, DesignSubmitted)]
        for case in ("clean", "faulty")
    ]
    assert len(digests[0]) == 1
    assert digests[0] == digests[1]


def test_each_unusable_reply_costs_one_more_call(runs: dict[str, ScriptedRun]) -> None:
    assert _rejected(runs["clean"]) == {}
    assert _rejected(runs["faulty"]) == {"planner": 1, "critic": 1, "engineer": 3, "skill-learner": 1}
    assert len(runs["faulty"].calls("engineer")) == len(runs["clean"].calls("engineer")) + 3


def test_reply_of_200_kb_is_the_written_file(runs: dict[str, ScriptedRun]) -> None:
    (written,) = runs["faulty"].of(FileWriteRequested, "engineer")
    assert isinstance(written, FileWriteRequested)
    assert written.text == LONG
    assert len(LONG.encode()) > 200_000


def test_rejected_long_prompt_is_shortened(runs: dict[str, ScriptedRun]) -> None:
    exchanges = runs["faulty"].models.exchanges("faulty", "engineer")
    index = next(number for number, each in enumerate(exchanges) if each.reply is TOO_LONG)
    whole, shorter = (len(json.dumps(each.messages)) for each in exchanges[index : index + 2])
    assert shorter < whole - 1_000


@pytest.mark.parametrize(
    ("case", "reason", "text"),
    [
        ("unreadable", "model_failed", "replies of openai:unreadable in a row could not be used"),
        ("unwilling", "model_failed", "I will not build that."),
        ("narrow", "model_failed", "maximum context length is 8192 tokens"),
        ("away", "deadline", "within 30 s"),
    ],
)
def test_permanent_fault_ends_the_run_with_its_reason(
    case: str, reason: str, text: str, runs: dict[str, ScriptedRun]
) -> None:
    failed = _failure(runs[case])
    assert failed.reason == reason
    assert text in failed.detail


def test_unavailable_provider_leaves_no_call(runs: dict[str, ScriptedRun]) -> None:
    away = runs["away"]
    assert all(each.reply is BROKEN for each in away.models.exchanges("away", "planner"))
    assert away.calls("planner") == []


@pytest.mark.parametrize("case", CASES)
def test_log_has_all_conversations_as_the_provider(case: str, runs: dict[str, ScriptedRun]) -> None:
    run = runs[case]
    assert run.of(MessageAbandoned) == []
    for conversation in CONVERSATIONS:
        assert run.recorded(conversation) == run.exchanged(conversation), conversation


@pytest.mark.parametrize("case", ["faulty", "unreadable", "flatterer"])
def test_exported_prompts_are_those_that_the_provider_got(case: str, runs: dict[str, ScriptedRun]) -> None:
    run = runs[case]
    exported = list(call_rows(run.events))
    for role in ROLES:
        got = [each.messages for each in run.models.exchanges(case, role) if each.reply.arrives]
        sent = [
            [_as_sent(each) for each in call.messages]
            for call in exported
            if (call.role, call.purpose) == (role, "act")
        ]
        assert sent == [[(each["role"], each.get("content") or "") for each in messages] for messages in got]


def _as_sent(message: ChatMessage) -> tuple[str, str]:
    return message.role, message.content


def test_all_roles_have_conversations(runs: dict[str, ScriptedRun]) -> None:
    assert all(runs["faulty"].recorded(role) for role in ROLES)


@pytest.fixture(scope="module")
def flatterer(runs: dict[str, ScriptedRun]) -> ScriptedRun:
    """The run of a critic that approves a block, which no payload ever touches."""
    return runs["flatterer"]


def _only(run: ScriptedRun, event_class: type[Event]) -> Event:
    (event,) = run.of(event_class)
    return event


def test_no_replica_of_the_block_reaches_the_goal(flatterer: ScriptedRun) -> None:
    simulated = _only(flatterer, DesignSimulated)
    assert isinstance(simulated, DesignSimulated)
    assert (simulated.result.verdict, simulated.result.stability) == ("failed", "failed")
    assert [replica.ending for replica in simulated.result.replicas] == ["missed_goal"] * 32


def test_design_is_rejected_with_what_was_measured(flatterer: ScriptedRun) -> None:
    rejected = _only(flatterer, DesignRejected)
    assert isinstance(rejected, DesignRejected)
    assert "it is failed and failed, not solved and stable" in rejected.review_md
    assert "0 of 32 jittered replicas reached the goal" in rejected.review_md
    assert "32 replicas ended as missed goal" in rejected.review_md
    assert flatterer.of(DesignApproved) == []
    assert len(flatterer.calls("critic")) == 1, "its model was asked about the plan, and not about the design"


def test_run_fails_and_nothing_is_learned(flatterer: ScriptedRun) -> None:
    assert isinstance(flatterer.end, RunFailed), flatterer.end
    assert flatterer.end.reason == "design_rejected"
    assert "0 of 32 jittered replicas" in flatterer.end.detail
    assert (flatterer.of(RunSucceeded), flatterer.of(SkillLearned)) == ([], [])


def test_run_is_not_shown_as_solved(flatterer: ScriptedRun) -> None:
    request = _only(flatterer, EngineeringRequested)
    assert isinstance(request, EngineeringRequested)
    assert isinstance(flatterer.end, RunFailed)
    console = Console(file=io.StringIO(), width=200)
    console.print(failed_panel(request, flatterer.end, Usage(), 1.0))
    assert isinstance(console.file, io.StringIO)
    for shown in (console.file.getvalue(), *(format_event(event).text for event in flatterer.events)):
        assert "SOLVED" not in shown
    assert summarize(request, flatterer.end, len(flatterer.events)).outcome == "failed"
