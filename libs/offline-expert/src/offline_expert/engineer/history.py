"""History of the expert's attempts, read from the conversation alone."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, TypeGuard, cast

from langchain_core.messages import AIMessage, BaseMessage

from offline_expert.boxes import Vec
from offline_expert.drives.machine import FoundMotor
from offline_expert.engineer.facts import FACTS
from offline_expert.engineer.replies import MOTORS, PATH, RESULT, SCRIPT
from offline_expert.markdown import last_containing
from offline_expert.routing.problem import Facts
from offline_expert.task_facts import facts_of, solid_labels, with_task

Failure = Literal[
    "over_limits",
    "slightly_over",
    "too_many_parts",
    "misplaced",
    "too_large",
    "unmakeable",
    "lost",
    "stuck",
    "overshot",
    "flaky",
    "overloaded",
    "weak_panel",
    "weak_joint",
    "interrupted",
]
"""Why a design was not approved.

over_limits: price or mass. slightly_over: by at most 5 %. too_many_parts: their number. misplaced: zones, overlaps or
floating parts. too_large: a part does not fit into the machine that makes it. unmakeable: another finding about a part.
lost: the payload left the channel. stuck: it stayed in the channel. overshot: it reached the goal and left it. flaky:
only some replicas reach the goal. overloaded: the connection of a leg, or a motor, gave way. weak_panel: another part
did. weak_joint: the glue between two channels did. interrupted: the kernel failed, not the design.
"""
Stage = Literal["written", "checked", "failed"]

_BETWEEN_CHANNELS = re.compile(r"(chute-\d+|pocket)-.*-to-(?!\1-)(chute-\d+|pocket)-")
"""The label of a joint whose parts are of two channels, or of a channel and the pocket."""
_FALLEN_MM = 60.0
"""A payload whose centre rests less than this above the build zone's bottom has fallen out of every channel."""
_CELL_ACTIONS = {
    "refuse_plan(": "refuse",
    "Watch where": "watch",
    "Measure why no design": "prove",
    "submit_for_review": "submit",
    "simulate(assembly)": "preview",
    "catalog.search(": "search",
    "environment.solids()": "ask",
}
"""From a phrase in a cell of the expert's to its action."""
_CALL_ACTIONS = {"refuse_plan": "refuse", "submit_for_review": "submit", "simulate": "preview", "query": "ask"}
_WORLD = re.compile(r"^world: (?P<json>\{.*\})$", re.MULTILINE)
_PREVIEW = re.compile(r"^seen: (?P<json>\{.*\})$", re.MULTILINE)
"""Output of the tools `query` and `simulate`."""
_RULES = re.compile(r"\*\*([a-z_]+)\*\*")
_MEASURED = re.compile(r"AssertionError(?:`(?: in line \d+ of the cell)?)?: (?P<text>[^\n]+)")
"""The measured reason with which a cell ended."""
_ERROR = re.compile(r"^### Error\n`(?P<type>\w+)`[^:\n]*:\s*(?:[`~]{3,}\w*\n)?(?P<text>[^\n]+)", re.MULTILINE)
"""Any other error with which it ended."""
_FINDING = re.compile(r"^- \*\*[a-z_]+\*\*[^\n]*", re.MULTILINE)
_DETAIL_CHARS = 160
_REJECTED = "A submission of this would be rejected"
"""Begins the findings that `simulate` prints above a run."""
_NOT_MAKEABLE = "not makeable as it is: "
_OVER_LIMIT = re.compile(r" (?P<measured>[0-9.]+) (?P<unit>USD|g|parts)\b.*?limit is (?P<limit>[0-9]+(?:\.[0-9]+)?)")
_MEASURED_LIMIT = re.compile(r"(?P<measured>[0-9.]+) (?:USD|g) at most (?P<limit>[0-9.]+)")
"""A detail, as it is shortened from such a finding."""
_SLIGHTLY_OVER = 1.05
_SIZE_RULES = {"print_too_large", "too_large", "unpriceable"}
_LIMIT_RULES = {"over_price", "over_mass"}
_PLACEMENT_RULES = {
    "outside_build_zone",
    "inside_forbid_zone",
    "interference",
    "environment_interference",
    "environment_changed",
    "floating",
}


