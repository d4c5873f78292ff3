"""Tools of the planner's model: lookups, and the plan as fields instead of Markdown."""

import re
from collections.abc import Callable, Sequence
from typing import Annotated, TypeVar

from agent.loop.replies import MalformedReplyError
from agent.loop.tool_calls import read_arguments, require_alone, require_few_calls
from contracts.models.benchmark import Limits
from contracts.models.conversation import Message, ToolCall
from documents import plan as plans
from documents import todo as todos
from documents.parser import MAX_LISTED, ProblemList
from documents.parts_table import NOT_ESTIMATED, PlannedPart, read_part
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PositiveInt, ValidationError, WithJsonSchema

from planner.estimates import PieceMethod
from planner.lookups import LOOKUPS, Lookup, require_lookups_left
from planner.notes import PlannerNotes
from planner.replies import OVER_LIMIT, PlannedWork

_ITEM_MARK = re.compile(r"^(?:[-*] )?(?:\[.\] )?(?:T\d+[:.] )?")


Document = TypeVar("Document", plans.Plan, todos.Todo)


def _in_one_line(value: object) -> object:
    return " ".join(value.split()) if isinstance(value, str) else value


def _item_text(value: object) -> object:
    return _ITEM_MARK.sub("", value) if isinstance(value, str) else value


Line = Annotated[str, BeforeValidator(_in_one_line), Field(min_length=1)]
Item = Annotated[Line, BeforeValidator(_item_text)]
Amount = Annotated[Annotated[float, Field(ge=0)] | None, WithJsonSchema({"type": "number", "minimum": 0})]


class PartFields(BaseModel):
    """Identical pieces."""

    model_config = ConfigDict(extra="forbid")

    name: Line
    count: PositiveInt
    method: PieceMethod
    material: Line = Field(description="One of that method, or a catalog id.")
    mass_g: Amount = Field(default=None, description="Of one piece; left out if unknown.")
    price_usd: Amount = None


class RiskFields(BaseModel):
    """Something that may go wrong."""

    model_config = ConfigDict(extra="forbid")

    risk: Line = Field(description="Without a colon.")
    measure: Line = Field(description="What is done about it.")


class ProposePlan(BaseModel):
    """Propose the plan and its TODO list; the critic reviews them."""

    model_config = ConfigDict(title="propose_plan", extra="forbid")

    idea: Annotated[str, Field(min_length=1)] = Field(description="Prose, without headings.")
    parts: Annotated[list[PartFields], Field(min_length=1)]
    moved_by: Line = Field(description="Such as `gravity, on a slope of 8 degrees`.")
    stages: Annotated[list[Line], Field(min_length=1)] = Field(description="Of the payload's way, in order.")
    risks: Annotated[list[RiskFields], Field(min_length=1)]
    todo: Annotated[list[Item], Field(min_length=1)] = Field(description="At most ten results.")


class NoOtherPlan(BaseModel):
    """End the run after a refusal that was upheld: no other idea can work."""

    model_config = ConfigDict(title="no_other_plan", extra="forbid")

    why: Line = Field(description="Why no other idea can work, in one sentence.")


PLANNER_TOOLS: Sequence[type[BaseModel]] = (*LOOKUPS, ProposePlan)
TOOLS_AFTER_A_REFUSAL: Sequence[type[BaseModel]] = (*PLANNER_TOOLS, NoOtherPlan)


def read_calls(reply: Message, notes: PlannerNotes, *, may_end: bool) -> BaseModel:
    """Return the arguments of the reply's first call once all are checked; raise `MalformedReplyError`.

    Several lookups run in order, and a plan is proposed in a reply of its own, when their results are known.
    `notes` count what was looked up before; `may_end`: whether the run may end without another plan.
    """
    require_few_calls(reply)
    tools = TOOLS_AFTER_A_REFUSAL if may_end else PLANNER_TOOLS
    arguments = [read_arguments(call, tools) for call in reply.tool_calls]
    require_lookups_left(arguments, notes)
    require_alone(arguments, (ProposePlan, NoOtherPlan))
    return arguments[0]


