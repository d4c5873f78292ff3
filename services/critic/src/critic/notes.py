"""What critic keeps of a run."""

from typing import Self

from agent.loop.cell_reply import CellAction
from contracts.events.design import DesignSimulated
from contracts.events.plan import PlanProposed, PlanRefused
from contracts.events.session import CellCompleted
from contracts.events.skill import OfferedSkill
from contracts.model import Model
from contracts.models.design import Evidence
from contracts.models.observation import Observation
from pydantic import NonNegativeInt

MOST_CELLS = 4
"""Of one review: reruns, loads and economy fit into one, so the others are for what it finds."""

Question = PlanProposed | PlanRefused | DesignSimulated


class CriticNotes(Model):
    """What it is asked about right now, and what its kernel has told."""

    introduced: bool = False
    """The conversation has begun."""
    known_plan: PlanProposed | None = None
    """The newest."""
    plan: PlanProposed | None = None
    refusal: PlanRefused | None = None
    design: DesignSimulated | None = None
    """One of these three is asked about, or nothing."""
    skills: tuple[OfferedSkill, ...] = ()
    cells: NonNegativeInt = 0
    """Run in this review."""
    cell: CellAction | None = None
    """The one that is running or ran last."""
    evidence: tuple[Evidence, ...] = ()
    """Every variable of the kernel as it stands."""

    @property
    def question(self) -> Question | None:
        """What is to be answered."""
        return self.plan or self.refusal or self.design

    @property
    def cells_left(self) -> int:
        """How many more this review may run."""
        return MOST_CELLS - self.cells

    def asked(self, question: Question) -> Self:
        """Return the notes of a new question: nothing of an earlier one is left but the plan."""
        return type(self)(
            introduced=self.introduced,
            known_plan=question if isinstance(question, PlanProposed) else self.known_plan,
            plan=question if isinstance(question, PlanProposed) else None,
            refusal=question if isinstance(question, PlanRefused) else None,
            design=question if isinstance(question, DesignSimulated) else None,
        )

    def answered(self) -> Self:
        """Return the notes once nothing is asked any more."""
        return type(self)(introduced=self.introduced, known_plan=self.known_plan)

    def observed(self, event: CellCompleted) -> Self:
        """Return the notes after a cell, with the evidence that it left behind."""
        kept = {each.name: each for each in self.evidence}
        for name in _gone(event.observation):
            kept.pop(name, None)
        for each in event.observation.variables:
            if each.change != "lost":
                kept[each.name] = Evidence(
                    cell_id=event.id, name=each.name, summary=each.summary, fingerprint=each.fingerprint
                )
        return self.model_copy(update={"evidence": tuple(kept.values())})


def _gone(observation: Observation) -> list[str]:
    lost = [each.name for each in observation.variables if each.change == "lost"]
    recovery = observation.recovery
    return lost if recovery is None else [*lost, *recovery.lost, *recovery.different]
