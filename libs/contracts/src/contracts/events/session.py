"""Events about a session, one role's kernel and workspace in one run: its cells and files."""

from typing import ClassVar, Literal

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from contracts.cell_limits import CELL_S
from contracts.envelope import Event, Request
from contracts.event_line import EventLine, EventText
from contracts.model import Model
from contracts.models.artifact import ArtifactRef, Sha256
from contracts.models.assessment import AssessmentRecord
from contracts.models.benchmark import Assignment, BenchmarkFiles, Environment, Executor
from contracts.models.design import BillOfMaterials, Delivery
from contracts.models.observation import LintFinding, Observation
from contracts.models.questions.answers import ValidAnswer
from contracts.models.run_fields import JournalFields
from contracts.models.simulation import SimulationResult
from contracts.models.submission import Refusal, Submission
from contracts.outcomes import FailureOutcome
from contracts.skills import OfferedSkill
from contracts.text import counted, headline, spaced


class SessionOpened(Event):
    """The kernel is ready and its workspace has its first files."""

    schema_version: Literal[1, 2] = 2  # pyright: ignore[reportIncompatibleVariableOverride] - wider on purpose
    """2: also on the thread of a spatial-agent; 1: of the other roles."""
    ready_s: NonNegativeFloat
    files: tuple[str, ...]
    """Paths relative to the workspace."""
    epoch: PositiveInt = 1
    """Increases with each worker that takes the session over."""

    def line(self) -> EventLine:
        return EventLine(
            f"kernel ready in {self.ready_s:.1f} s, {counted(len(self.files), 'file')} in the workspace", "success"
        )


class SessionFailed(FailureOutcome[Literal["kernel_failed", "workspace_failed"]]):
    """The kernel could not be started."""

    summary: ClassVar = "kernel did not open"

    schema_version: Literal[1, 2] = 2  # pyright: ignore[reportIncompatibleVariableOverride] - wider on purpose
    """2: also on the thread of a spatial-agent; 1: of the other roles."""


class ReviewedDesign(Model):
    """The design that a critic's kernel reviews."""

    delivery: Delivery
    bill: BillOfMaterials
    result: SimulationResult


class SessionRequested(Request):
    """A role requests a kernel. The worker that opens it answers all further requests of this run and role."""

    publishers: ClassVar = ("engineer", "critic")

    schema_version: Literal[1, 2, 3, 4] = 4  # pyright: ignore[reportIncompatibleVariableOverride] - wider on purpose
    """4: labels of parts in any script; 3: several payloads; 2: payloads of any shape; 1: balls and cubes."""
    owner: ClassVar = "cad-worker"
    outcomes: ClassVar = (SessionOpened, SessionFailed)

    assignment: Assignment
    environment: Environment
    plan_md: str
    todo_md: str
    executor: Executor | None = None
    """How the engineer acts; decides whether `submit_for_review` asks for its TODO list and journal. None in logs older
    than this field, and for a critic: nothing is asked."""
    skills: tuple[OfferedSkill, ...] = ()
    """The contents of `skills/`, each skill in a folder of its name."""
    files: ArtifactRef | None = None
    """Zip of the workspace's first files, from an earlier attempt; they replace those of the template."""
    record: ArtifactRef | None = None
    """JSON of a `SessionRecord`: the session goes on from there, with its files and its variables; `files` then is what
    it had written. None: the kernel is empty."""
    reviewed: ReviewedDesign | None = None
    """For a critic: the kernel provides it as `design`, `result` and `bill`, its script.py can be read, and no design
    can be submitted."""

    def line(self) -> EventLine:
        return EventLine("opening kernel", "detail")


class SessionClosed(Event):
    """The kernel was stopped and its workspace removed."""

    publishers: ClassVar = ("cad-worker",)
    unconsumed: ClassVar = "documents the end of a session for readers of the run"

    schema_version: Literal[1, 2] = 2  # pyright: ignore[reportIncompatibleVariableOverride] - wider on purpose
    """2: also on the thread of a spatial-agent; 1: of the other roles."""
    reason: Literal["run_ended", "idle", "worker_stopped"]

    def line(self) -> EventLine:
        return EventLine(f"kernel closed: {spaced(self.reason)}", "detail")


class CellCompleted(Event):
    """The cell has run, successfully or not."""

    schema_version: Literal[1, 2] = 2  # pyright: ignore[reportIncompatibleVariableOverride] - wider on purpose
    """2: also on the thread of a spatial-agent; 1: of the other roles."""
    observation: Observation
    ending: Submission | Refusal | None = None
    epoch: PositiveInt = 1
    """The session's epoch when the cell ran."""
    simulations: NonNegativeInt = 0
    """Number of simulations that its `simulate` calls returned; in an author's session, of tests."""
    simulated_md: str = ""
    """The summary of the last of these simulations, as shown above its video; in an author's session, of tests."""
    journal_md: str | None = None
    """What the cell added to journal.md."""
    assessment: AssessmentRecord | None = None
    """In a review: all reruns of its design up to now, counted by the host."""
    answer: ValidAnswer | None = None
    """The last valid answer that the cell of a question returned, also if it failed afterwards."""
    files: BenchmarkFiles | None = None
    """Of an author's session: the benchmark's files that the cell submitted, as the host has read them."""
    tool_replies: ArtifactRef | None = None
    """The replies of its tools, in order; when the cell is replayed, it gets these again. None if it called no tool."""

    def line(self) -> EventLine:
        observation = self.observation
        if observation.error is not None:
            error = observation.error
            location = f" in line {error.line}" if error.line else ""
            return EventLine(f"cell {observation.status}: {error.type}{location}: {error.message}", "failure")
        if self.files is not None:
            return EventLine(f"cell done in {observation.elapsed_s:.1f} s: submitted the benchmark's files", "success")
        match self.ending:
            case Submission():
                return EventLine(f"cell done in {observation.elapsed_s:.1f} s: submitted for review", "success")
            case Refusal(proof=proof):
                return EventLine(f"cell refuses the plan: {proof}", "failure")
            case None:
                output = headline(observation.output)
                text = f"cell {observation.status} in {observation.elapsed_s:.1f} s: {output}"
                return EventLine(text, "success" if observation.status == "ok" else "failure")


