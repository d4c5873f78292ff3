"""The tools of a session's cells on the host's side: what each kind of kernel answers, and what a cell ends with."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from artifacts.port import ArtifactStore
from contracts.envelope import Event, Request
from contracts.events.session import CellRequested
from contracts.models.assessment import AssessmentRecord
from contracts.models.benchmark import BenchmarkFiles
from contracts.models.observation import Observation
from contracts.models.questions.answers import ValidAnswer
from contracts.models.submission import Refusal, Submission
from pydantic import BaseModel

from kernel_host.protocol import KernelCall
from kernel_host.sessions.images import ImageStore
from kernel_host.sessions.session import CellOutcome
from kernel_host.sessions.session_history import Trials
from kernel_host.tools.job_time import JobTime

Ask = Callable[[Request], Awaitable[Event]]
"""Publishes a request and waits for its outcome."""


@dataclass(frozen=True)
class EndedCell:
    """What a cell has shown, and what it ended with."""

    observation: Observation
    ending: Submission | Refusal | None = None
    files: BenchmarkFiles | None = None
    """Of an author: the benchmark that the cell has submitted."""


class CellTools(ABC):
    """Answers the tool calls of one session's cells: the only effects that a cell can have."""

    def __init__(self, artifacts: ArtifactStore) -> None:
        self.trials = Trials()
        self.job_time = JobTime()
        self.images = ImageStore(artifacts)

    @property
    def accepted(self) -> ValidAnswer | None:
        """The answer of the running cell; None outside of a question."""
        return None

    def begin_cell(self, cell: CellRequested) -> None:
        """Start to count for the next cell."""
        self.images.begin_cell()
        self.job_time.begin_cell()
        self.trials.begin_cell(cell.id)

    @abstractmethod
    async def answer(self, call: KernelCall, cell: CellRequested, ordinal: int) -> BaseModel:
        """Answer the `ordinal`-th tool call of `cell`."""

    async def ended(self, observation: Observation, outcome: CellOutcome, cell: CellRequested) -> EndedCell:  # noqa: ARG002 - for those that submit
        """Return what the cell ended with; one that failed has no ending."""
        if observation.status != "ok" or outcome.refusal is None:
            return EndedCell(observation)
        return EndedCell(observation, Refusal(proof=outcome.refusal))

    async def assessment(self) -> AssessmentRecord | None:
        """Return the count of the reruns of the design under review; None outside of a review."""
        return None
