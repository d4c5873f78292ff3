"""The generator's replies: plans, and actions in its kernel, by tool calls or in Markdown."""

from collections.abc import Sequence
from typing import Annotated

from agent.kernel_session.actions import FILE_TOOLS, Action, read_calls
from agent.kernel_session.cells import CellTool
from agent.loop.replies import read_cell, require_text_only, sections
from agent.loop.tool_calls import CodeCell, read_arguments, require_alone, require_few_calls
from contracts.models.conversation import Message, ToolCall
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

PLAN_SECTIONS = ("Task", "World", "Mechanism", "Motion", "Risks")
"""The template of a plan; each section must have content."""
Prose = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class ProposeBenchmarkPlan(BaseModel):
    """Propose the plan of the benchmark; the critic reviews it before any file is written."""

    model_config = ConfigDict(title="propose_plan", extra="forbid")

    task: Prose = Field(description="What must be moved where, and what makes it hard.")
    world: Prose = Field(description="What is there: start, goal, closed zones, obstacles, with measures in mm.")
    mechanism: Prose = Field(description="Which mechanism solves it, part by part, with measures.")
    motion: Prose = Field(description="What motors of the environment move, and how; `nothing` if they move nothing.")
    risks: Prose = Field(description="What may fail under some seed, and what is done about it.")

    def plan_md(self) -> str:
        """Return the plan in the form of the template."""
        return plan_markdown([self.task, self.world, self.mechanism, self.motion, self.risks])


class ViewSkill(BaseModel):
    """Show a file of a skill; there is no workspace before the plan is approved."""

    model_config = ConfigDict(title="view_file", extra="forbid")

    path: str = Field(min_length=1, max_length=200, description="Such as `skills/benchmark-authoring/SKILL.md`.")


class SubmitDraft(CellTool):
    """Submit the three files: their worlds are built, the witness is judged and simulated, and the critic reviews."""

    model_config = ConfigDict(title="submit_for_review")

    def cell_code(self) -> str:
        """Return the cell."""
        return "from utils import submit_for_review\n\nsubmit_for_review()\n"


class RefuseBenchmarkPlan(CellTool):
    """Give the approved plan up, because no world of it can be certified, and plan again."""

    model_config = ConfigDict(title="refuse_plan")

    reason: Prose

    def cell_code(self) -> str:
        """Return the cell."""
        return f"from utils import refuse_plan\n\nrefuse_plan({self.reason!r})\n"


PLAN_TOOLS: Sequence[type[BaseModel]] = (ProposeBenchmarkPlan, ViewSkill)
WORK_TOOLS: Sequence[type[BaseModel]] = (CodeCell, *FILE_TOOLS, SubmitDraft, RefuseBenchmarkPlan)


def read_plan(reply: Message) -> str | ViewSkill:
    """Return a reply's plan in the form of the template, or the first file to view; raise `MalformedReplyError`."""
    if not reply.tool_calls:
        found = sections(require_text_only(reply), PLAN_SECTIONS)
        return plan_markdown([found[name] for name in PLAN_SECTIONS])
    require_few_calls(reply)
    arguments = [read_arguments(call, PLAN_TOOLS) for call in reply.tool_calls]
    require_alone(arguments, ProposeBenchmarkPlan)
    first = arguments[0]
    assert isinstance(first, ProposeBenchmarkPlan | ViewSkill)
    return first.plan_md() if isinstance(first, ProposeBenchmarkPlan) else first


def read_view(call: ToolCall) -> ViewSkill:
    """Return a call beside others before there is a plan; raise `MalformedReplyError`."""
    arguments = read_arguments(call, (ViewSkill,))
    assert isinstance(arguments, ViewSkill)
    return arguments


def plan_markdown(texts: Sequence[str]) -> str:
    """Return plan.md with these texts of its sections."""
    parts = [f"## {name}\n\n{text.strip()}" for name, text in zip(PLAN_SECTIONS, texts, strict=True)]
    return "\n\n".join(["# Benchmark plan", *parts]) + "\n"


def read_work(reply: Message) -> tuple[Action, ...]:
    """Return what a reply does in the kernel: its calls in order, or the cell in its text.

    Raises `MalformedReplyError`.
    """
    return read_calls(reply, WORK_TOOLS) if reply.tool_calls else (read_cell(reply),)
