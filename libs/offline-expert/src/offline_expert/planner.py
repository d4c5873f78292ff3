"""The planner's policy: a plan and TODO list from the positions of start, goal and obstacles."""

import math
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage

from offline_expert.drives.axis import NoMachineError
from offline_expert.drives.machine import DEFAULT_MOTOR, PINION_MM, DriveProportions
from offline_expert.drives.selection import choose_machine, needs_motor
from offline_expert.engineer.adjustments import first_proportions, relaxations
from offline_expert.markdown import LabelledBox, Point, boxes, last_containing, rows, value
from offline_expert.parts_estimate import RouteEstimate, channel_parts, driven_parts, over_limits, parts_table
from offline_expert.routing.problem import RoutingProblem, problem_from
from offline_expert.task_facts import facts_of

_MIN_ROLLING_DEG = 2.0
"""Least slope of this expert's channels. Balls roll on it in simulations; a ball's own limit is lower."""
_SIDE_RATIO, _HIGHER = 0.8, 0.2
"""Height of sides over the payload's size, and its increase after each failed plan."""
_CARRIED_KG = 0.25
"""Payload, carriage and motor together, at most."""
_REVIEW_CHARS = 600
_REVIEW_HEADINGS = ("# The critic rejected the plan",)
_PROVED_HEADING = "# The engineer proved"
NO_MACHINE = "No machine of this planner fits yet"
_NO_OTHER_PLAN = (
    "## No other plan\n\nThis planner knows one machine for each task, and the engineer has shown why it does not work "
    "here: another plan would be the same one. A machine of another kind may solve the task."
)

_ROLLING_STAGES = (
    "the payload drops into the upper end of the first channel, whose floor has the slope it needs",
    "it rolls down from channel to channel, each ending above the next",
    "it falls over a step into a pocket inside the goal zone and comes to rest on its flat floor",
)
_DRIVEN_STAGES = (
    "the payload comes to rest in the carriage",
    "the motor moves the carriage along the rack with at most 100 mm/s, starting and ending gently",
    "the payload leaves the carriage on a slope and comes to rest in the goal zone",
)
_STOPS = "the payload stops at a corner: channels overlap in height, so that it drops on"
_TOO_WEAK = "the motor is too weak: it works below half of its stall torque, with 2 mm of clearance"
_BOUNCES = "the payload leaves the pocket: the end wall is higher than the payload"
_TIPS = "a part is not held: every part touches another one and is glued to it and to the ground"


def decide(messages: Sequence[BaseMessage]) -> AIMessage:
    """Return a catalog search if a motor is needed and none was searched for; otherwise plan and TODO list.

    After a refusal that was upheld there is no other plan to propose.
    """
    if any(each.type == "human" and each.text.startswith(_PROVED_HEADING) for each in messages):
        return AIMessage(_NO_OTHER_PLAN)
    task = last_containing(messages, "## Zones (mm)")
    finds = [message.text for message in messages if message.type == "tool"]
    if _is_driven(task) and not finds:
        return _search()
    reviews = [each.text for each in messages if each.type == "human" and each.text.startswith(_REVIEW_HEADINGS)]
    return AIMessage(_plan(task, reviews, _motor_price(finds)))


def _search() -> AIMessage:
    torque_n_m = 2 * _CARRIED_KG * 9.81 * PINION_MM / 1000
    words = f"a gear motor with an encoder, at most 12 V, at least {torque_n_m:.2f} N m continuous torque, cheap"
    return AIMessage("", tool_calls=[{"id": "search-1", "name": "search_catalog", "args": {"words": words}}])


def _motor_price(finds: Sequence[str]) -> float | None:
    """Return the catalog's price of the default motor, if it was found."""
    return next((float(row[2]) for text in finds for row in rows(text) if row[0] == DEFAULT_MOTOR.id), None)


def _plan(task: str, reviews: Sequence[str], motor_usd: float | None) -> str:
    route = _route_estimate(task, len(reviews))
    is_driven = _is_driven(task)
    idea = [
        _summary(task),
        _motor_paragraph(task) if is_driven else f"{_energy(task)} {_path(task)}",
        f"Sides are {route.side_mm:.0f} mm high, channels a third wider than the payload. Limits: unit price "
        f"{value(task, 'unit price')}, mass {value(task, 'mass')}, parts {value(task, 'parts')}.",
    ]
    if reviews:
        review = " ".join(reviews[-1].split())[:_REVIEW_CHARS]
        idea.append(f"The review of the last plan is taken into account, with higher sides: {review}")
    parts = driven_parts(task, route, motor_usd) if is_driven else channel_parts(task, route)
    moved_by = (
        "a bought gear motor, its pinion on a rack" if is_driven else f"gravity, on a mean slope of {_slope(task)}"
    )
    stages = enumerate(_DRIVEN_STAGES if is_driven else _ROLLING_STAGES, start=1)
    risks = [f"- {risk}" for risk in (_TOO_WEAK if is_driven else _STOPS, _BOUNCES, _TIPS)]
    risks += [
        f"- the estimate is over the limit: {each}; the design is measured by its own price"
        for each in over_limits(task, parts)
    ][:1]
    sections = {
        "Idea": "\n\n".join(idea),
        "Parts": parts_table(parts),
        "Motion": "\n".join([f"Moved by: {moved_by}\n", *(f"{number}. {text}" for number, text in stages)]),
        "Risks": "\n".join(risks),
        "TODO": _todo(is_driven),
    }
    return "\n\n".join(f"## {title}\n\n{body}" for title, body in sections.items())


