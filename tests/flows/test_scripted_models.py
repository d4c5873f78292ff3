"""Tests of full runs with failing providers: each ends as it should, nothing hangs and no exchange is lost.

The provider is a server that speaks OpenAI's API by a script; the client is the real one, and so is all the rest. The
cases are played side by side.
"""

import json
from dataclasses import replace

import pytest
from benchmarks.loader import SUITE
from contracts.events.conversation import ReplyRejected
from contracts.events.dead_letters import MessageAbandoned
from contracts.events.design import DesignSubmitted
from contracts.events.run import RunFailed, RunSucceeded
from contracts.events.session import FileWriteRequested
from contracts.events.skill import SkillLearned, SkillRejected
from contracts.models.benchmark import Budget

from tests.engineer.engineer_harness import cell_reply
from tests.fakes.scripted_openai import completion, error, tool_call
from tests.flows.full_run import Servers
from tests.flows.scripted_runs import BENCHMARK, ROLES, VOICES, Case, FinishedCase, run_cases

WITNESS = (SUITE / BENCHMARK / "witness.py").read_text(encoding="utf-8")
LONG = WITNESS + "# Why it is so, once more: gravity is the only drive that is needed here.\n" * 2_800

TRIED = completion(cell_reply('print("noise " * 2_000)\nraise ValueError("the first idea was a spring")'))
WRITTEN = tool_call("write_file", json.dumps({"path": "script.py", "text": WITNESS}))
WRITTEN_LONG = tool_call("write_file", json.dumps({"path": "script.py", "text": LONG}))
SUBMITTED = completion(
    cell_reply("from script import assembly\nfrom utils import submit_for_review\n\nsubmit_for_review(assembly)")
)

BUSY = error(429, "slow down", retry_after="2")
BROKEN = error(500, "oh no")
STALLED = replace(completion("too late"), after_s=60.0)
CUT = replace(TRIED, claimed_bytes=len(TRIED.body) + 500)
UNFORMED = completion("## Purpose\n\nlook")
BAD_JSON = tool_call("write_file", '{"path": "script.py", "text": ')
REFUSED = completion(None, "content_filter", refusal="I will not build that.")
TOO_LONG = error(400, "This model's maximum context length is 8192 tokens.", "context_length_exceeded")

CASES = {
    "clean": Case({"engineer": (TRIED, WRITTEN, SUBMITTED)}),
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
}
pytestmark = pytest.mark.timeout(700)


@pytest.fixture(scope="module")
def played(real_servers: Servers) -> dict[str, FinishedCase]:
    return run_cases(real_servers, CASES)


def _failure(run: FinishedCase) -> RunFailed:
    assert isinstance(run.end, RunFailed), run.end
    return run.end


def _rejected(run: FinishedCase) -> dict[str, int]:
    return {role: len(run.of(ReplyRejected, role)) for role in ROLES if run.of(ReplyRejected, role)}


@pytest.mark.parametrize("case", ["clean", "faulty"])
def test_transient_faults_do_not_fail_a_run(case: str, played: dict[str, FinishedCase]) -> None:
    end = played[case].end
    assert isinstance(end, RunSucceeded), end
    assert (end.result.verdict, end.result.stability) == ("solved", "stable")
    assert len(played[case].of(SkillLearned)) + len(played[case].of(SkillRejected)) == 1


def test_faults_do_not_change_the_submitted_design(played: dict[str, FinishedCase]) -> None:
    digests = [
        [each.submission.digest for each in played[case].events if isinstance(each, DesignSubmitted)]
        for case in ("clean", "faulty")
    ]
    assert len(digests[0]) == 1
    assert digests[0] == digests[1]


def test_unusable_replies_cost_one_call_and_outages_none(played: dict[str, FinishedCase]) -> None:
    assert _rejected(played["clean"]) == {}
    assert _rejected(played["faulty"]) == {"planner": 1, "critic": 1, "engineer": 3, "skill-learner": 1}
    assert len(played["faulty"].calls("engineer")) == len(played["clean"].calls("engineer")) + 3


def test_answer_of_200_kb_is_written_and_built(played: dict[str, FinishedCase]) -> None:
    (written,) = played["faulty"].of(FileWriteRequested, "engineer")
    assert isinstance(written, FileWriteRequested)
    assert written.text == LONG
    assert len(LONG.encode()) > 200_000


def test_rejected_long_prompt_is_sent_shorter(played: dict[str, FinishedCase]) -> None:
    exchanges = played["faulty"].cast.exchanges("faulty", "engineer")
    place = next(number for number, each in enumerate(exchanges) if each.wire is TOO_LONG)
    whole, shorter = (len(json.dumps(each.messages)) for each in exchanges[place : place + 2])
    assert shorter < whole - 1_000


@pytest.mark.parametrize(
    ("case", "reason", "detail"),
    [
        ("unreadable", "model_failed", "3 replies of openai:unreadable in a row could not be used"),
        ("unwilling", "model_failed", "I will not build that."),
        ("narrow", "model_failed", "maximum context length is 8192 tokens"),
        ("away", "deadline", "within 30 s"),
    ],
)
def test_permanent_fault_ends_the_run_with_its_reason(
    case: str, reason: str, detail: str, played: dict[str, FinishedCase]
) -> None:
    failed = _failure(played[case])
    assert failed.reason == reason
    assert detail in failed.detail


def test_unavailable_provider_leaves_no_call(played: dict[str, FinishedCase]) -> None:
    away = played["away"]
    assert all(each.wire is BROKEN for each in away.cast.exchanges("away", "planner"))
    assert away.calls("planner") == []


@pytest.mark.parametrize("case", CASES)
def test_log_restores_every_conversation_as_sent(case: str, played: dict[str, FinishedCase]) -> None:
    run = played[case]
    assert run.of(MessageAbandoned) == []
    for voice in VOICES:
        assert run.recorded_exchanges(voice) == run.sent_exchanges(voice), voice


def test_every_role_called_its_model(played: dict[str, FinishedCase]) -> None:
    for case in ("clean", "faulty"):
        assert all(played[case].recorded_exchanges(role) for role in ROLES), case
