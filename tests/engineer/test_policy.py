"""The engineer as a function: from each event to the next request, one model call between."""

import pytest
from contracts.envelope import Event, request_id
from contracts.events.conversation import JournalEntryAdded, ModelCalled, ReplyRejected
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.design import DesignSubmitted
from contracts.events.session import CellCompleted, CellRequested, FileRefused, FileWriteRequested, SessionOpened
from contracts.events.skill import SkillsOffered
from engineer.experiments import tries_a_design
from langchain_core.messages import AIMessage, ToolMessage

from tests.agent.role_harness import seen_by
from tests.contracts import example_values as values
from tests.engineer.engineer_harness import Walk, cell, file, invalidated, plan_approved, rejected

SUBMIT = cell("from script import assembly\nsubmit_for_review(assembly)", purpose="hand in")


async def test_engineer_resubmits_after_an_invalid_design() -> None:
    walk = Walk(
        cell("print(benchmark)"),
        file("script.py", "assembly = None"),
        cell("simulate(assembly)", purpose="preview the chute"),
        SUBMIT,
        file("script.py", "assembly = 1", thought="the leg was too short"),
        SUBMIT,
    )
    (look,) = await walk.begin()
    (write,) = await walk.observe(look, "Variant(...)")
    (preview,) = await walk.written(write)
    journal, hand_in = await walk.observe(preview, "SOLVED after 3 s")
    assert isinstance(journal, JournalEntryAdded)
    (submitted,) = await walk.observe(hand_in, ending=values.SUBMISSION)
    assert isinstance(submitted, DesignSubmitted)
    assert submitted.submission == values.SUBMISSION
    assert submitted.environment == values.ENVIRONMENT
    journal, mended = await walk.hear(invalidated(submitted))
    assert isinstance(mended, FileWriteRequested)
    (hand_in,) = await walk.written(mended)
    (again,) = await walk.observe(hand_in, ending=values.SUBMISSION)
    assert isinstance(again, DesignSubmitted)
    assert again.id != submitted.id
    assert walk.chat.calls == 6
    assert len({event.id for event in walk.bus.events}) == len(walk.bus.events)


async def test_decision_has_its_cause_and_a_derived_id() -> None:
    walk = Walk(cell("x = 1"))
    approved = plan_approved()
    (wanted,) = await walk.hear(approved)
    offered = SkillsOffered.answering(wanted, "skill-learner", skills=())
    (session,) = await walk.hear(offered)
    opened = SessionOpened.answering(session, "cad-worker", ready_s=0.4, files=())
    (first,) = await walk.hear(opened)
    assert (wanted.id, wanted.causation_id) == (request_id(approved.run_id, "engineer", 0, 1), approved.id)
    assert (session.id, session.causation_id) == (request_id(approved.run_id, "engineer", 1, 1), offered.id)
    assert (first.id, first.causation_id) == (request_id(approved.run_id, "engineer", 2, 1), opened.id)


async def test_first_prompt_shows_assignment_plan_review_and_files() -> None:
    walk = Walk(cell("x = 1"))
    await walk.begin(max_steps=7)
    (_, system), (_, task) = seen_by(walk.chat)
    assert "You have 7 replies" in system
    assert "| pla |" in system
    for shown in ("| forbid | wall |", values.PLAN.strip(), "T1: measure", "mind the wall", "`script.py`"):
        assert shown in task


async def test_cell_is_requested_as_written() -> None:
    walk = Walk(cell("for i in range(3):\n    print(i)", purpose="count"))
    (request,) = await walk.begin()
    assert isinstance(request, CellRequested)
    assert (request.purpose, request.code) == ("count", "for i in range(3):\n    print(i)\n")


async def test_observation_is_shown_in_markdown() -> None:
    walk = Walk(cell("x"), cell("y"))
    (request,) = await walk.begin()
    await walk.hear(CellCompleted.answering(request, "cad-worker", observation=values.OBSERVATION))
    shown = seen_by(walk.chat)[-1][1]
    assert shown.startswith("# Observation")
    assert "radius must be positive" in shown


async def test_written_file_answers_its_tool_call() -> None:
    reply = file("notes.md", "ü" * 3)
    walk = Walk(reply, cell("x"))
    (request,) = await walk.begin()
    assert isinstance(request, FileWriteRequested)
    assert (request.path, request.text) == ("notes.md", "üüü")
    await walk.written(request)
    answer = walk.chat.conversations[-1][-1]
    assert isinstance(answer, ToolMessage)
    assert answer.tool_call_id == reply.tool_calls[0]["id"]


async def test_refused_file_is_shown_with_its_reason() -> None:
    walk = Walk(file("utils/x.py", ""), cell("x"))
    (request,) = await walk.begin()
    refused = FileRefused.answering(
        request, "cad-worker", path="utils/x.py", reason="read_only", detail="write script.py instead"
    )
    await walk.hear(refused)
    assert "write script.py instead" in walk.chat.conversations[-1][-1].text


async def test_findings_are_shown_to_the_model() -> None:
    walk = Walk(SUBMIT, cell("x"))
    (hand_in,) = await walk.begin()
    (submitted,) = await walk.observe(hand_in, ending=values.SUBMISSION)
    _, action = await walk.hear(invalidated(submitted))
    assert isinstance(action, CellRequested)
    assert "lengthen it" in seen_by(walk.chat)[-1][1]


