"""The kernel of one role in one run, and what happens in it."""

from typing import ClassVar, Literal

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from contracts.artifact import ArtifactRef, Sha256
from contracts.benchmark import Assignment, Environment
from contracts.envelope import Event, Request
from contracts.model import Model


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


class SessionRequested(Request):
    """A role wants a kernel. The worker that takes it answers all further requests of this run and role."""

    owner: ClassVar = "cad-worker"
    outcomes: ClassVar = (SessionOpened, SessionFailed)

    assignment: Assignment
    environment: Environment
    plan_md: str
    todo_md: str


class SessionClosed(Event):
    """The kernel and its workspace are gone."""

    reason: Literal["run_ended", "idle", "worker_stopped"]


class Variable(Model):
    """One variable of the kernel after a cell."""

    name: str
    type: str
    summary: str
    """Value, shape or measures, with units."""
    change: Literal["new", "changed"]


class CellError(Model):
    """Why a cell stopped."""

    type: str
    message: str
    line: NonNegativeInt | None = None
    """Line of the cell, 1-based."""
    traceback: str = ""


class Observation(Model):
    """What an agent sees of a cell."""

    status: Literal["ok", "error", "timeout", "killed", "refused"]
    output: str = ""
    """What the cell printed, head and tail of it when long."""
    output_chars: NonNegativeInt = 0
    """How much it printed in truth."""
    error: CellError | None = None
    variables: tuple[Variable, ...] = ()
    elapsed_s: NonNegativeFloat = 0.0


class Submission(Model):
    """`submit_for_review(assembly)` ended the cell: what the kernel claims, to be checked by others."""

    digest: Sha256
    files: ArtifactRef
    """Zip of the workspace's own files, script.py among them."""


class Refusal(Model):
    """`refuse_plan(proof)` ended the cell."""

    proof: str


class CellCompleted(Event):
    """The cell has run, well or badly."""

    observation: Observation
    ending: Submission | Refusal | None = None


class CellRequested(Request):
    """A role wants code run in its kernel."""

    owner: ClassVar = "cad-worker"
    outcomes: ClassVar = (CellCompleted,)

    purpose: str
    code: str
    timeout_s: PositiveFloat = 120.0


class FileWritten(Event):
    """The file stands in the workspace."""

    path: str
    size_bytes: NonNegativeInt
    sha256: Sha256


class FileRefused(Event):
    """The file was not written."""

    path: str
    reason: Literal["read_only", "outside_workspace", "too_large", "not_text"]
    detail: str


class FileWriteRequested(Request):
    """A role wants a whole file written (or overwritten) in its workspace."""

    owner: ClassVar = "cad-worker"
    outcomes: ClassVar = (FileWritten, FileRefused)

    path: str
    text: str
