"""Citations of a proof: what of it has happened in this run."""

from collections.abc import Sequence

from agent.kernel_session.notes import SeenCell
from contracts.events.plan import Citation
from documents.refusal import citations

from engineer.notes import EngineerNotes


def look_up_citations(proof: str, notes: EngineerNotes) -> tuple[tuple[Citation, ...], tuple[str, ...]]:
    """Return the evidence that a proof cites, and its citations of nothing; the refusing cell itself does not count."""
    cells = notes.cells[:-1]
    simulations = [cell for cell in cells for _ in range(cell.simulations)]
    evidence: list[Citation] = []
    unknown: list[str] = []
    for kind, number in citations(proof):
        existing: Sequence[SeenCell] = cells if kind == "cell" else simulations
        if number > len(existing):
            unknown.append(f"[{kind} {number}]")
        else:
            cell = existing[number - 1]
            evidence.append(Citation(kind=kind, number=number, event_id=cell.event_id, told=cell.result))
    return tuple(evidence), tuple(unknown)
