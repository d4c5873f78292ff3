"""Tests of the engineer's policy: from each event to the next request."""

import pytest
from agent.kernel_session.experiments import tries_a_design
from contracts.envelope import Event, answering, request_id
from contracts.events.conversation import JournalEntryAdded
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.design import DesignSubmitted
from contracts.events.session import CellCompleted, CellRequested, FileRefused, FileWriteRequested, SessionOpened
from contracts.events.skill import SkillsOffered
from langchain_core.messages import ToolMessage

from tests.agent.role_harness import last_prompt
from tests.contracts import example_values as values
from tests.engineer.engineer_harness import (
    EngineerHarness,
    cell_reply,
    invalidated,
    plan_approved,
    rejected,
    write_reply,
)

SUBMIT = cell_reply("from script import assembly\nsubmit_for_review(assembly)", purpose="hand in")


async def test_engineer_resubmits_after_an_invalid_design() -> None:
    harness = EngineerHarness(
        cell_reply("print(benchmark)"),
        write_reply("script.py", "assembly = None"),
        cell_reply("simulate(assembly)", purpose="preview the chute"),
        SUBMIT,
        write_reply("script.py", "assembly = 1", thought="the leg was too short"),
        SUBMIT,
    )
    (look,) = await harness.start()
    (write,) = await harness.complete_cell(look, "Variant(...)")
    (preview,) = await harness.complete_write(write)
    journal, hand_in = await harness.complete_cell(preview, "SOLVED after 3 s")
    assert isinstance(journal, JournalEntryAdded)
    (submitted,) = await harness.complete_cell(hand_in, ending=values.SUBMISSION)
    assert isinstance(submitted, DesignSubmitted)
    assert submitted.submission == values.SUBMISSION
    assert submitted.environment == values.ENVIRONMENT
    journal, fixed = await harness.consume(invalidated(submitted))
    assert isinstance(fixed, FileWriteRequested)
    (hand_in,) = await harness.complete_write(fixed)
    (again,) = await harness.complete_cell(hand_in, ending=values.SUBMISSION)
    assert isinstance(again, DesignSubmitted)
    assert again.id != submitted.id
    assert harness.chat.calls == 6
    assert len({event.id for event in harness.bus.events}) == len(harness.bus.events)


async def test_decision_has_its_cause_and_a_derived_id() -> None:
    harness = EngineerHarness(cell_reply("x = 1"))
    approved = plan_approved()
    (requested,) = await harness.consume(approved)
    offered = SkillsOffered(**answering(requested, "skill-learner"), skills=())
    (session,) = await harness.consume(offered)
    opened = SessionOpened(**answering(session, "cad-worker"), ready_s=0.4, files=())
    (first,) = await harness.consume(opened)
    assert (requested.id, requested.causation_id) == (request_id(approved.run_id, "engineer", 0, 1), approved.id)
    assert (session.id, session.causation_id) == (request_id(approved.run_id, "engineer", 1, 1), offered.id)
    assert (first.id, first.causation_id) == (request_id(approved.run_id, "engineer", 2, 1), opened.id)


async def test_first_prompt_shows_assignment_plan_review_and_files() -> None:
    harness = EngineerHarness(cell_reply("x = 1"))
    await harness.start(max_steps=7)
    (_, system), (_, task) = last_prompt(harness.chat)
    assert "You have 7 replies" in system
    assert "| pla |" in system
    for shown in ("| forbid | wall |", values.PLAN.strip(), "T1: measure", "mind the wall", "`posts.py`"):
        assert shown in task


async def test_cell_is_requested_as_written() -> None:
    harness = EngineerHarness(cell_reply("for i in range(3):\n    print(i)", purpose="count"))
    (request,) = await harness.start()
    assert isinstance(request, CellRequested)
    assert (request.purpose, request.code) == ("count", "for i in range(3):\n    print(i)\n")


async def test_observation_is_shown_in_markdown() -> None:
    harness = EngineerHarness(cell_reply("x"), cell_reply("y"))
    (request,) = await harness.start()
    await harness.consume(CellCompleted(**answering(request, "cad-worker"), observation=values.OBSERVATION))
    shown = last_prompt(harness.chat)[-1][1]
    assert shown.startswith("# Observation")
    assert "radius must be positive" in shown