def lookup_of(call: ToolCall) -> Lookup:
    """Return the arguments of a lookup that `read_calls` has checked."""
    arguments = read_arguments(call, LOOKUPS)
    assert isinstance(arguments, LOOKUPS)
    return arguments


def planned_work(fields: ProposePlan, limits: Limits) -> PlannedWork:
    """Return plan and TODO list; raise `MalformedReplyError` with every problem and its field."""
    problems = list[str]()
    parts = _parts(fields, problems)
    todo = _checked(lambda: _todo(fields.todo), "todo", problems)
    plan = _checked(lambda: _plan(fields, parts), "", problems) if parts else None
    if plan is not None and not any(each.risk.startswith(OVER_LIMIT) for each in plan.risks):
        fix = f"if no cheaper plan exists, add the risk `{OVER_LIMIT}` and say how it may still fit"
        problems += [f"parts: {each.reason}; {each.fix}; {fix}" for each in plans.check_budget(plan, limits)]
    if plan is None or todo is None or problems:
        shown = "\n".join(f"- {problem}" for problem in problems[:MAX_LISTED])
        raise MalformedReplyError(f"The plan cannot be used:\n{shown}\n")
    return PlannedWork(plan_md=plan.markdown(), todo_md=todo.markdown())


def _parts(fields: ProposePlan, problems: list[str]) -> tuple[PlannedPart, ...]:
    """Return the parts, checked as in the table of a plan; none of them if one has a problem, which is added."""
    parts, names, before = list[PlannedPart](), set[str](), len(problems)
    for number, each in enumerate(fields.parts):
        found = ProblemCollector("parts")
        cells = (each.name.replace("|", "/"), str(each.count), each.method, each.material, *_amounts(each))
        part = read_part(1, cells, found)
        problems += [f"parts.{number}: {reason}" for reason in found.reasons]
        if each.name in names:
            problems.append(f"parts.{number}: `{each.name}` is named twice; count identical pieces in one row")
        names.add(each.name)
        parts += [part] if part else []
    return tuple(parts) if len(problems) == before else ()


class ProblemCollector(ProblemList):
    """Keeps problems without their lines: fields have none."""

    def __init__(self, document: str) -> None:
        super().__init__(document)
        self.reasons: list[str] = []

    def add(self, line: int, reason: str, fix: str) -> None:  # noqa: ARG002 - the parent's signature
        """Add a problem."""
        self.reasons.append(f"{reason}; {fix}")


def _amounts(part: PartFields) -> tuple[str, str]:
    return _amount(part.mass_g), _amount(part.price_usd)


def _amount(value: float | None) -> str:
    return NOT_ESTIMATED if value is None else f"{value:.6f}".rstrip("0").rstrip(".")


def _plan(fields: ProposePlan, parts: tuple[PlannedPart, ...]) -> plans.Plan:
    risks = tuple(plans.Risk(risk=each.risk.replace(":", ","), measure=each.measure) for each in fields.risks)
    idea = "\n".join(line.rstrip() for line in fields.idea.strip().splitlines())
    return plans.Plan(idea=idea, parts=parts, moved_by=fields.moved_by, stages=tuple(fields.stages), risks=risks)


def _todo(texts: Sequence[str]) -> todos.Todo:
    items = tuple(todos.TodoItem(number=number, text=text) for number, text in enumerate(texts, start=1))
    return todos.Todo(items=items)


def _checked(make: Callable[[], Document], field: str, problems: list[str]) -> Document | None:
    try:
        return make()
    except ValidationError as error:
        for each in error.errors():
            path = ".".join(map(str, filter(lambda part: part != "", (field, *each["loc"]))))
            problems.append(f"{path}: {each['msg']}")
        return None
