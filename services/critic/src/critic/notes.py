"""Notes of the critic: the open question, and the evidence in its kernel."""

from typing import Self
from uuid import UUID

from agent.kernel_session.notes import CellNotes
from contracts.events.benchmark import BenchmarkPlanProposed, DraftCertified
from contracts.events.design import DesignSimulated
from contracts.events.plan import PlanProposed, PlanRefused
from contracts.events.session import CellCompleted
from contracts.models.assessment import AssessmentRecord
from contracts.models.design import Evidence
from contracts.models.observation import Observation
from contracts.models.simulation import Media
from contracts.skills import OfferedSkill
from pydantic import NonNegativeInt

MAX_CELLS = 4
"""Per review: reruns, loads and economy fit into one; the others are for following up."""

BenchmarkQuestion = BenchmarkPlanProposed | DraftCertified
Question = PlanProposed | PlanRefused | DesignSimulated | BenchmarkQuestion
Examined = DesignSimulated | DraftCertified
"""Reviewed in a kernel."""


class CriticNotes(CellNotes):
    """The critic's notes on a run."""

    introduced: bool = False
    """The conversation has begun."""
    known_plan: PlanProposed | None = None
    """The newest."""
    plan: PlanProposed | None = None
    refusal: PlanRefused | None = None
    design: DesignSimulated | None = None
    benchmark_plan: BenchmarkPlanProposed | None = None
    draft: DraftCertified | None = None
    """At most one of these five is open."""
    skills: tuple[OfferedSkill, ...] = ()
    film_request: UUID | None = None
    """The critic's own, while it waits for its outcome: cells request films, too."""
    media: Media | None = None
    """Of the simulation, if the model sees pictures."""
    cells: NonNegativeInt = 0
    """Run in this review."""
    evidence: tuple[Evidence, ...] = ()
    """Every variable that a cell of this review has bound, at its present value."""
    counted: AssessmentRecord | None = None
    """The reruns of this review, as the newest cell's host counted them."""

    @property
    def question(self) -> Question | None:
        """The open question."""
        return self.plan or self.refusal or self.design or self.benchmark_plan or self.draft

    @property
    def examined(self) -> Examined | None:
        """The open question, if it is examined in a kernel."""
        return self.design or self.draft

    @property
    def cells_left(self) -> int:
        """How many more cells this review may run."""
        return MAX_CELLS - self.cells

    def begin_question(self, question: Question) -> Self:
        """Return the notes for a new question; of earlier ones only the plan is kept, and the call of the verdict."""
        return type(self)(
            introduced=self.introduced,
            open_call=self.open_call,
            known_plan=question if isinstance(question, PlanProposed) else self.known_plan,
            plan=question if isinstance(question, PlanProposed) else None,
            refusal=question if isinstance(question, PlanRefused) else None,
            design=question if isinstance(question, DesignSimulated) else None,
            benchmark_plan=question if isinstance(question, BenchmarkPlanProposed) else None,
            draft=question if isinstance(question, DraftCertified) else None,
        )

    def end_question(self) -> Self:
        """Return the notes without an open question."""
        return type(self)(introduced=self.introduced, open_call=self.open_call, known_plan=self.known_plan)

    def with_evidence(self, event: CellCompleted) -> Self:
        """Return the notes with the variables that a cell bound, changed or lost, and the reruns up to its end."""
        by_name = {each.name: each for each in self.evidence}
        for name in _lost_names(event.observation):
            by_name.pop(name, None)
        for each in event.observation.variables:
            if each.change != "lost":
                by_name[each.name] = Evidence(
                    cell_id=event.id, name=each.name, summary=each.summary, fingerprint=each.fingerprint
                )
        return self.model_copy(update={"evidence": tuple(by_name.values()), "counted": event.assessment})


def _lost_names(observation: Observation) -> list[str]:
    lost = [each.name for each in observation.variables if each.change == "lost"]
    recovery = observation.recovery
    return lost if recovery is None else [*lost, *recovery.lost, *recovery.different]
