"""The kernel of one role in one run, and what happens in it."""

from typing import ClassVar, Literal

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from contracts.envelope import Event, Request
from contracts.events.skill import OfferedSkill
from contracts.model import Model
from contracts.models.artifact import ArtifactRef, Sha256
from contracts.models.benchmark import Assignment, Environment
from contracts.models.design import BillOfMaterials, Delivery
from contracts.models.observation import LintFinding, Observation
from contracts.models.simulation import SimulationResult
from contracts.models.submission import Refusal, Submission


class SessionOpened(Event):
    """The kernel is ready and its workspace is laid out."""

    ready_s: NonNegativeFloat
    files: tuple[str, ...]
    """Paths in the workspace, relative to it."""
    epoch: PositiveInt = 1
    """Grows with every worker that holds the session."""


class SessionFailed(Event):
    """No kernel could be had."""

    reason: Literal["kernel_failed", "workspace_failed"]
    detail: str


class ReviewedDesign(Model):
    """What a critic's kernel is given to look at."""

    delivery: Delivery
    bill: BillOfMaterials
    result: SimulationResult


class SessionRequested(Request):
    """A role wants a kernel. The worker that takes it answers all further requests of this run and role."""

    owner: ClassVar = "cad-worker"
    outcomes: ClassVar = (SessionOpened, SessionFailed)

    assignment: Assignment
    environment: Environment
    plan_md: str
    todo_md: str
    skills: tuple[OfferedSkill, ...] = ()
    """What stands in `skills/`, each in a folder of its name."""
    files: ArtifactRef | None = None
    """Zip of the files that the workspace begins with, in place of the template's: those of an earlier attempt."""
    reviewed: ReviewedDesign | None = None
    """For a critic: the kernel has it as `design`, `result` and `bill`, its script.py can be read, and nothing can be
    submitted."""


class SessionClosed(Event):
    """The kernel and its workspace are gone."""

    reason: Literal["run_ended", "idle", "worker_stopped"]


class CellCompleted(Event):
    """The cell has run, well or badly."""

    observation: Observation
    ending: Submission | Refusal | None = None
    epoch: PositiveInt = 1
    """Of the session, when the cell ran."""
    simulations: NonNegativeInt = 0
    """How many runs its calls of `simulate` brought back."""
    simulated_md: str = ""
    """The summary of the last of these runs, as it travels in front of its video."""
    journal_md: str | None = None
    """What the cell wrote into journal.md."""
    tool_replies: ArtifactRef | None = None
    """What its tools replied, in order: a cell that runs again gets these and asks nobody. None if it asked nothing."""


class CellRequested(Request):
    """A role wants code run in its kernel."""

    owner: ClassVar = "cad-worker"
    outcomes: ClassVar = (CellCompleted,)

    purpose: str
    code: str
    next_goal: str = ""
    """What the role will do if the cell works."""
    timeout_s: PositiveFloat = 120.0


class FileWritten(Event):
    """The file stands in the workspace, as a whole or with one place edited."""

    path: str
    size_bytes: NonNegativeInt
    sha256: Sha256
    text: str | None = None
    """The whole content after the write; None only in logs from before it was kept."""
    findings: tuple[LintFinding, ...] = ()
    """What the linters say of a Python file; it is written all the same."""
    lint_note: str = ""
    """Why a linter has not looked at it."""


class FileViewed(Event):
    """What stands in a file of the workspace."""

    path: str
    text: str
    """The lines shown, without their numbers."""
    from_line: PositiveInt
    """Number of the first line shown, 1-based."""
    total_lines: NonNegativeInt
    """How many lines the file has in all."""


class FileRefused(Event):
    """The file was not written, or not shown."""

    path: str
    reason: Literal[
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
    """`missing`: no such file; `not_found`, `not_unique`: the text to be replaced stands there never, or repeatedly;
    `malformed`: todo.md or journal.md would not keep its form, and the detail names the line."""
    detail: str


class FileWriteRequested(Request):
    """A role wants a whole file written (or overwritten) in its workspace."""

    owner: ClassVar = "cad-worker"
    outcomes: ClassVar = (FileWritten, FileRefused)

    path: str
    text: str


class FileEditRequested(Request):
    """A role wants one place of a file replaced: `old_text` must stand there exactly once, to the last blank."""

    owner: ClassVar = "cad-worker"
    outcomes: ClassVar = (FileWritten, FileRefused)

    path: str
    old_text: str
    new_text: str


class FileViewRequested(Request):
    """A role wants to read a file of its workspace, or some lines of it."""

    owner: ClassVar = "cad-worker"
    outcomes: ClassVar = (FileViewed, FileRefused)

    path: str
    from_line: PositiveInt | None = None
    to_line: PositiveInt | None = None
    """Both 1-based and included."""
