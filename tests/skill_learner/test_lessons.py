"""Tests of lessons: failures that were resolved, by which event, and at which cost."""

import time
from typing import Any

from contracts.events.conversation import ModelCalled
from contracts.events.design import DesignApproved, DesignInvalidated, DesignRejected, DesignValidated
from contracts.events.plan import PlanApproved, PlanRejected
from contracts.events.session import FileWriteRequested
from contracts.models.conversation import Message, Usage
from contracts.models.design import Finding
from skill_learner.lessons import MAX_LESSONS, count_failures, differences, find_lessons, find_repeated

from tests.contracts import example_values as values
from tests.skill_learner.learner_harness import RunLog, troubled


def _call(step: int) -> dict[str, Any]:
    reply = Message(author="assistant", text="x")
    digest = values.digest("prompts")
    return {"model": "m", "step": step, "prompt_digest": digest, "new_messages": (), "reply": reply, "usage": Usage()}


def test_failed_cell_is_a_lesson_once_resolved() -> None:
    (lesson,) = find_lessons(troubled().events)
    assert (lesson.kind, lesson.times) == ("cell_failed", 1)
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


def test_edit_of_a_file_is_the_change_of_a_lesson_and_proves_it() -> None:
    log = RunLog()
    log.file("LABEL = 'leg 1'\n")
    log.cell("check", error="'leg 1' names no part")
    written = log.edit("leg 1", "leg-1", "LABEL = 'leg-1'\n")
    log.cell("check")
    (lesson,) = find_lessons(log.events)
    assert "+LABEL = 'leg-1'" in lesson.change.splitlines()
    assert lesson.proven_by == written.id


def test_failure_that_recurs_is_counted_and_costs_steps() -> None:
    log = RunLog()
    for number in range(3):
        log.add(ModelCalled, **_call(number))
        log.cell("build the legs", error="radius must be positive")
    log.edit("-1", "1", "RADIUS = 1\n")
    log.cell("build the legs")
    (lesson,) = find_lessons(log.events)
    assert (lesson.times, lesson.steps_lost) == (3, 2)


def test_of_too_many_lessons_the_costliest_remain() -> None:
    log = RunLog()
    for number in range(2 * MAX_LESSONS):
        for _ in range(4 if number == 7 else 1):
            log.cell(f"try {number}", error=f"fault {number} of its own kind")
        log.edit("a", "b", f"STATE = {number}\n")
        log.cell(f"try {number}")
    found = find_lessons(log.events)
    assert len(found) == MAX_LESSONS
    assert [each.times for each in found if "fault 7 " in each.failed] == [4]


def test_rejected_plan_is_a_lesson_of_the_planner() -> None:
    log = RunLog()
    log.add(PlanRejected, role="planner", review_md="no leg below the pocket")
    plan: dict[str, Any] = {
        "assignment": values.ASSIGNMENT,
        "budget": values.BUDGET,
        "model": "m",
        "environment": values.ENVIRONMENT,
    }
    plan |= {"plan_md": values.PLAN, "todo_md": values.TODO}
    log.add(PlanApproved, role="planner", review_md="", **plan)
    (lesson,) = find_lessons(log.events)
    assert (lesson.role, lesson.failed) == ("planner", "no leg below the pocket")


def test_repeated_failure_without_resolution_is_found_apart() -> None:
    log = RunLog()
    for _ in range(3):
        log.cell("a", error="no")
    log.cell("print a table of prices", error="once", code="for edge in edges:\n    print(edge)\n")
    assert find_lessons(log.events) == ()
    assert [each.times for each in find_repeated(log.events, 2)] == [3]


def test_failures_of_a_run_are_counted_with_those_of_a_target() -> None:
    log = RunLog()
    log.cell("a", error="radius must be positive")
    log.cell("a", error="radius must be positive")
    log.preview(verdict="failed", summary_md="FAILED: missed")
    assert count_failures(log.events, "radius must be positive") == (3, 2)
    assert count_failures(log.events) == (3, 0)


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
    fields: dict[str, Any] = {
        "assignment": values.ASSIGNMENT,
        "model": "m",
        "delivery": values.DELIVERY,
        "bill": values.BILL,
    }
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


def test_change_of_a_long_file_is_not_compared() -> None:
    """Lines in another order, each of them often: a comparison takes more than quadratic time."""
    before = "".join(f"x{number % 250} = 1\n" for number in range(5000))
    after = "".join(f"x{number * 7 % 250} = 1\n" for number in range(5000))
    began_s = time.process_time()
    assert differences({"a.py": before}, {"a.py": after}) == (
        "a.py changed, with 5000 lines before and 5000 after: too many to compare"
    )
    assert time.process_time() - began_s < 5.0
