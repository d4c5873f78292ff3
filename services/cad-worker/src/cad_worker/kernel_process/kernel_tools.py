"""The kernel's end of its tools: geometry leaves as data, answers come back; nothing else gets in or out."""

from collections.abc import Sequence
from threading import Lock
from typing import NoReturn, TypeVar

from contracts.models.benchmark import Limits
from contracts.models.catalog import CatalogFind
from contracts.models.design import BillOfMaterials, Finding
from contracts.models.observation import Observation
from documents.quote import findings_markdown
from kernel.api.display import LABEL_CHARS
from kernel.api.simulation_run import SimulationRun
from kernel.runtime.cell import CellEnding
from kernel.runtime.interrupts import Interrupts
from pydantic import BaseModel
from sandbox.channels.channel import ChildChannel
from sandbox.channels.image_channel import ImageSender

from cad_worker.capture.design import capture_component, capture_design, capture_parts
from cad_worker.job_protocol import DesignData
from cad_worker.session_protocol import (
    PROOF_CHARS,
    CheckAnswer,
    CheckCall,
    QuoteAnswer,
    QuoteCall,
    RecallCall,
    RerunCall,
    ScriptAnswer,
    ScriptCall,
    SearchAnswer,
    SearchCall,
    ShowAnswer,
    ShowResultCall,
    ShowShapesCall,
    SimulationAnswer,
    SimulationCall,
)

A = TypeVar("A", bound=BaseModel)


class ToolRefusedError(RuntimeError):
    """The host could not do what was asked; the message says why."""


class NotAcceptableError(ValueError):
    """The verdict would object to the design; the message says where and why."""


class AlreadyEndedError(RuntimeError):
    """The cell has already been ended by a submission or a refusal."""


class KernelTools:
    """Implements `kernel.api.engineering.Effects` over the channel."""

    def __init__(
        self, channel: ChildChannel, environment: object, limits: Limits, interrupts: Interrupts, images: ImageSender
    ) -> None:
        self._channel = channel
        self._environment = environment
        self._limits = limits
        self._interrupts = interrupts
        self._images = images
        self._one_at_a_time = Lock()
        self.submitted: DesignData | None = None
        self.refusal: str | None = None

    @property
    def limits(self) -> Limits:
        """Return what the machine may cost and weigh."""
        return self._limits

    def begin_cell(self) -> None:
        """Forget how the last cell ended."""
        self.submitted = self.refusal = None

    def quote(self, component: object) -> tuple[Sequence[Finding], BillOfMaterials | None]:
        """Ask the workbenches."""
        answer = self._ask(QuoteCall(component=capture_component(component, self._environment)), QuoteAnswer)
        if answer.quote is None:
            raise ToolRefusedError(answer.problem)
        return answer.quote.findings, answer.quote.bill

    def simulate(self, assembly: object) -> SimulationRun:
        """Ask physics."""
        answer = self._ask(SimulationCall(design=capture_design(assembly, self._environment)), SimulationAnswer)
        if answer.result is None:
            raise ToolRefusedError(answer.problem)
        if answer.warnings_md:
            print(answer.warnings_md)  # noqa: T201 - the agent reads it
        return SimulationRun.of(answer.result, answer.trajectory_npz)

    def rerun(self, seed: int, replicas: int) -> SimulationRun:
        """Ask physics about the submitted scene again; for a review."""
        answer = self._ask(RerunCall(seed=seed, replicas=replicas), SimulationAnswer)
        if answer.result is None:
            raise ToolRefusedError(answer.problem)
        return SimulationRun.of(answer.result, answer.trajectory_npz)

    def run_script(self) -> Observation:
        """Ask for script.py to be run elsewhere."""
        answer = self._ask(ScriptCall(), ScriptAnswer)
        if answer.observation is None:
            raise ToolRefusedError(answer.problem)
        return answer.observation

    def search_catalog(self, words: str, limit: int, quantity: int) -> tuple[Sequence[CatalogFind], str]:
        """Ask the catalog."""
        answer = self._ask(SearchCall(words=words, limit=limit, quantity=quantity), SearchAnswer)
        if answer.problem:
            raise ToolRefusedError(answer.problem)
        return answer.found, answer.note

    def show_shapes(self, shapes: tuple[object, ...], label: str) -> None:
        """Have geometry drawn."""
        parts = tuple(part for shape in shapes for part in capture_parts(shape).parts)
        self._show(ShowShapesCall(design=DesignData(parts=parts), label=label[:LABEL_CHARS]))

    def show_run(self, run: SimulationRun, label: str) -> None:
        """Have a run drawn, or what happened in its window."""
        shown = ShowResultCall(
            trajectory_digest=run.trajectory_digest, label=label[:LABEL_CHARS], window_s=run.window_s
        )
        self._show(shown)

    def recall_picture(self, picture: str) -> None:
        """Ask for a picture of an earlier cell."""
        self._show(RecallCall(picture=picture[:LABEL_CHARS]))

    def show_picture(self, png: bytes, label: str) -> None:
        """Send a picture on its own way."""
        self._images.send(label, png)

    def _show(self, question: BaseModel) -> None:
        answer = self._ask(question, ShowAnswer)
        if answer.problem:
            raise ToolRefusedError(answer.problem)
        if answer.note:
            print(f"not shown: {answer.note}")  # noqa: T201 - the agent reads it

    def submit(self, assembly: object) -> NoReturn:
        """Keep the design for the report of this cell, and end it."""
        self._must_be_open()
        design = capture_design(assembly, self._environment)
        question = CheckCall(design=design, environment=capture_parts(self._environment))
        answer = self._ask(question, CheckAnswer)
        if answer.problem:
            raise ToolRefusedError(answer.problem)
        if answer.findings:
            raise NotAcceptableError(f"nothing was submitted:\n{findings_markdown(answer.findings)}")
        self.submitted = design
        raise CellEnding

    def refuse(self, proof: str) -> NoReturn:
        """Keep the proof for the report of this cell, and end it."""
        self._must_be_open()
        if not proof.strip():
            raise ValueError("refuse_plan needs a proof: say which requirement cannot be met, and why")
        self.refusal = proof[:PROOF_CHARS]
        raise CellEnding

    def _must_be_open(self) -> None:
        if self.submitted is not None or self.refusal is not None:
            raise AlreadyEndedError("this cell has already submitted or refused; it can do so once")

    def _ask(self, question: BaseModel, answer: type[A]) -> A:
        with self._one_at_a_time, self._interrupts.held():
            self._channel.send(question)
            return self._channel.receive(answer)