async def test_written_file_answers_its_tool_call() -> None:
    reply = write_reply("notes.md", "ü" * 3)
    harness = EngineerHarness(reply, cell_reply("x"))
    (request,) = await harness.start()
    assert isinstance(request, FileWriteRequested)
    assert (request.path, request.text) == ("notes.md", "üüü")
    await harness.complete_write(request)
    answer = harness.chat.conversations[-1][-1]
    assert isinstance(answer, ToolMessage)
    assert answer.tool_call_id == reply.tool_calls[0]["id"]


async def test_refused_file_is_shown_with_its_reason() -> None:
    harness = EngineerHarness(write_reply("utils/x.py", ""), cell_reply("x"))
    (request,) = await harness.start()
    refused = FileRefused(
        **answering(request, "cad-worker"), path="utils/x.py", reason="read_only", detail="write script.py instead"
    )
    await harness.consume(refused)
    assert "write script.py instead" in harness.chat.conversations[-1][-1].text


async def test_findings_are_shown_to_the_model() -> None:
    harness = EngineerHarness(SUBMIT, cell_reply("x"))
    (hand_in,) = await harness.start()
    (submitted,) = await harness.complete_cell(hand_in, ending=values.SUBMISSION)
    _, action = await harness.consume(invalidated(submitted))
    assert isinstance(action, CellRequested)
    assert "lengthen it" in last_prompt(harness.chat)[-1][1]


async def test_too_many_rejections_abandon_the_work() -> None:
    harness = EngineerHarness(SUBMIT, SUBMIT)
    (hand_in,) = await harness.start(max_rejections=1)
    (submitted,) = await harness.complete_cell(hand_in, ending=values.SUBMISSION)
    *_, hand_in = await harness.consume(rejected(submitted))
    assert "raise the walls" in last_prompt(harness.chat)[-1][1]
    (submitted,) = await harness.complete_cell(hand_in, ending=values.SUBMISSION)
    (abandoned,) = await harness.consume(rejected(submitted, "still flaky"))
    assert isinstance(abandoned, WorkAbandoned)
    assert abandoned.reason == "design_rejected"
    assert "still flaky" in abandoned.detail


async def test_exhausted_steps_abandon_the_work() -> None:
    harness = EngineerHarness(cell_reply("a"), cell_reply("b"))
    (first,) = await harness.start(max_steps=2)
    (second,) = await harness.complete_cell(first)
    (abandoned,) = await harness.complete_cell(second)
    assert isinstance(abandoned, WorkAbandoned)
    assert abandoned.reason == "steps_exhausted"
    assert harness.chat.calls == 2
    assert await harness.complete_cell(first) == [second]


async def test_experiment_is_journaled_with_its_conclusion() -> None:
    harness = EngineerHarness(
        cell_reply("simulate(assembly)", purpose="preview the chute"),
        cell_reply("x = 2", purpose="raise the walls", reasoning="the ball left at the corner"),
    )
    (preview,) = await harness.start()
    entry, _ = await harness.complete_cell(preview, "FAILED: left the world")
    assert isinstance(entry, JournalEntryAdded)
    assert entry.intent == "preview the chute"
    assert "FAILED: left the world" in entry.result
    assert (entry.reflection, entry.next_step) == ("the ball left at the corner", "raise the walls")


async def test_cell_without_experiment_leaves_no_entry() -> None:
    harness = EngineerHarness(cell_reply("x = 1"), cell_reply("y = 2"))
    (first,) = await harness.start()
    decided = await harness.complete_cell(first)
    assert [type(event) for event in decided] == [CellRequested]


@pytest.mark.parametrize(
    ("code", "tries"),
    [("r = simulate(assembly)", True), ("print(validate_and_price(p))", True), ("simulated(3)", False), ("", False)],
)
def test_experiment_is_recognized_by_its_call(code: str, tries: bool) -> None:
    assert tries_a_design(code) is tries


async def test_finished_engineer_ignores_events() -> None:
    harness = EngineerHarness(cell_reply("a"))
    (request,) = await harness.start(max_steps=1)
    (gave_up,) = await harness.complete_cell(request)
    late: list[Event] = [*await harness.consume(invalidated(gave_up)), *await harness.consume(plan_approved())]
    assert [type(event).__name__ for event in late] == ["SkillsRequested"], "the other plan is another run's"
    assert harness.chat.calls == 1