class CellRequested(JournalFields, Request):
    """A role requests that code runs in its kernel."""

    publishers: ClassVar = ("engineer", "critic", "benchmark-generator", "spatial-agent")

    schema_version: Literal[1, 2] = 2  # pyright: ignore[reportIncompatibleVariableOverride] - wider on purpose
    """2: also on the thread of a spatial-agent; 1: of the other roles."""
    owner: ClassVar = "cad-worker"
    outcomes: ClassVar = (CellCompleted,)

    purpose: str
    code: str
    next_goal: str = ""
    """What the role plans to do if the cell succeeds."""
    timeout_s: PositiveFloat = CELL_S
    """CPU time. A cell that waits instead of working is interrupted after ten times as long."""

    def line(self) -> EventLine:
        return EventLine(f"cell: {self.purpose}")

    def texts(self) -> list[EventText]:
        return [
            EventText("Purpose", self.purpose),
            EventText("Code", self.code, "code"),
            EventText("Next goal", self.next_goal),
        ]


class FileWritten(Event):
    """A file in the workspace was written or edited."""

    path: str
    size_bytes: NonNegativeInt
    sha256: Sha256
    text: str | None = None
    """The whole content after the write; None only in logs older than this field."""
    findings: tuple[LintFinding, ...] = ()
    """Linter findings about a Python file; they do not prevent the write."""
    lint_note: str = ""
    """The reason why a linter did not check the file."""

    def line(self) -> EventLine:
        if not self.findings:
            return EventLine(f"wrote {self.path}, {counted(self.size_bytes, 'byte')}", "success")
        first = self.findings[0]
        text = f"wrote {self.path}, {counted(len(self.findings), 'lint finding')}: line {first.line}: {first.message}"
        return EventLine(text, "failure")


class FileViewed(Event):
    """The content of a file in the workspace."""

    path: str
    text: str
    """The lines shown, without their numbers."""
    from_line: PositiveInt
    """1-based number of the first line shown."""
    total_lines: NonNegativeInt
    """Number of lines of the whole file."""

    def line(self) -> EventLine:
        return EventLine(
            f"viewed {self.path}, {len(self.text.splitlines())} of {counted(self.total_lines, 'line')}", "detail"
        )

    def texts(self) -> list[EventText]:
        return [EventText(self.path, self.text, "code")]


FileRefusalReason = Literal[
    "read_only",
    "outside_workspace",
    "too_large",
    "not_text",
    "missing",
    "not_found",
    "not_unique",
    "empty_range",
    "malformed",
]


class FileRefused(Event):
    """The file was not written or not shown."""

    path: str
    reason: FileRefusalReason
    """`missing`: the file does not exist; `not_found`, `not_unique`: the text to replace occurs never, or more than
    once; `malformed`: todo.md or journal.md would lose its required form, and the detail names the line."""
    detail: str

    def line(self) -> EventLine:
        return EventLine(f"{self.path} refused ({spaced(self.reason)}): {self.detail}", "failure")


class FileWriteRequested(JournalFields, Request):
    """A role requests that a whole file is written or overwritten in its workspace."""

    publishers: ClassVar = ("engineer", "benchmark-generator")
    owner: ClassVar = "cad-worker"
    outcomes: ClassVar = (FileWritten, FileRefused)

    path: str
    text: str

    def line(self) -> EventLine:
        return EventLine(f"write {self.path}, {counted(len(self.text.splitlines()), 'line')}", "detail")

    def texts(self) -> list[EventText]:
        return [EventText(self.path, self.text, "code")]


class FileEditRequested(JournalFields, Request):
    """A role requests one replacement in a file: `old_text` must occur exactly once, including its whitespace."""

    publishers: ClassVar = ("engineer", "benchmark-generator")
    owner: ClassVar = "cad-worker"
    outcomes: ClassVar = (FileWritten, FileRefused)

    path: str
    old_text: str
    new_text: str

    def line(self) -> EventLine:
        return EventLine(f"edit {self.path}", "detail")

    def texts(self) -> list[EventText]:
        return [
            EventText(f"{self.path}, before", self.old_text, "code"),
            EventText(f"{self.path}, after", self.new_text, "code"),
        ]


class FileViewRequested(JournalFields, Request):
    """A role requests the content of a file in its workspace, or some lines of it."""

    publishers: ClassVar = ("engineer", "benchmark-generator")
    owner: ClassVar = "cad-worker"
    outcomes: ClassVar = (FileViewed, FileRefused)

    path: str
    from_line: PositiveInt | None = None
    to_line: PositiveInt | None = None
    """`from_line` and `to_line` are 1-based and inclusive."""

    def line(self) -> EventLine:
        return EventLine(f"view {self.path}", "detail")
