"""The kernel's end of its tools: geometry leaves as data, answers come back; nothing else gets in or out."""

from collections.abc import Callable, Sequence
from threading import Lock
from typing import NoReturn, TypeVar

from contracts.benchmark import Limits
from contracts.design import BillOfMaterials, Finding
from contracts.simulation import SimulationResult
from kernel.cell import CellEnding
from pydantic import BaseModel

from cad_worker.exchange import DesignData
from cad_worker.hosting.channel import Channel
from cad_worker.sessions.messages import PROOF_CHARS, QuoteAnswer, QuoteWanted, SimulationAnswer, SimulationWanted

A = TypeVar("A", bound=BaseModel)
Capture = Callable[[object], DesignData]


class ToolRefusedError(RuntimeError):
    """The host could not do what was asked; the message says why."""


class AlreadyEndedError(RuntimeError):
    """The cell has already been ended by a submission or a refusal."""


class KernelTools:
    """Implements `kernel.engineering.Effects` over the channel."""

    def __init__(self, channel: Channel, capture: Capture, limits: Limits) -> None:
        self._channel = channel
        self._capture = capture
        self._limits = limits
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
        answer = self._ask(QuoteWanted(component=self._capture(component)), QuoteAnswer)
        if answer.quote is None:
            raise ToolRefusedError(answer.problem)
        return answer.quote.findings, answer.quote.bill

    def simulate(self, assembly: object) -> SimulationResult:
        """Ask physics."""
        answer = self._ask(SimulationWanted(design=self._capture(assembly)), SimulationAnswer)
        if answer.result is None:
            raise ToolRefusedError(answer.problem)
        if answer.warnings_md:
            print(answer.warnings_md)  # noqa: T201 - the agent reads it
        return answer.result

    def submit(self, assembly: object) -> NoReturn:
        """Keep the design for the report of this cell, and end it."""
        self._must_be_open()
        self.submitted = self._capture(assembly)
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
        with self._one_at_a_time:
            self._channel.send(question)
            return self._channel.receive(answer)