def _route_estimate(task: str, failed_plans: int) -> RouteEstimate:
    start, goal = _start(task), _box(task, "goal").center
    dx, dy = abs(goal[0] - start[0]), abs(goal[1] - start[1])
    size_mm = _problem(task).size_mm
    is_straight = _is_driven(task) or not _obstacles(task)
    length_mm = math.hypot(dx, dy) if is_straight else dx + dy + 4 * size_mm
    floor_mm = max(_box(task, "bounds").low[2], 0.0)
    return RouteEstimate(
        payload_mm=size_mm,
        segments=1 if is_straight else 3,
        length_mm=max(length_mm, abs(goal[2] - start[2]), 2 * size_mm),
        height_mm=max((start[2] + goal[2]) / 2 - floor_mm, size_mm),
        side_mm=size_mm * (_SIDE_RATIO + _HIGHER * failed_plans),
    )


def _summary(task: str) -> str:
    start, goal = _start(task), _box(task, "goal").center
    distance_mm, up_mm = math.dist(start[:2], goal[:2]), goal[2] - start[2]
    return (
        f"The payload ({value(task, 'shape')}) starts at {_xyz(start)} mm and must come to rest at {_xyz(goal)} mm: "
        f"{distance_mm:.0f} mm away and {abs(up_mm):.0f} mm {'higher' if up_mm >= 0 else 'lower'}, a mean slope of "
        f"{_slope(task)}."
    )


def _motor_paragraph(task: str) -> str:
    up_mm = _box(task, "goal").center[2] - _start(task)[2]
    proportions = DriveProportions()
    try:
        problem = _problem(task)
        channels = relaxations(first_proportions(problem), is_held=problem.is_held)
        machine = choose_machine(problem, proportions, channels).summary
    except NoMachineError as error:
        machine = f"{NO_MACHINE}: {error}{_problem(task).outside_text}"
    return (
        f"Gravity is not enough: the middle of the goal is {abs(up_mm):.0f} mm {'above' if up_mm >= 0 else 'below'} "
        f"the start. {machine} A bought gear motor with a position sensor drives it: a pinion on a rack, "
        f"{proportions.speed_mm_s:g} mm/s, below half of its stall torque. It moves a single carriage, which carries "
        "the motor itself."
    )


def _energy(task: str) -> str:
    if _slope_deg(task) >= _MIN_ROLLING_DEG:
        return f"Gravity is enough: {_slope(task)} is more than the {_MIN_ROLLING_DEG:g} of the flattest channel."
    return f"Gravity is doubtful: the flattest channel has {_MIN_ROLLING_DEG:g} degrees, a straight path offers less."


def _path(task: str) -> str:
    obstacles = _obstacles(task)
    if not obstacles:
        return "The straight line from start to goal is free: one straight chute, with a catcher under the start."
    names = ", ".join(f"`{label}`" for label in obstacles)
    return (
        f"The straight line from start to goal runs through {names}: go around in channels at right angles, "
        "each ending above the next so that the payload drops on and never stops."
    )


def _obstacles(task: str) -> list[str]:
    """Return the labels of the boxes on the straight line from start to goal."""
    start, goal = _start(task), _box(task, "goal").center
    candidates = [box for box in boxes(task) if box.kind.startswith(("forbid", "environment", "loose"))]
    return [box.label for box in candidates if box.crosses(start, goal)]


def _todo(is_driven: bool) -> str:
    work = (
        ("Design guides, carriage, rack and motor", "Write script.py: printed parts, the joint, the motor's control")
        if is_driven
        else ("Route a channel clear of every forbid zone", "Write script.py: channel, posts and pocket, each labelled")
    )
    texts = (
        "Read benchmark and environment in the kernel",
        *work,
        "Check price and manufacturability with validate_and_price",
        "Simulate, and fix the design until the payload stays in the goal zone in every replica",
        "Submit for review",
    )
    return "\n".join(f"- [ ] T{number}: {text}" for number, text in enumerate(texts, start=1))


def _is_driven(task: str) -> bool:
    """Tell whether the engineer will build a machine with a motor."""
    return needs_motor(_problem(task))


def _problem(task: str) -> RoutingProblem:
    """Return the task's tables as a routing problem."""
    return problem_from(facts_of(task))


def _slope_deg(task: str) -> float:
    start, goal = _start(task), _box(task, "goal").center
    return math.degrees(math.atan2(start[2] - goal[2], math.dist(start[:2], goal[:2])))


def _slope(task: str) -> str:
    return f"{_slope_deg(task):.1f} degrees"


def _start(task: str) -> Point:
    return _problem(task).start


def _box(task: str, kind: str) -> LabelledBox:
    """Return the first box of a kind."""
    return next(box for box in boxes(task) if box.kind == kind)


def _xyz(point: Point) -> str:
    return "(" + ", ".join(f"{axis:.0f}" for axis in point) + ")"
