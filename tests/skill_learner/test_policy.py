"""Tests of the skill-learner's policy: a skill comes only from failures that were resolved."""

import time
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any
from uuid import UUID

import pytest
from agent.loop.rejections import MAX_OF_ONE_CAUSE
from agent.loop.replies import MalformedReplyError
from agent.model.providers import offline_chat
from agent.model.role_model import RoleModel
from artifacts.testing import FakeArtifacts
from chassis.testing import FakeBus
from contracts.envelope import Event, outcome_id
from contracts.events.conversation import ModelCalled
from contracts.events.design import DesignApproved, DesignInvalidated, DesignRejected, DesignValidated
from contracts.events.run import EngineeringRequested, RunSucceeded
from contracts.events.session import CellCompleted, CellRequested, FileEditRequested, FileWriteRequested, FileWritten
from contracts.events.simulation import SimulationCompleted
from contracts.events.skill import SkillLearned, SkillRejected
from contracts.models.conversation import Message
from contracts.models.design import Finding
from contracts.models.observation import CellError, Observation
from skill_learner.lessons import differences, find_lessons
from skill_learner.policy import SkillLearner
from skill_learner.skills import SkillStore, read_skill
from store.skills import LearnedSkill, NewSkill

from tests.agent.role_harness import RoleHarness, engineering_requested, last_prompt, threads_of
from tests.contracts import example_values as values

SKILL = """---
name: box-channels
description: Box channels in build123d that hold a rolling ball; read before you build one.
---

## When to use

Before any channel.

## What went wrong

- low walls

## What worked

- walls of 0.8 of the ball
"""


class FakeVersions:
    """Counts versions as the database does."""

    def __init__(self) -> None:
        self.stored: list[LearnedSkill] = []

    async def learn(self, skill: NewSkill) -> LearnedSkill:
        same = [each for each in self.stored if (each.name, each.digest) == (skill.name, skill.digest)]
        if same:
            return same[0]
        version = 1 + sum(each.name == skill.name for each in self.stored)
        learned = LearnedSkill(**skill.model_dump(), version=version, learned_at=datetime.now(UTC))
        self.stored.append(learned)
        return learned


class RunLog:
    """The event log of a run, built event by event."""

    def __init__(self) -> None:
        self.request: EngineeringRequested = engineering_requested()
        self.events: list[Event] = [self.request]
        self._step = 0

    def cell(self, purpose: str, error: str = "", code: str = "x = 1\n", output: str = "") -> None:
        self._step += 1
        requested = CellRequested.deciding(self.request, "engineer", self._step, purpose=purpose, code=code)
        seen = Observation(status="ok")
        if error:
            seen = Observation(status="error", output=output, error=CellError(type="ValueError", message=error))
        self.events += [requested, CellCompleted.answering(requested, "cad-worker", observation=seen)]

    def add(self, kind: type[Event], **fields: Any) -> None:
        self._step += 1
        self.events.append(kind.deciding(self.request, "engineer", self._step, **fields))

    def file(self, text: str, path: str = "script.py") -> None:
        self.add(FileWritten, path=path, text=text, size_bytes=len(text), sha256=sha256(text.encode()).hexdigest())

    def preview(self, **changes: Any) -> None:
        self.add(SimulationCompleted, result=values.RESULT.model_copy(update=changes))

    def success(self, **changes: Any) -> RunSucceeded:
        result = values.RESULT.model_copy(update=changes)
        success = RunSucceeded.answering(
            self.request, "planner", delivery=values.DELIVERY, bill=values.BILL, result=result
        )
        self.events.append(success)
        return success

    @property
    def run_id(self) -> UUID:
        return self.request.run_id


def _troubled() -> RunLog:
    log = RunLog()
    log.cell("build the legs", error="radius must be positive")
    log.cell("build the legs from boxes", code="legs = Box(10, 10, 90)\n")
    return log


