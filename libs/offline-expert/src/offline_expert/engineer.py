"""The engineer's rules: read the facts, route, write, check, mend, submit; refuse with what was measured."""

from collections.abc import Sequence
from dataclasses import replace

from langchain_core.messages import AIMessage, BaseMessage

from offline_expert.design import cells, single_script
from offline_expert.design.adjustments import relaxations, tuning_after
from offline_expert.design.history import Attempt, History, Trouble, read_history
from offline_expert.design.reply_format import Writer, executor_of, manner_of
from offline_expert.design.script import summary_of, write_design
from offline_expert.design.single_script import facts_of_task
from offline_expert.drives.adjustments import proportions_after
from offline_expert.drives.axis import NoWayError
from offline_expert.drives.machine_choice import machine_for, needs_motor
from offline_expert.drives.motor_choice import WORDS, motor_among
from offline_expert.drives.script import write_machine
from offline_expert.routing.design import Design
from offline_expert.routing.problem import Problem, problem_from
from offline_expert.routing.route import NoRouteError, route

MOST_DESIGNS = 5
_MOST_QUESTIONS = 2


def decide(messages: Sequence[BaseMessage]) -> AIMessage:
    """Return the engineer's next reply. The same conversation always gets the same reply."""
    if executor_of(messages) == "single_pass":
        return _next_design(History(facts_of_task(messages), questions=0, attempts=[]), single_script)
    return _next_step(messages)


def _next_step(messages: Sequence[BaseMessage]) -> AIMessage:
    manner, history = manner_of(messages), read_history(messages)
    if history.facts is None:
        if history.questions >= _MOST_QUESTIONS:
            return manner.refuse("The kernel did not say what the benchmark is: its facts could not be read twice.")
        return manner.ask_facts()
    attempt = history.attempts[-1] if history.attempts else None
    if attempt is None or attempt.stage == "failed":
        is_free_to_search = executor_of(messages) == "code" and history.motors is None
        if is_free_to_search and needs_motor(problem_from(history.facts)):
            return cells.search_motors(WORDS)
        return _next_design(history, manner)
    if attempt.stage == "checked" and attempt.seen is not None:
        return manner.submit_design(attempt.seen)
    return manner.check_design(len(history.attempts))


def _next_design(history: History, writer: Writer) -> AIMessage:
    assert history.facts is not None
    problem, number = problem_from(history.facts), len(history.attempts) + 1
    if number > MOST_DESIGNS:
        return writer.refuse(_what_was_tried(history.attempts))
    if needs_motor(problem):
        return _next_machine(history, problem, writer)
    if not problem.is_ball:
        return writer.refuse("The payload is no ball: the channels of this expert are measured for balls only.")
    try:
        design = _route_with_mends(history.attempts, problem)
    except NoRouteError as error:
        return writer.refuse(f"No channel of boxes reaches the goal zone. {error}")
    return writer.write_script(write_design(design, problem), _thought(history.attempts, design), number)


def _next_machine(history: History, problem: Problem, writer: Writer) -> AIMessage:
    """Return a machine with a motor that none of the attempts was, unless only the kernel failed."""
    attempts = history.attempts
    like = proportions_after([attempt.trouble for attempt in attempts if attempt.trouble])
    motor = motor_among(history.motors or [], like)
    try:
        machine = machine_for(problem, like if motor is None else replace(like, motor=motor))
    except NoWayError as error:
        return writer.refuse(f"Gravity cannot do it, and no machine with a motor was found. {error}")
    text = write_machine(machine)
    if any(attempt.script == text and attempt.trouble != "interrupted" for attempt in attempts):
        return writer.refuse(f"The machine that would come next has already failed. {_what_was_tried(attempts)}")
    bought = "known by heart" if motor is None else "the cheapest that fits of those that the catalog's search found"
    thought = f"{machine.summary} The motor is `{machine.motor.id}`, {bought}."
    if attempts:
        thought = f"Design {len(attempts)} was {attempts[-1].trouble}: {_told(attempts[-1])} Next: {thought}"
    return writer.write_script(text, thought, len(attempts) + 1)


def _route_with_mends(attempts: Sequence[Attempt], problem: Problem) -> Design:
    """Return a design that none of the attempts was, unless only the kernel failed."""
    troubles: list[Trouble] = [attempt.trouble for attempt in attempts if attempt.trouble]
    known = {attempt.script for attempt in attempts if attempt.trouble != "interrupted"}
    refusal = NoRouteError("Every design that can be routed has already failed.")
    for more in _escalations(troubles):
        for tuning in relaxations(tuning_after(more)):
            try:
                design = route(problem, tuning)
            except NoRouteError as error:
                refusal = error
                continue
            if write_design(design, problem) not in known:
                return design
    raise refusal


def _escalations(troubles: list[Trouble]) -> list[list[Trouble]]:
    """Return the troubles as they are, then as if more had gone wrong: a mend that changes nothing is no mend."""
    if not troubles:
        return [[]]
    return [troubles, [*troubles, "lost", "lost"], [*troubles, "lost", "lost", "stuck"], [*troubles, "misplaced"]]


def _thought(attempts: Sequence[Attempt], design: Design) -> str:
    what = summary_of(design)
    if not attempts:
        return f"{what} {len(design.parts)} boxes, checked against zones, overlaps and floating before writing."
    last = attempts[-1]
    return f"Design {len(attempts)} was {last.trouble}: {_told(last)} Next: {what}"


def _told(attempt: Attempt) -> str:
    seen = attempt.seen
    if not seen or attempt.trouble in ("flaky", "dear", "misplaced", "interrupted"):
        return "the report above says where."
    return f"the run ended as {seen.get('ending')} at {seen.get('final_mm')} mm, {seen.get('closest_goal_mm')} mm away."


def _what_was_tried(attempts: Sequence[Attempt]) -> str:
    troubles = ", ".join(f"{number}: {each.trouble}" for number, each in enumerate(attempts, start=1))
    return f"{len(attempts)} designs were built and tried, and none held ({troubles})."