@dataclass
class Attempt:
    """One script.py and its result."""

    script: str
    stage: Stage = "written"
    preview: dict[str, object] | None = None
    """Result that the preview printed."""
    failure: Failure | None = None
    cell: int | None = None
    """The number of the cell that failed with it; None if no cell did."""
    detail: str = ""
    """What was measured."""

    def fail(self, failure: Failure, answer: str = "", cell: int | None = None) -> None:
        """Mark the attempt as failed, with what the answer says about it."""
        self.stage, self.failure, self.cell, self.detail = "failed", failure, cell, _detail_of(answer)
        if failure == "over_limits" and _is_slightly_over(self.detail):
            self.failure = "slightly_over"


@dataclass
class DesignHistory:
    """All work so far."""

    facts: Facts | None
    questions: int = 0
    """How often the facts were requested."""
    attempts: list[Attempt] = field(default_factory=list[Attempt])
    motors: list[FoundMotor] | None = None
    """Result of the catalog search; None before it."""
    path_mm: list[Vec] | None = None
    """Of the payload's centre without a machine; None before it was watched."""
    cells: int = 0
    """Cells so far."""
    proof: int | None = None
    """The number of the cell that showed the figures of a refusal, if it ran after the last design."""
    solids: frozenset[str] = frozenset()
    """Labels of the environment's solids."""

    @property
    def failed_cells(self) -> list[int]:
        """The numbers of the cells that failed with a design, oldest first."""
        return [attempt.cell for attempt in self.attempts if attempt.cell is not None]

    @property
    def failures(self) -> list[Failure]:
        """The failures of all attempts, oldest first."""
        return [attempt.failure for attempt in self.attempts if attempt.failure]

    @property
    def needs_design(self) -> bool:
        """Whether no design exists, or the last one failed."""
        return not self.attempts or self.attempts[-1].stage == "failed"

    def has_failed(self, script: str) -> bool:
        """Tell whether a script was tried before and failed, not counting failures of the kernel."""
        return any(each.script == script and each.failure != "interrupted" for each in self.attempts)


def read_history(messages: Sequence[BaseMessage]) -> DesignHistory:
    """Return the history of a conversation with observations."""
    task = last_containing(messages, "## Zones (mm)")
    history = DesignHistory(facts=None, solids=solid_labels(task))
    for reply, answer in pairwise(messages):
        if isinstance(reply, AIMessage) and not isinstance(answer, AIMessage):
            _add(history, reply, answer.text)
    if history.facts is not None:
        history.facts = with_task(history.facts, task)
    return history


def read_task(messages: Sequence[BaseMessage]) -> DesignHistory:
    """Return the history of a single pass: the facts are those of the task's tables."""
    task = last_containing(messages, "## Zones (mm)")
    return DesignHistory(facts_of(task))


def _add(history: DesignHistory, reply: AIMessage, answer: str) -> None:
    """Add one reply and its answer."""
    script = _script_of(reply)
    if script is not None:
        history.attempts.append(Attempt(script))
        history.proof = None
        if "was not written" in answer:
            history.attempts[-1].fail("interrupted")
        return
    action = _action_of(reply)
    history.cells += action != ""
    if action == "submit" and history.attempts:
        history.attempts[-1].fail(_failure_of_review(answer), answer)
    elif action == "preview" and history.attempts:
        _add_preview(history, answer)
    elif action == "prove":
        history.proof = history.cells
    else:
        _add_measures(history, action, answer)


def _add_measures(history: DesignHistory, action: str, answer: str) -> None:
    """Add what a cell printed of the world or of the catalog."""
    if action == "watch":
        history.path_mm = cast("list[Vec]", (_between(answer, PATH) or {}).get("path_mm", []))
    elif action == "search":
        history.motors = cast("list[FoundMotor]", (_between(answer, MOTORS) or {}).get("motors", []))
    elif action == "ask":
        history.questions += 1
        found = _between(answer, FACTS) or _labelled(answer, _WORLD)
        history.facts = found if _are_facts(found) else None


def _action_of(reply: AIMessage) -> str:
    """Return the action of a reply's tool call or cell."""
    if reply.tool_calls:
        return _CALL_ACTIONS.get(reply.tool_calls[0]["name"], "")
    return next((action for phrase, action in _CELL_ACTIONS.items() if phrase in reply.text), "")


def _add_preview(history: DesignHistory, answer: str) -> None:
    attempt, cell = history.attempts[-1], history.cells
    preview = _between(answer, RESULT) or _labelled(answer, _PREVIEW)
    if preview is None:
        attempt.fail(_failure_of_findings(answer), answer, cell)
        return
    attempt.preview = preview
    if preview.get("verdict") == "solved" and _REJECTED in answer:
        attempt.fail(_failure_of_findings(answer), answer, cell)
    elif preview.get("verdict") == "solved":
        attempt.stage = "checked"
    else:
        attempt.fail(_failure_of_run(preview, history), answer, cell)
        attempt.detail = attempt.detail or _ending_of(preview)