async def test_too_many_rejections_abandon_the_work() -> None:
    walk = Walk(SUBMIT, SUBMIT)
    (hand_in,) = await walk.begin(max_rejections=1)
    (submitted,) = await walk.observe(hand_in, ending=values.SUBMISSION)
    *_, hand_in = await walk.hear(rejected(submitted))
    assert "raise the walls" in seen_by(walk.chat)[-1][1]
    (submitted,) = await walk.observe(hand_in, ending=values.SUBMISSION)
    (abandoned,) = await walk.hear(rejected(submitted, "still flaky"))
    assert isinstance(abandoned, WorkAbandoned)
    assert abandoned.reason == "design_rejected"
    assert "still flaky" in abandoned.detail


async def test_exhausted_steps_abandon_the_work() -> None:
    walk = Walk(cell("a"), cell("b"))
    (first,) = await walk.begin(max_steps=2)
    (second,) = await walk.observe(first)
    (abandoned,) = await walk.observe(second)
    assert isinstance(abandoned, WorkAbandoned)
    assert abandoned.reason == "steps_exhausted"
    assert walk.chat.calls == 2
    assert await walk.observe(first) == [second]


async def test_submission_with_the_last_step_counts() -> None:
    walk = Walk(SUBMIT)
    (hand_in,) = await walk.begin(max_steps=1)
    (submitted,) = await walk.observe(hand_in, ending=values.SUBMISSION)
    assert isinstance(submitted, DesignSubmitted)


async def test_malformed_replies_use_steps() -> None:
    walk = Walk("hello", "hello")
    (rejected_reply,) = await walk.begin(max_steps=2)
    (rejected_reply,) = await walk.hear(rejected_reply)
    assert isinstance(rejected_reply, ReplyRejected)
    (abandoned,) = await walk.hear(rejected_reply)
    assert isinstance(abandoned, WorkAbandoned)
    assert abandoned.reason == "steps_exhausted"


async def test_repeated_malformed_replies_abandon_the_work() -> None:
    walk = Walk("hello", "hello", "hello")
    decided = await walk.begin()
    for _ in range(2):
        decided = await walk.hear(decided[0])
    (abandoned,) = decided
    assert isinstance(abandoned, WorkAbandoned)
    assert abandoned.reason == "model_failed"


@pytest.mark.parametrize(
    ("reply", "complaint"),
    [
        ("I would first look around.", "exactly the sections"),
        (cell("a").replace("## Next goal", "## Next step"), "`## Next goal`"),
        (cell("a") + "\n```python\nb\n```", "exactly one closed"),
        (cell("a").replace("```python", "```"), "```python"),
        (AIMessage("", tool_calls=[{"id": "1", "name": "bash", "args": {}}]), "no tool `bash`"),
        (AIMessage("", tool_calls=[{"id": "1", "name": "write_file", "args": {"path": "a"}}]), "text: Field required"),
        (
            AIMessage("", tool_calls=[{"id": "1", "name": "write_file", "args": {"path": "a", "text": 5}}]),
            "valid string",
        ),
        (
            AIMessage(
                "",
                tool_calls=[{"id": str(n), "name": "write_file", "args": {"path": "a", "text": "b"}} for n in (1, 2)],
            ),
            "One tool call at a time",
        ),
        (
            AIMessage(cell("a"), tool_calls=[{"id": "1", "name": "write_file", "args": {"path": "a", "text": "b"}}]),
            "not both",
        ),
    ],
)
async def test_reply_without_exactly_one_action_is_rejected(
    reply: str | AIMessage, complaint: str
) -> None:
    walk = Walk(reply, cell("x = 1"))
    (problem,) = await walk.begin()
    assert isinstance(problem, ReplyRejected)
    assert complaint in problem.problem
    (action,) = await walk.hear(problem)
    assert isinstance(action, CellRequested)
    assert [kind for kind, _ in seen_by(walk.chat)] == ["system", "human", "human"]


async def test_experiment_is_journaled_with_its_conclusion() -> None:
    walk = Walk(
        cell("simulate(assembly)", purpose="preview the chute"),
        cell("x = 2", purpose="raise the walls", reasoning="the ball left at the corner"),
    )
    (preview,) = await walk.begin()
    entry, _ = await walk.observe(preview, "FAILED: left the world")
    assert isinstance(entry, JournalEntryAdded)
    assert entry.intent == "preview the chute"
    assert "FAILED: left the world" in entry.result
    assert (entry.reflection, entry.next_step) == ("the ball left at the corner", "raise the walls")


async def test_cell_without_experiment_leaves_no_entry() -> None:
    walk = Walk(cell("x = 1"), cell("y = 2"))
    (first,) = await walk.begin()
    decided = await walk.observe(first)
    assert [type(event) for event in decided] == [CellRequested]


@pytest.mark.parametrize(
    ("code", "tries"),
    [("r = simulate(assembly)", True), ("print(validate_and_price(p))", True), ("simulated(3)", False), ("", False)],
)
def test_experiment_is_recognized_by_its_call(code: str, tries: bool) -> None:
    assert tries_a_design(code) is tries


async def test_redelivered_observation_decides_the_same_with_one_call() -> None:
    walk = Walk(cell("a"), cell("b"))
    (first,) = await walk.begin()
    once = await walk.observe(first)
    assert await walk.observe(first) == once
    assert len([event for event in walk.bus.events if isinstance(event, ModelCalled)]) == 2


async def test_finished_engineer_ignores_events() -> None:
    walk = Walk(cell("a"))
    (request,) = await walk.begin(max_steps=1)
    (gave_up,) = await walk.observe(request)
    late: list[Event] = [*await walk.hear(invalidated(gave_up)), *await walk.hear(plan_approved())]
    assert [type(event).__name__ for event in late] == ["SkillsRequested"], "the other plan is another run's"
    assert walk.chat.calls == 1
