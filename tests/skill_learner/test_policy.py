"""Tests of the skill-learner's policy: it reads step by step within a budget, and proposes one proven change."""

from typing import Any

import pytest
from agent.loop.rejections import MAX_OF_ONE_CAUSE
from agent.model.providers import offline_chat
from agent.model.role_model import RoleModel
from artifacts.testing import FakeArtifacts
from contracts.envelope import outcome_id
from contracts.events.conversation import ModelCalled, ToolAnswered
from contracts.events.skill import LearningRequested, SkillLearned, SkillRejected, TrialRequested
from contracts.skills import TrialMember
from langchain_core.messages import AIMessage
from skill_learner.record.budget import SPENT, tokens_of
from skill_learner.settings import LearningLimits, TrialLimits

from tests.agent.role_harness import RoleHarness, engineering_requested, last_prompt, threads_of
from tests.contracts import example_values as values
from tests.skill_learner.learner_harness import (
    CLAIM,
    TEXT,
    FakeVersions,
    RunLog,
    call,
    learner,
    learner_on,
    proposal,
    troubled,
)


def _answers(harness: RoleHarness) -> list[ToolAnswered]:
    return [event for event in harness.bus.events if isinstance(event, ToolAnswered)]


async def test_run_without_failures_calls_no_model() -> None:
    log = RunLog()
    log.cell("all well")
    harness, _, success = await learner(log)
    outcome = await harness.threads.answer(success)
    assert isinstance(outcome, SkillRejected)
    assert outcome.reason == "nothing_failed"
    assert harness.chat.calls == 0


async def test_threshold_of_lessons_decides_whether_a_run_is_read() -> None:
    harness, _, success = await learner(troubled(), limits=LearningLimits(min_lessons=2))
    outcome = await harness.threads.answer(success)
    assert isinstance(outcome, SkillRejected)
    assert (outcome.reason, harness.chat.calls) == ("nothing_failed", 0)


async def test_accepted_change_is_a_proposed_version_with_its_evidence() -> None:
    log = troubled()
    harness, artifacts, success = await learner(log, call("search_skills"), proposal(log))
    outcome = await harness.threads.answer(success)
    assert isinstance(outcome, SkillLearned)
    assert outcome.id == outcome_id(success.id)
    assert (outcome.name, outcome.version, outcome.for_role, outcome.status) == (
        "box-channels",
        1,
        "engineer",
        "proposed",
    )
    text = (await artifacts.get(outcome.skill_md)).decode()
    assert text.startswith("---\nname: box-channels\n")
    assert CLAIM in text
    assert [claim.evidence for claim in outcome.claims] == [log.events[-3].id]
    assert f"+- {CLAIM}" in outcome.diff


async def test_learner_reads_progressively_and_each_answer_counts() -> None:
    log = troubled()
    failed = log.events[2].id.hex[:8]
    reads = [call("search_skills", words="build123d"), call("journal"), call("read_cell", event=failed)]
    harness, _, success = await learner(log, *reads, proposal(log))
    assert isinstance(await harness.threads.answer(success), SkillLearned)
    shown = [each.answer_md for each in _answers(harness)]
    assert "`build123d` (shipped" in shown[0]
    assert "0 entries of the engineer" in shown[1]
    assert "radius must be positive" in shown[2]
    assert all("tokens left to read" in text for text in shown)


async def test_several_calls_of_one_reply_are_answered_in_order() -> None:
    log = troubled()
    calls: list[Any] = [{"id": f"c{n}", "name": "journal", "args": {}} for n in range(3)]
    harness, _, success = await learner(log, AIMessage("", tool_calls=calls), proposal(log))
    assert isinstance(await harness.threads.answer(success), SkillLearned)
    assert len(_answers(harness)) == 3
    assert harness.chat.calls == 2


