"""Reading of a journal of 1,000 entries: within the budget, and the planted lesson is found."""

import random
from typing import Any

import pytest
from agent.model.providers import offline_chat
from agent.model.role_model import RoleModel
from artifacts.testing import FakeArtifacts
from chassis.testing import FakeBus
from contracts.events.conversation import JournalEntryAdded, ModelCalled, ToolAnswered
from contracts.events.skill import SkillLearned
from contracts.models.conversation import Message, Usage
from skill_learner.record.budget import tokens_of
from skill_learner.record.run_record import RunSource
from skill_learner.settings import LearningLimits

from tests.agent.role_harness import threads_of
from tests.contracts import example_values as values
from tests.skill_learner.learner_harness import RunLog, learner_on

ENTRIES = 1_000
CASES = 20
BUDGET = LearningLimits().reading_tokens
CALLS = ("extrude", "loft", "sweep", "revolve", "fillet", "offset", "chamfer", "mirror")


def _log(seed: int) -> tuple[RunLog, str, str]:
    """Return a run with a lesson at a random entry, its error and its fix; the others succeed, or slip once."""
    rng = random.Random(seed)
    log, at = RunLog(), rng.randrange(20, ENTRIES - 20)
    call = rng.choice(CALLS)
    error = f"{call} needs its own {rng.choice(('wire', 'face', 'plane', 'path'))} number {rng.randrange(100, 999)}"
    fix = (
        f"shape = {call}(profile, both={rng.randrange(2)}, clean={rng.randrange(2)})  # variant {rng.randrange(10**6)}"
    )
    for number in range(1, ENTRIES + 1):
        reply = Message(
            author="assistant", text=f"I try idea {number}. " + "It has walls and legs. " * rng.randrange(2, 9)
        )
        digest = values.digest("prompts")
        fields: dict[str, Any] = {
            "model": "offline",
            "prompt_digest": digest,
            "new_messages": (),
            "reply": reply,
            "usage": Usage(),
        }
        log.add(ModelCalled, step=number, **fields)
        if number == at:
            for _ in range(3):
                log.cell("build the part", error=error, code=f"shape = {call}(profile)\n")
                log.add(ModelCalled, step=ENTRIES + number, **fields)
            log.edit(f"shape = {call}(profile)", fix, f"{fix}\n")
            log.cell("build the part")
        elif rng.random() < 0.15:
            log.cell(f"idea {number}", error=f"name x{number} is not defined", code=f"x{number}\n")
            log.edit("a", "b", f"STATE = {number}\n")
            log.cell(f"idea {number}")
        else:
            log.cell(f"idea {number}", code=f"y = {number}\n")
        entry: dict[str, Any] = {"from_token": 40 * (number - 1), "to_token": 40 * number, "rule": 1}
        entry |= {"intent": f"idea {number}", "result": "as before", "reflection": "", "next_step": ""}
        log.add(JournalEntryAdded, number=number, **entry)
    return log, error, fix


async def _learned(log: RunLog) -> tuple[str, int]:
    """Return the skill that the offline expert writes, and the tokens that it has read."""
    bus, artifacts = FakeBus(), FakeArtifacts()
    success = log.success()
    bus.events.extend(log.events)
    threads = threads_of(learner_on(bus, artifacts), RoleModel(lambda _: offline_chat()), bus)
    outcome = await threads.answer(success)
    called = [event for event in bus.events if isinstance(event, ModelCalled) and event.role == "skill-learner"]
    first = sum(tokens_of(message.text) for message in called[0].new_messages)
    answers = sum(tokens_of(event.answer_md) for event in bus.events if isinstance(event, ToolAnswered))
    text = (await artifacts.get(outcome.skill_md)).decode() if isinstance(outcome, SkillLearned) else ""
    return text, first + answers


@pytest.mark.full
async def test_planted_lesson_is_found_within_the_budget_in_at_least_18_of_20() -> None:
    found, read = 0, list[int]()
    for seed in range(CASES):
        log, error, fix = _log(seed)
        text, tokens = await _learned(log)
        found += error in text and fix in text
        read.append(tokens)
    assert max(read) <= BUDGET, f"{max(read)} tokens"
    assert found >= 18, f"{found} of {CASES}"


def test_index_of_all_entries_takes_less_than_half_of_the_budget() -> None:
    log, _, _ = _log(1)
    record = RunSource(log.events)
    pages = [record.index("engineer", page) for page in range(1, ENTRIES // 125 + 1)]
    assert sum(map(tokens_of, pages)) < BUDGET // 2
    assert sum(page.count("\n- ") for page in pages) == ENTRIES