async def _learner(
    log: RunLog, *script: str, versions: FakeVersions | None = None, **changes: Any
) -> tuple[RoleHarness, FakeArtifacts, RunSucceeded]:
    bus, artifacts = FakeBus(), FakeArtifacts()
    success = log.success(**changes)
    for event in log.events:
        await bus.publish(event)
    policy = SkillLearner(bus, SkillStore(artifacts, versions or FakeVersions()))
    return RoleHarness(policy, script, bus), artifacts, success


def test_failed_cell_is_a_lesson_once_resolved() -> None:
    (lesson,) = find_lessons(_troubled().events)
    assert lesson.kind == "cell_failed"
    assert lesson.failed == "error: ValueError: radius must be positive"
    assert lesson.resolved_by == "build the legs from boxes"
    assert "Box(10, 10, 90)" in lesson.code


def test_lesson_shows_file_changes_and_findings() -> None:
    log = RunLog()
    log.file("WALL_MM = 3.0\nLENGTH_MM = 400.0\n")
    log.cell("check", error="not makeable", output="# Quote\n- **over_mass** 0.66 kg of at most 0.5 kg\n")
    log.file("WALL_MM = 2.0\nLENGTH_MM = 400.0\n")
    log.cell("check again")
    (lesson,) = find_lessons(log.events)
    assert "0.66 kg of at most 0.5 kg" in lesson.failed
    assert [line for line in lesson.change.splitlines() if line[1:].startswith("WALL")] == [
        "-WALL_MM = 3.0",
        "+WALL_MM = 2.0",
    ]
    assert "LENGTH_MM" not in lesson.change


def test_edit_of_a_file_is_the_change_of_a_lesson() -> None:
    log = RunLog()
    log.file("LABEL = 'leg 1'\n")
    log.cell("check", error="'leg 1' names no part")
    edit = FileEditRequested.deciding(log.request, "engineer", 90, path="script.py", old_text="leg 1", new_text="leg-1")
    text = "LABEL = 'leg-1'\n"
    digest = sha256(text.encode()).hexdigest()
    written = {"path": "script.py", "text": text, "size_bytes": len(text), "sha256": digest}
    log.events += [edit, FileWritten.answering(edit, "cad-worker", **written)]
    log.cell("check")
    (lesson,) = find_lessons(log.events)
    assert "+LABEL = 'leg-1'" in lesson.change.splitlines()


def test_refused_write_changes_no_file_of_a_lesson() -> None:
    log = RunLog()
    log.cell("check", error="no")
    log.add(FileWriteRequested, path="plan.md", text="# Plan")
    log.cell("check")
    assert find_lessons(log.events)[0].change == ""


def test_cell_that_tries_something_else_resolves_nothing() -> None:
    log = RunLog()
    log.cell("simulate the chute", error="no label", code="from script import assembly\nrun = simulate(assembly)\n")
    log.cell("print prices", code="for edge in (8, 16, 32):\n    print(edge, price((edge, edge, 9), 'cnc', 'pom'))\n")
    assert find_lessons(log.events) == ()


def test_retry_that_fails_otherwise_resolves_the_first_failure() -> None:
    log = RunLog()
    log.cell("simulate the chute", error="no label")
    log.file("LABEL = 'leg-1'\n")
    log.cell("simulate the chute", error="too dear")
    (lesson,) = find_lessons(log.events)
    assert "no label" in lesson.failed
    assert "+LABEL = 'leg-1'" in lesson.change


def test_unresolved_failure_is_not_a_lesson() -> None:
    log = RunLog()
    log.cell("build", error="no")
    log.preview(verdict="failed")
    assert find_lessons(log.events) == ()


def test_failed_preview_is_a_lesson_once_solved() -> None:
    log = RunLog()
    log.preview(verdict="failed", summary_md="FAILED: left the world at 1.2 s")
    log.cell("raise the far wall")
    log.preview(verdict="solved", stability="untested")
    (lesson,) = find_lessons(log.events)
    assert (lesson.kind, lesson.resolved_by) == ("preview_failed", "raise the far wall")
    assert "left the world" in lesson.failed


def test_flaky_preview_counts_as_failed() -> None:
    log = RunLog()
    log.preview(stability="flaky")
    log.preview(stability="stable")
    assert [lesson.kind for lesson in find_lessons(log.events)] == ["preview_failed"]