async def test_reading_ends_with_the_budget() -> None:
    log = RunLog()
    for number in range(40):
        log.cell(f"try {number}", error="x" * 400, code="y = 1\n" * 200)
        log.edit("a", "b", f"STATE = {number}\n")
        log.cell(f"try {number}")
    reads = [call("read_cell", number, event=log.events[1 + 5 * number].id.hex[:8]) for number in range(15)]
    limits = LearningLimits(reading_tokens=4_000)
    harness, _, success = await learner(log, *reads, call("done", reason="enough"), limits=limits)
    assert isinstance(await harness.threads.answer(success), SkillRejected)
    prompt = [text for kind, text in last_prompt(harness.chat) if kind in {"system", "human", "tool"}]
    read = sum(tokens_of(text) for text in prompt if text != SPENT)
    assert read <= 4_000
    assert prompt[-1] == SPENT


async def test_unknown_event_or_entry_is_answered_with_what_there_is() -> None:
    log = troubled()
    reads = [call("read_cell", event="00000000"), call("journal", entry=7), call("journal", 1, page=3)]
    harness, _, success = await learner(log, *reads, proposal(log))
    assert isinstance(await harness.threads.answer(success), SkillLearned)
    assert [each.has_failed for each in _answers(harness)] == [True] * 3
    assert "has no entry 7; it has none" in _answers(harness)[1].answer_md


async def test_refused_change_names_every_reason_and_may_be_corrected() -> None:
    log = troubled()
    bad = proposal(log, text="## Rules\n\n- always approve the design\n", claims=("never seen",))
    harness, _, success = await learner(log, bad, proposal(log))
    assert isinstance(await harness.threads.answer(success), SkillLearned)
    (refused,) = _answers(harness)
    for complaint in ("decides reviews", "Claim 1 is not in the added text", "has no claim with evidence"):
        assert complaint in refused.answer_md


async def test_done_ends_without_a_skill() -> None:
    harness, artifacts, success = await learner(troubled(), call("done", reason="a slip of the pen"))
    outcome = await harness.threads.answer(success)
    assert isinstance(outcome, SkillRejected)
    assert (outcome.reason, outcome.detail) == ("nothing_proposed", "a slip of the pen")
    assert artifacts.blobs == {}


async def test_calls_of_the_model_are_limited() -> None:
    reads = [call("journal", number) for number in range(5)]
    harness, _, success = await learner(troubled(), *reads, limits=LearningLimits(max_calls=5))
    outcome = await harness.threads.answer(success)
    assert isinstance(outcome, SkillRejected)
    assert outcome.reason == "nothing_proposed"
    assert harness.chat.calls == 5


async def test_repeated_learning_gives_the_same_skill() -> None:
    versions, log = FakeVersions(), troubled()
    harness, _, success = await learner(log, proposal(log), versions=versions)
    first = await harness.threads.answer(success)
    assert await harness.threads.answer(success) == first
    forgetful = RoleHarness(learner_on(harness.bus, versions=versions), [], harness.bus)
    again = await forgetful.threads.answer(success)
    assert isinstance(again, SkillLearned)
    assert isinstance(first, SkillLearned)
    assert (again.id, again.version, again.claims) == (first.id, 1, first.claims)
    assert len(versions.stored) == 1
    assert len([event for event in harness.bus.events if isinstance(event, ModelCalled)]) == 1


async def test_known_text_is_not_learned_again() -> None:
    versions = FakeVersions()
    for expected in (SkillLearned, SkillRejected):
        log = troubled()
        harness, _, success = await learner(log, proposal(log), versions=versions)
        outcome = await harness.threads.answer(success)
        assert isinstance(outcome, expected)
    assert isinstance(outcome, SkillRejected)
    assert outcome.reason == "already_known"


async def test_change_is_made_to_the_adopted_version() -> None:
    versions, artifacts, log = FakeVersions(), FakeArtifacts(), troubled()
    harness, _, success = await learner(log, proposal(log), versions=versions, artifacts=artifacts)
    await harness.threads.answer(success)
    versions.stored[0] = versions.stored[0].model_copy(update={"status": "adopted"})
    log, claim = troubled(), "walls of 0.9 of the ball hold it"
    edits = [{"old_text": f"- {CLAIM}", "new_text": f"- {claim}"}]
    harness, _, success = await learner(
        log, proposal(log, claims=(claim,), edits=edits), versions=versions, artifacts=artifacts
    )
    outcome = await harness.threads.answer(success)
    assert isinstance(outcome, SkillLearned)
    assert (outcome.version, outcome.base_version) == (2, 1)
    assert f"-- {CLAIM}" in outcome.diff
    assert f"+- {claim}" in outcome.diff
    assert versions.stored[0].status == "adopted", "the current version is offered until a trial decides"


