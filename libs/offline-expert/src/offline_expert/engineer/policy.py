"""The engineer's policy: read the facts, design, check, adjust after failures, submit, or refuse with measurements."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf

from langchain_core.messages import AIMessage, BaseMessage

from offline_expert.drives.axis import NoMachineError
from offline_expert.drives.script import write_machine
from offline_expert.drives.selection import (
    MOTOR_SEARCH,
    choose_machine,
    choose_motor,
    choose_sweeper,
    needs_motor,
    rests_on_ledge,
)
from offline_expert.drives.sweeper import SWEEP, write_sweeper
from offline_expert.engineer.adjustments import (
    channel_proportions_after,
    drive_proportions_after,
    first_proportions,
    leaner,
    relaxations,
)
from offline_expert.engineer.history import Attempt, DesignHistory, Failure, read_history, read_task
from offline_expert.engineer.replies import (
    CellReplies,
    ExecutorReplies,
    Replies,
    SingleScriptReplies,
    ToolCallReplies,
    executor_of,
)
from offline_expert.engineer.todo_items import is_list_written, read_items
from offline_expert.markdown import numbers
from offline_expert.routing.design import ChannelDesign
from offline_expert.routing.dimensions import ChannelProportions
from offline_expert.routing.entry import entered
from offline_expert.routing.problem import RoutingProblem, problem_from
from offline_expert.routing.router import NoRouteError, find_design
from offline_expert.routing.script import summary_of, write_design

MAX_DESIGNS = 5
_MAX_CITED = 4
_MAX_QUESTIONS = 2
_OVER_LIMITS: tuple[Failure, ...] = ("over_limits", "slightly_over", "too_many_parts")


def decide(messages: Sequence[BaseMessage]) -> AIMessage:
    """Return the engineer's next reply. The same conversation always gets the same reply."""
    history, replies = read_conversation(messages)
    if isinstance(replies, CellReplies) and _lacks_path(history):
        return replies.watch_payload()
    if isinstance(replies, CellReplies) and _lacks_motors(history):
        return replies.search_motors(MOTOR_SEARCH)
    return next_step(history, replies, _next_design)


def _lacks_path(history: DesignHistory) -> bool:
    """Return whether the payload starts where no channel can begin, and was not watched."""
    if history.facts is None or history.path_mm is not None or not history.needs_design:
        return False
    problem = problem_from(history.facts)
    return problem.outside_text != "" or rests_on_ledge(problem)


def _problem_of(history: DesignHistory) -> RoutingProblem:
    """Return the problem, from where the payload comes by if the world itself moves it; what lies may roll."""
    assert history.facts is not None
    problem = entered(problem_from(history.facts), history.path_mm or [])
    return problem if needs_motor(problem) else problem.rolling()


def _lacks_motors(history: DesignHistory) -> bool:
    """Return whether the next design needs a motor, and the catalog was not searched for one."""
    if history.facts is None or history.motors is not None or not history.needs_design:
        return False
    return needs_motor(_problem_of(history))


def read_conversation(messages: Sequence[BaseMessage]) -> tuple[DesignHistory, ExecutorReplies]:
    """Return what was done so far, and the replies of the run's executor."""
    executor = executor_of(messages)
    if executor == "single_pass":
        return read_task(messages), SingleScriptReplies()
    items = read_items(messages)
    if executor == "tool_call":
        return read_history(messages), ToolCallReplies(items, is_list_written=is_list_written(messages))
    return read_history(messages), CellReplies(items)


def next_step(
    history: DesignHistory, replies: ExecutorReplies, next_design: Callable[[DesignHistory, Replies], AIMessage]
) -> AIMessage:
    """Return the reply that asks for facts, checks or submits a design, or else the one with the next design."""
    if isinstance(replies, SingleScriptReplies):
        return next_design(history, replies)
    if history.facts is None:
        if history.questions >= _MAX_QUESTIONS:
            reason = f"The kernel did not provide the benchmark's facts: {history.questions} cells did not print them."
            return refuse(history, replies, reason)
        return replies.ask_facts()
    if history.needs_design:
        return next_design(history, replies)
    attempt = history.attempts[-1]
    if attempt.stage == "checked" and attempt.preview is not None:
        return replies.submit_design(attempt.preview)
    return replies.check_design(len(history.attempts))


def _next_design(history: DesignHistory, replies: Replies) -> AIMessage:
    problem, number = _problem_of(history), len(history.attempts) + 1
    if number > MAX_DESIGNS:
        return refuse(history, replies, _attempts_summary(history.attempts))
    if needs_motor(problem):
        return _next_machine(history, problem, replies)
    try:
        design = _new_channel_design(history, problem)
    except NoRouteError as error:
        return refuse(history, replies, _with_attempts(str(error), history.attempts))
    return replies.write_script(write_design(design, problem), _channel_thought(history.attempts, design), number)


def _next_machine(history: DesignHistory, problem: RoutingProblem, replies: Replies) -> AIMessage:
    """Return a servo that sweeps the payload, or a machine with a motor that has not failed before."""
    attempts = history.attempts
    swept = [each for each in attempts if SWEEP in each.script]
    is_cheap = any(failure in _OVER_LIMITS for failure in history.failures)
    sweeper = choose_sweeper(problem, len(swept), is_cheap=is_cheap)
    if sweeper is not None:
        wait_s = drive_proportions_after(history.failures, has_movers=bool(problem.moving)).wait_s
        thought = f"{_failure_summary(attempts)} Next: {sweeper.summary}" if attempts else sweeper.summary
        return replies.write_script(write_sweeper(sweeper, wait_s, problem.taken), thought, len(attempts) + 1)
    failures: list[Failure] = [each.failure for each in attempts if each.failure and each not in swept]
    return _next_trolley(history, problem, replies, failures)