def test_rejected_designs_are_lessons_once_accepted() -> None:
    log = RunLog()
    finding = Finding(rule="floating", label="leg-1", detail="3 mm above the floor")
    log.add(DesignInvalidated, findings=(finding,), limits=values.LIMITS)
    log.cell("lengthen the leg")
    fields = {"assignment": values.ASSIGNMENT, "model": "m", "delivery": values.DELIVERY, "bill": values.BILL}
    log.add(DesignValidated, scene=values.SCENE, **fields)
    log.add(DesignRejected, review_md="flaky")
    log.cell("widen the catcher")
    log.add(DesignApproved, review_md="ok", delivery=values.DELIVERY, bill=values.BILL, result=values.RESULT)
    found = [(lesson.kind, lesson.resolved_by) for lesson in find_lessons(log.events)]
    assert found == [("design_invalidated", "lengthen the leg"), ("design_rejected", "widen the catcher")]


def test_repeated_failure_is_one_lesson() -> None:
    log = RunLog()
    log.cell("a", error="no")
    log.cell("b", error="no")
    log.cell("c")
    assert len(find_lessons(log.events)) == 1


async def test_run_without_failures_calls_no_model() -> None:
    log = RunLog()
    log.cell("all well")
    harness, _, success = await _learner(log)
    outcome = await harness.threads.answer(success)
    assert isinstance(outcome, SkillRejected)
    assert outcome.reason == "nothing_failed"
    assert harness.chat.calls == 0


async def test_lesson_becomes_a_stored_skill_version() -> None:
    harness, artifacts, success = await _learner(_troubled(), SKILL)
    outcome = await harness.threads.answer(success)
    assert isinstance(outcome, SkillLearned)
    assert outcome.id == outcome_id(success.id)
    assert (outcome.name, outcome.version, outcome.for_role) == ("box-channels", 1, "engineer")
    assert (await artifacts.get(outcome.skill_md)).decode() == SKILL
    assert outcome.digest == outcome.skill_md.sha256
    assert "radius must be positive" in last_prompt(harness.chat)[-1][1]


async def test_repeated_learning_gives_the_same_skill() -> None:
    versions = FakeVersions()
    harness, _, success = await _learner(_troubled(), SKILL, versions=versions)
    first = await harness.threads.answer(success)
    assert await harness.threads.answer(success) == first
    forgetful = RoleHarness(SkillLearner(harness.bus, SkillStore(FakeArtifacts(), versions)), [], harness.bus)
    again = await forgetful.threads.answer(success)
    assert isinstance(again, SkillLearned)
    assert again.version == 1
    assert len(versions.stored) == 1
    assert len([event for event in harness.bus.events if isinstance(event, ModelCalled)]) == 1


async def test_known_skill_is_not_learned_again() -> None:
    versions = FakeVersions()
    harness, _, success = await _learner(_troubled(), SKILL, versions=versions)
    await harness.threads.answer(success)
    other, _, success = await _learner(_troubled(), SKILL, versions=versions)
    outcome = await other.threads.answer(success)
    assert isinstance(outcome, SkillRejected)
    assert outcome.reason == "already_known"


async def test_changed_skill_is_the_next_version() -> None:
    versions = FakeVersions()
    for text, version in ((SKILL, 1), (SKILL.replace("0.8", "0.9"), 2)):
        harness, _, success = await _learner(_troubled(), text, versions=versions)
        outcome = await harness.threads.answer(success)
        assert isinstance(outcome, SkillLearned)
        assert outcome.version == version


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        ("```\n" + SKILL + "```", "no code fence"),
        (SKILL.replace("name: box-channels\n", ""), "name: Field required"),
        (SKILL.replace("box-channels", "Box Channels"), "name"),
        (SKILL.replace("box-channels", "build123d"), "is shipped"),
        (SKILL.replace("description: ", "description: see: "), "double quotes"),
        (SKILL.replace("description: ", "description: >\n  "), "double quotes"),
        (SKILL.replace("description: ", "description: *"), "double quotes"),
        (SKILL.replace("---\n\n##", "name: other\n---\n\n##"), "each field once"),
        (SKILL.replace("---\n\n##", "more\n---\n\n##"), "each field once"),
        (SKILL.replace("---\n\n##", "version: 3\n---\n\n##"), "version"),
        (SKILL.replace("## What worked", "## Tips"), "`## What worked`"),
        (SKILL.replace("- low walls", ""), "is empty"),
        (SKILL + "x" * 20_000, "longer than"),
    ],
)
async def test_malformed_skill_is_rejected(bad: str, complaint: str) -> None:
    harness, _, success = await _learner(_troubled(), bad, SKILL)
    outcome = await harness.threads.answer(success)
    assert isinstance(outcome, SkillLearned)
    assert complaint in last_prompt(harness.chat)[-1][1]