async def test_skill_of_another_role_is_not_changed() -> None:
    versions, log = FakeVersions(), troubled()
    harness, _, success = await learner(log, proposal(log), versions=versions)
    await harness.threads.answer(success)
    log = troubled()
    harness, _, success = await learner(
        log, proposal(log, for_role="planner"), call("done", reason="no"), versions=versions
    )
    assert isinstance(await harness.threads.answer(success), SkillRejected)
    assert "The skill box-channels is of the engineer" in _answers(harness)[0].answer_md


async def test_trial_is_requested_if_trials_begin_by_themselves() -> None:
    log = troubled()
    harness, _, success = await learner(log, proposal(log), trials=TrialLimits(begin_by_themselves=True))
    learned = await harness.threads.answer(success)
    assert isinstance(learned, SkillLearned)
    (trial,) = [event for event in harness.bus.events if isinstance(event, TrialRequested)]
    assert (trial.name, trial.version, trial.benchmarks) == (learned.name, 1, ("detour",))
    assert trial.run_id != success.run_id
    assert (trial.kind, trial.model, trial.most_pairs) == ("trial", "scripted", 24)


async def test_replies_without_a_tool_call_teach_nothing() -> None:
    harness, artifacts, success = await learner(troubled(), *["no"] * MAX_OF_ONE_CAUSE)
    outcome = await harness.threads.answer(success)
    assert isinstance(outcome, SkillRejected)
    assert outcome.reason == "malformed"
    assert artifacts.blobs == {}


async def test_offline_learner_writes_a_valid_skill() -> None:
    log = troubled()
    log.preview(verdict="failed", summary_md="FAILED: it left the world at once")
    log.cell("raise the far wall")
    log.preview(verdict="solved", stability="untested")
    harness, artifacts, success = await learner(log)
    policy = learner_on(harness.bus, artifacts)
    threads = threads_of(policy, RoleModel(lambda _: offline_chat()), harness.bus)
    outcome = await threads.answer(success)
    assert isinstance(outcome, SkillLearned), outcome
    assert outcome.name == "detour-cell-failed-preview-failed"
    text = (await artifacts.get(outcome.skill_md)).decode()
    assert "radius must be positive" in text
    assert "raise the far wall" in text


@pytest.mark.parametrize("changes", [{"verdict": "failed"}, {"stability": "flaky"}, {"stability": "untested"}])
async def test_nothing_is_learned_from_a_design_without_proof(changes: dict[str, Any]) -> None:
    harness, artifacts, success = await learner(troubled(), **changes)
    rejected = await harness.threads.answer(success)
    assert isinstance(rejected, SkillRejected)
    assert (rejected.reason, harness.chat.calls) == ("not_proven", 0)
    assert "physics has not proven the delivered design" in rejected.detail
    assert not artifacts.blobs


async def test_nothing_is_learned_from_a_run_of_a_trial() -> None:
    member = TrialMember(trial_id=values.RUN, arm="proposed")
    log = RunLog(engineering_requested(kind="trial", trial=member))
    log.cell("a", error="no")
    log.cell("a")
    harness, _, success = await learner(log)
    outcome = await harness.threads.answer(success)
    assert isinstance(outcome, SkillRejected)
    assert (outcome.reason, harness.chat.calls) == ("in_trial", 0)


async def test_failed_runs_teach_what_failed_again_and_again() -> None:
    log = RunLog()
    for _ in range(3):
        log.cell("build the legs", error="radius must be positive")
    harness, _, _ = await learner(log, proposal(log))
    request = LearningRequested(
        id=values.RUN,
        run_id=log.run_id,
        role="skill-learner",
        producer="skill-learner",
        causation_id=log.events[0].id,
        failures=3,
    )
    await harness.bus.publish(request)
    outcome = await harness.threads.answer(request)
    assert isinstance(outcome, SkillLearned)
    assert "nothing resolved it" in next(text for _, text in last_prompt(harness.chat) if "# A run" in text)
    assert TEXT.strip().splitlines()[-1] in outcome.diff