def _next_trolley(
    history: DesignHistory, problem: RoutingProblem, replies: Replies, failures: Sequence[Failure]
) -> AIMessage:
    """Return a trolley or a lift that follows from the failures of those before."""
    attempts = history.attempts
    proportions = drive_proportions_after(failures, has_movers=bool(problem.moving))
    channel = channel_proportions_after(failures, first_proportions(problem))
    motor = choose_motor(history.motors or [], proportions)
    try:
        driven = proportions if motor is None else replace(proportions, motor=motor)
        machine = choose_machine(problem, driven, relaxations(channel, is_held=problem.is_held))
    except NoMachineError as error:
        reason = f"This expert found no machine that fits; another one may. {error}{problem.outside_text}"
        return refuse(history, replies, _with_attempts(reason, history.attempts))
    text = write_machine(machine, problem.taken)
    if history.has_failed(text):
        return refuse(history, replies, _attempts_summary(attempts))
    source = "which is known to fit" if motor is None else "the cheapest suitable one that the catalog search found"
    thought = f"{machine.summary} The motor is `{machine.motor.id}`, {source}."
    if attempts:
        thought = f"{_failure_summary(attempts)} Next: {thought}"
    return replies.write_script(text, thought, len(attempts) + 1)


def _new_channel_design(history: DesignHistory, problem: RoutingProblem) -> ChannelDesign:
    """Return a design that has not failed before; raise `NoRouteError` if there is none."""
    refusal = NoRouteError("Every design that can be routed has already failed.")
    for failures in _escalations(history.failures):
        first = channel_proportions_after(failures, first_proportions(problem))
        for proportions in relaxations(first, is_held=problem.is_held):
            try:
                design = _affordable_design(problem, proportions)
            except NoRouteError as error:
                refusal = refusal if proportions.is_lane else error  # few worlds have lanes
                continue
            if not history.has_failed(write_design(design, problem)):
                return design
    raise refusal


def _affordable_design(problem: RoutingProblem, proportions: ChannelProportions) -> ChannelDesign:
    """Return the first design whose material alone does not exceed the price limit, or else the leanest."""
    design = find_design(problem, proportions)
    while problem.max_price_usd is not None and design.least_price_usd > problem.max_price_usd:
        lean = leaner(proportions)
        if lean == proportions:
            break
        proportions, design = lean, find_design(problem, lean)
    return design


def _escalations(failures: list[Failure]) -> list[list[Failure]]:
    """Return the failures, then these with more added: an adjustment that changes nothing does not help."""
    if not failures:
        return [[]]
    return [
        failures,
        [*failures, "lost", "lost"],
        [*failures, "lost", "lost", "stuck"],
        [*failures, "misplaced"],
    ]


def _channel_thought(attempts: Sequence[Attempt], design: ChannelDesign) -> str:
    summary = summary_of(design)
    if attempts:
        return f"{_failure_summary(attempts)} Next: {summary}"
    return f"{summary} {len(design.parts)} boxes, checked against zones, overlaps and floating before writing."


def _failure_summary(attempts: Sequence[Attempt]) -> str:
    """Return what became of the last attempt."""
    last = attempts[-1]
    summary = f"Design {len(attempts)} failed ({_plain(last)}):"
    preview = last.preview
    if not preview or last.failure in ("flaky", *_OVER_LIMITS, "misplaced", "interrupted"):
        return f"{summary} see the report above."
    return (
        f"{summary} the run ended as {preview.get('ending')} at {preview.get('final_mm')} mm, "
        f"{preview.get('closest_goal_mm')} mm away."
    )


def refuse(history: DesignHistory, replies: Replies, reason: str) -> AIMessage:
    """Return the cell that shows the figures of the reason, or, after it, the refusal that cites it."""
    if isinstance(replies, CellReplies) and history.proof is None:
        return replies.prove(reason, [_plain(each) for each in history.attempts])
    shown = history.failed_cells[-_MAX_CITED:] or [1]
    return replies.refuse(reason, shown if history.proof is None else [history.proof, *shown])


def _with_attempts(reason: str, attempts: Sequence[Attempt]) -> str:
    return f"{_attempts_summary(attempts)} {reason}" if attempts else reason


def _attempts_summary(attempts: Sequence[Attempt]) -> str:
    """Return the measured reason first: what the best design costs, or how each one failed."""
    failures = "; ".join(f"{number}: {_plain(each)}" for number, each in enumerate(attempts, start=1))
    prices = [each for each in attempts if each.failure in _OVER_LIMITS and each.detail]
    if prices and prices[-1] is attempts[-1]:
        cheapest = min(prices, key=lambda each: (numbers(each.detail) or [inf])[0])
        return f"{cheapest.detail}: the cheapest of {len(attempts)} designs. All failed: {failures}."
    return f"None of {len(attempts)} designs solves it. {failures}."


def _plain(attempt: Attempt) -> str:
    failure = (attempt.failure or "not checked").replace("_", " ")
    return f"{failure}, {attempt.detail}" if attempt.detail else failure