def _failure_of_review(answer: str) -> Failure:
    if "The critic rejected" in answer:
        return "overloaded" if any(phrase in answer for phrase in ("overloaded", "above a rating")) else "flaky"
    return _failure_of_findings(answer)


def _failure_of_findings(answer: str) -> Failure:
    rules = set(_RULES.findall(answer))
    if rules & _PLACEMENT_RULES:
        return "misplaced"
    if rules & _LIMIT_RULES:
        return "over_limits"
    if "too_many_parts" in rules:
        return "too_many_parts"
    if rules & _SIZE_RULES:
        return "too_large"
    return "unmakeable" if rules else "interrupted"


def _failure_of_run(preview: dict[str, object], history: DesignHistory) -> Failure:
    if preview.get("ending") == "overloaded":
        return _overload_of(str(preview.get("culprit") or ""), history.solids)
    if preview.get("ending") != "missed_goal":
        return "lost"
    if preview.get("closest_goal_mm") == 0:
        return "overshot"
    final_mm = cast("list[float]", preview.get("final_mm"))
    bottom_mm = history.facts["build"][0][2] if history.facts else 0.0
    return "stuck" if final_mm[2] > bottom_mm + _FALLEN_MM else "lost"


def _overload_of(culprit: str, solids: frozenset[str]) -> Failure:
    """Return what gave way, by its label: glue is labelled by both of its ends, that of a solid of the world last."""
    first, _, second = culprit.partition("-to-")
    own = (first if second.rpartition("-")[0] in solids else culprit).replace("machine-", "")
    if not own or re.search(r"leg|motor|slide|deck|rail", own):
        return "overloaded"
    return "weak_joint" if _BETWEEN_CHANNELS.match(own) else "weak_panel"


def _detail_of(answer: str) -> str:
    """Return what an answer measured: the reason with which the cell ended, or the first finding, or the error."""
    found, finding, error = list(_MEASURED.finditer(answer)), _FINDING.search(answer), _ERROR.search(answer)
    text = found[-1]["text"] if found else ""
    if not text and finding is not None:
        text = finding[0].removeprefix("- ")
    elif not text and error is not None:
        text = f"{error['type']}: {error['text']}"
    limit = _OVER_LIMIT.search(text)
    if limit is not None:
        return f"{limit['measured']} {limit['unit']} at most {limit['limit']}"
    return text.replace("**", "").removeprefix(_NOT_MAKEABLE).strip()[:_DETAIL_CHARS]


def _is_slightly_over(detail: str) -> bool:
    """Tell whether the detail of a failure states a price or mass that is at most 5 % above its limit."""
    found = _MEASURED_LIMIT.fullmatch(detail)
    return found is not None and float(found["measured"]) <= _SLIGHTLY_OVER * float(found["limit"])


def _ending_of(preview: dict[str, object]) -> str:
    """Return how a previewed run ended, with its figures."""
    final, closest = preview.get("final_mm"), preview.get("closest_goal_mm")
    return f"{preview.get('ending')} at {final} mm, {closest} mm from the goal at the closest"


def _script_of(reply: AIMessage) -> str | None:
    for call in reply.tool_calls:
        if call["name"] == "write_file" and call["args"].get("path") == SCRIPT:
            return str(call["args"]["text"])
    return None


def _between(answer: str, markers: tuple[str, str]) -> dict[str, object] | None:
    """Return the last JSON object between two markers; None if it is missing or incomplete."""
    begin = answer.rfind(markers[0])
    end = answer.find(markers[1], begin)
    if begin < 0 or end < 0:
        return None
    return _parsed(answer[begin + len(markers[0]) : end])


def _labelled(answer: str, label: re.Pattern[str]) -> dict[str, object] | None:
    """Return the last JSON object that a tool printed after its label."""
    found = [match["json"] for match in label.finditer(answer)]
    return _parsed(found[-1]) if found else None


def _parsed(text: str) -> dict[str, object] | None:
    try:
        found: object = json.loads(text)
    except json.JSONDecodeError:
        return None
    return cast("dict[str, object]", found) if isinstance(found, dict) else None


def _are_facts(found: object) -> TypeGuard[Facts]:
    return isinstance(found, dict) and Facts.__required_keys__ <= found.keys()
