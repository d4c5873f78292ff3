"""Plans and files in the generator's replies: by tool calls, or in Markdown from models without them."""

from collections.abc import Sequence
from typing import Annotated, Literal

from agent.loop.fences import read_fences
from agent.loop.replies import MalformedReplyError, found_sections, only_fence, require_text_only, sections
from agent.loop.tool_calls import read_arguments, require_alone, require_few_calls
from contracts.events.benchmark import BenchmarkFiles
from contracts.models.conversation import Message
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from benchmark_generator.drafts import FIELDS

Path = Literal["benchmark.yaml", "environment.py", "witness.py"]
PLAN_SECTIONS = ("Task", "World", "Mechanism", "Motion", "Risks")
"""The template of a plan; each section must have content."""
_LANGUAGES = {"benchmark.yaml": "yaml", "environment.py": "python", "witness.py": "python"}
_FILE_NAMES = {name: path for path in FIELDS for name in (path.replace(".", " "), path.partition(".")[0])}
"""The names of sections as they are compared: without signs, or without the ending."""
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


class WriteDraft(BaseModel):
    """Write or overwrite a whole file of the benchmark."""

    model_config = ConfigDict(title="write_file", extra="forbid")

    path: Path
    text: Annotated[str, Field(min_length=1)]


class EditDraft(BaseModel):
    """Replace a text in a file; `old_text` must occur exactly once, including its white space."""

    model_config = ConfigDict(title="edit_file", extra="forbid")

    path: Path
    old_text: Annotated[str, Field(min_length=1)]
    new_text: str


class ViewDraft(BaseModel):
    """Show a file of the benchmark as it is now, or a file of a skill."""

    model_config = ConfigDict(title="view_file", extra="forbid")

    path: str = Field(min_length=1, max_length=200, description="Such as `skills/benchmark-authoring/SKILL.md`.")


class SubmitDraft(BaseModel):
    """Submit the three files: their worlds are built, the witness is judged and simulated, and the critic reviews."""

    model_config = ConfigDict(title="submit_for_review", extra="forbid")


class GiveUpPlan(BaseModel):
    """Give the approved plan up, because it cannot work, and plan again."""

    model_config = ConfigDict(title="refuse_plan", extra="forbid")

    why: Prose


FileAction = WriteDraft | EditDraft | ViewDraft | SubmitDraft | GiveUpPlan
PLAN_TOOLS: Sequence[type[BaseModel]] = (ProposeBenchmarkPlan, ViewDraft)
FILE_TOOLS: Sequence[type[FileAction]] = (WriteDraft, EditDraft, ViewDraft, SubmitDraft, GiveUpPlan)


def read_plan(reply: Message) -> str | ViewDraft:
    """Return a reply's plan in the form of the template, or the first file to view; raise `MalformedReplyError`."""
    if not reply.tool_calls:
        found = sections(require_text_only(reply), PLAN_SECTIONS)
        return plan_markdown([found[name] for name in PLAN_SECTIONS])
    require_few_calls(reply)
    arguments = [read_arguments(call, PLAN_TOOLS) for call in reply.tool_calls]
    require_alone(arguments, ProposeBenchmarkPlan)
    first = arguments[0]
    assert isinstance(first, ProposeBenchmarkPlan | ViewDraft)
    return first.plan_md() if isinstance(first, ProposeBenchmarkPlan) else first


def plan_markdown(texts: Sequence[str]) -> str:
    """Return plan.md with these texts of its sections."""
    parts = [f"## {name}\n\n{text.strip()}" for name, text in zip(PLAN_SECTIONS, texts, strict=True)]
    return "\n\n".join(["# Benchmark plan", *parts]) + "\n"


def read_actions(reply: Message) -> list[FileAction]:
    """Return what the reply's calls do, all of them checked; raise `MalformedReplyError`.

    They run in order; a submission is the last of them, and a plan is refused in a reply of its own.
    """
    require_few_calls(reply)
    actions = [action_of(read_arguments(call, FILE_TOOLS)) for call in reply.tool_calls]
    require_alone(actions, GiveUpPlan)
    if any(isinstance(each, SubmitDraft) for each in actions[:-1]):
        raise MalformedReplyError("Call `submit_for_review` once, as the last call of the reply.")
    return actions


def action_of(arguments: BaseModel) -> FileAction:
    """Return arguments that `read_arguments` has checked as an action."""
    assert isinstance(arguments, WriteDraft | EditDraft | ViewDraft | SubmitDraft | GiveUpPlan)
    return arguments


def read_files(reply: Message, before: BenchmarkFiles) -> BenchmarkFiles:
    """Return the files after a reply in Markdown, one section each; raise `MalformedReplyError`."""
    found = found_sections(require_text_only(reply), _FILE_NAMES)
    if not found:
        names = ", ".join(f"`## {path}`" for path in FIELDS)
        raise MalformedReplyError(f"The reply has no file: write the sections {names}, each with one closed fence.")
    return before.model_copy(update={FIELDS[path]: _content(body, path) for path, body in found.items()})


def _content(body: str, path: str) -> str:
    fences = read_fences(body)
    if len(fences) == 1 and fences[0].is_closed:
        return fences[0].content.rstrip("\n") + "\n"
    return only_fence(body, path, _LANGUAGES[path]).rstrip("\n") + "\n"