@pytest.mark.parametrize(("opening", "closing", "quote"), [('"Box: a \\"', '"', '"'), ("'Box: a ''", "'", "'")])
def test_description_in_quotes_is_read(opening: str, closing: str, quote: str) -> None:
    text = SKILL.replace("description: Box", f"description: {opening}").replace("build one.", f"build one.{closing}")
    description = read_skill(Message(author="assistant", text=text)).description
    assert description.startswith(f"Box: a {quote} channels")
    assert description.endswith("build one.")


def test_frontmatter_of_merge_keys_is_refused_at_once() -> None:
    """Each level merges the one before nine times; as YAML, 12 levels would take hours."""
    levels = ["a0: &a0 {x: 1}", *(f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}" for n in range(1, 13))]
    began_s = time.process_time()
    with pytest.raises(MalformedReplyError, match="double quotes"):
        read_skill(Message(author="assistant", text=SKILL.replace("name: ", "\n".join([*levels, "name: "]))))
    assert time.process_time() - began_s < 5.0


def test_change_of_a_long_file_is_not_compared() -> None:
    """Lines in another order, each of them often: a comparison takes more than quadratic time."""
    before = "".join(f"x{number % 250} = 1\n" for number in range(5000))
    after = "".join(f"x{number * 7 % 250} = 1\n" for number in range(5000))
    began_s = time.process_time()
    assert differences({"a.py": before}, {"a.py": after}) == (
        "a.py changed, with 5000 lines before and 5000 after: too many to compare"
    )
    assert time.process_time() - began_s < 5.0


async def test_repeated_malformed_skills_teach_nothing() -> None:
    harness, artifacts, success = await _learner(_troubled(), *["no"] * MAX_OF_ONE_CAUSE)
    outcome = await harness.threads.answer(success)
    assert isinstance(outcome, SkillRejected)
    assert outcome.reason == "malformed"
    assert artifacts.blobs == {}


async def test_offline_learner_writes_a_valid_skill() -> None:
    log = _troubled()
    log.preview(verdict="failed", summary_md="FAILED: it left the world <here>")
    log.cell("raise the far wall")
    log.preview(verdict="solved", stability="untested")
    harness, artifacts, success = await _learner(log)
    policy = SkillLearner(harness.bus, SkillStore(artifacts, FakeVersions()))
    threads = threads_of(policy, RoleModel(lambda _: offline_chat()), harness.bus)
    outcome = await threads.answer(success)
    assert isinstance(outcome, SkillLearned)
    assert outcome.name == "detour-cell-failed-preview-failed"
    text = (await artifacts.get(outcome.skill_md)).decode()
    assert "radius must be positive" in text
    assert "raise the far wall" in text


@pytest.mark.parametrize("changes", [{"verdict": "failed"}, {"stability": "flaky"}, {"stability": "untested"}])
async def test_nothing_is_learned_from_a_design_without_proof(changes: dict[str, Any]) -> None:
    harness, artifacts, success = await _learner(_troubled(), **changes)
    rejected = await harness.threads.answer(success)
    assert isinstance(rejected, SkillRejected)
    assert (rejected.reason, harness.chat.calls) == ("not_proven", 0)
    assert "physics has not proven the delivered design" in rejected.detail
    assert not artifacts.blobs
