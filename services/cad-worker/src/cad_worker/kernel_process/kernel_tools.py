"""The kernel's end of its tools: sends geometry as data and receives answers; a cell has no other effect."""

from collections.abc import Sequence
from typing import NoReturn

from contracts.models.assessment import Assessment
from contracts.models.benchmark import Assignment, Limits, Payload
from contracts.models.catalog import CatalogFind
from contracts.models.design import BillOfMaterials, Finding
from contracts.models.observation import Observation
from contracts.models.questions.answers import AnswerSpec
from design_rules.design_data import DesignData
from documents.quote import findings_markdown
from kernel.api.host_tools import Released
from kernel.api.reviews.film_questions import FilmAnswer
from kernel.api.simulation_run import SimulationRun
from kernel.errors import CellEnding, ExplainedError
from kernel.runtime.interrupts import Interrupts
from kernel_host.protocol import PROOF_CHARS
from sandbox.channels.channel import ChildChannel
from sandbox.channels.image_channel import ImageSender

from cad_worker.capture.design import capture_component, capture_design, capture_parts
from cad_worker.kernel_process.channel_tools import ChannelTools, ToolRefusedError
from cad_worker.session_protocol import (
    AssessAnswer,
    AssessCall,
    CheckAnswer,
    CheckCall,
    FilmQuestionAnswer,
    FilmQuestionCall,
    QuoteAnswer,
    QuoteCall,
    RerunCall,
    ScriptAnswer,
    ScriptCall,
    SearchAnswer,
    SearchCall,
    SimulationAnswer,
    SimulationCall,
)


class NotAcceptableError(ExplainedError, ValueError):
    """A verdict on the design would have findings; the message contains them."""


class AlreadyEndedError(ExplainedError, RuntimeError):
    """The cell has already submitted a design or refused the plan."""


class KernelTools(ChannelTools):
    """Implements `kernel.api.host_tools.HostTools` over the channel."""

    def __init__(
        self,
        channel: ChildChannel,
        environment: object,
        assignment: Assignment,
        interrupts: Interrupts,
        images: ImageSender,
    ) -> None:
        super().__init__(channel, interrupts, images)
        self._environment = environment
        self._assignment = assignment
        self.submitted: DesignData | None = None
        self.refusal: str | None = None

    @property
    def limits(self) -> Limits:
        """Return the limits of cost, mass and parts."""
        return self._assignment.limits

    @property
    def payloads(self) -> tuple[Payload, ...]:
        """Return what must be moved."""
        return self._assignment.variant.payloads

    def begin_cell(self) -> None:
        """Forget the ending of the last cell."""
        self.submitted = self.refusal = None

    def quote(self, component: object, quantity: int | None = None) -> tuple[Sequence[Finding], BillOfMaterials | None]:
        """Return findings and bill of a component."""
        call = QuoteCall(component=capture_component(component, self._environment), quantity=quantity)
        answer = self._call(call, QuoteAnswer)
        if answer.quote is None:
            raise ToolRefusedError(answer.problem)
        return answer.quote.findings, answer.quote.bill

    def simulate(
        self, assembly: object, replicas: int = 1, seed: int = 0, payload_at_mm: Released = None
    ) -> SimulationRun:
        """Simulate a design, and print the findings that a verdict would have."""
        design = capture_design(assembly, self._environment)
        call = SimulationCall(design=design, replicas=replicas, seed=seed, payload_at_mm=payload_at_mm)
        answer = self._call(call, SimulationAnswer)
        if answer.result is None:
            raise ToolRefusedError(answer.problem)
        if answer.warnings_md:
            print(answer.warnings_md)  # noqa: T201 - the agent reads it
        return SimulationRun.of(answer.result, answer.trajectory_npz)

    def rerun(self, seed: int, replicas: int) -> SimulationRun:
        """Simulate the submitted scene again, in a review."""
        answer = self._call(RerunCall(seed=seed, replicas=replicas), SimulationAnswer)
        if answer.result is None:
            raise ToolRefusedError(answer.problem)
        return SimulationRun.of(answer.result, answer.trajectory_npz)

    def assess(self) -> Assessment:
        """Count the replicas of the review's reruns."""
        answer = self._call(AssessCall(), AssessAnswer)
        if answer.assessment is None:
            raise ToolRefusedError(answer.problem)
        return answer.assessment

    def ask_film(self, question: str, spec: AnswerSpec, window_s: tuple[float, float] | None) -> FilmAnswer:
        """Ask about the film of the design under review."""
        call = FilmQuestionCall(question=question, answer=spec, window_s=window_s)
        answer = self._call(call, FilmQuestionAnswer)
        if answer.answer is None:
            raise ToolRefusedError(answer.problem)
        return FilmAnswer(question, answer.answer.value, answer.ending, str(answer.run_id))

    def run_script(self) -> Observation:
        """Run script.py in a fresh kernel."""
        answer = self._call(ScriptCall(), ScriptAnswer)
        if answer.observation is None:
            raise ToolRefusedError(answer.problem)
        return answer.observation

    def search_catalog(self, words: str, limit: int, quantity: int) -> tuple[Sequence[CatalogFind], str]:
        """Return the parts that the catalog proposes, and a note."""
        answer = self._call(SearchCall(words=words, limit=limit, quantity=quantity), SearchAnswer)
        if answer.problem:
            raise ToolRefusedError(answer.problem)
        return answer.found, answer.note

    def submit(self, assembly: object) -> NoReturn:
        """Check the design and end the cell with it."""
        self._require_open()
        design = capture_design(assembly, self._environment)
        call = CheckCall(design=design, environment=capture_parts(self._environment))
        answer = self._call(call, CheckAnswer)
        if answer.problem:
            raise ToolRefusedError(answer.problem)
        if answer.findings:
            raise NotAcceptableError(f"nothing was submitted:\n{findings_markdown(answer.findings)}")
        self.submitted = design
        raise CellEnding

    def refuse(self, proof: str) -> NoReturn:
        """End the cell with a refusal of the plan."""
        self._require_open()
        if not proof.strip():
            raise ValueError("refuse_plan needs a proof: say which requirement cannot be met, and why")
        self.refusal = proof[:PROOF_CHARS]
        raise CellEnding

    def _require_open(self) -> None:
        if self.submitted is not None or self.refusal is not None:
            raise AlreadyEndedError("this cell has already submitted or refused; it can do so once")
