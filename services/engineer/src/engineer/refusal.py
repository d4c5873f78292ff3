"""A refused plan: its proof must point at what happened in this run; then critic judges it."""

from agent.loop.role import StepEvents
from contracts.events.plan import Citation, PlanApproved, PlanRefused
from documents.refusal import citations

from engineer.notes import EngineerNotes, SeenCell


def look_up(proof: str, notes: EngineerNotes) -> tuple[tuple[Citation, ...], tuple[str, ...]]:
    """Return what a proof cites of the cells before the one that refuses, and which of its citations nothing is at."""
    cells = notes.cells[:-1]
    simulations = [cell for cell in cells for _ in range(cell.simulations)]
    found: list[Citation] = []
    unknown: list[str] = []
    for kind, number in citations(proof):
        there: list[SeenCell] = [*cells] if kind == "cell" else simulations
        if number > len(there):
            unknown.append(f"[{kind} {number}]")
        else:
            cell = there[number - 1]
            found.append(Citation(kind=kind, number=number, event_id=cell.event_id, told=cell.told))
    return tuple(found), tuple(unknown)


def what_is_wrong(proof: str, notes: EngineerNotes) -> str:
    """Say why a refusal is not passed on; empty if it can be."""
    found, unknown = look_up(proof, notes)
    if unknown:
        cells, simulations = len(notes.cells) - 1, sum(cell.simulations for cell in notes.cells[:-1])
        there = f"{cells} cells and {simulations} simulations before this one"
        return f"The proof cites {', '.join(unknown)}, and the run has {there}."
    return "" if found else "The proof cites nothing that happened in this run."


def refusal(proof: str, notes: EngineerNotes, plan: PlanApproved, pen: StepEvents) -> PlanRefused:
    """Return the refusal, with all that its proof cites."""
    evidence, _ = look_up(proof, notes)
    return pen.next(
        PlanRefused,
        assignment=plan.assignment,
        environment=plan.environment,
        model=plan.model,
        plan_md=plan.plan_md,
        todo_md=plan.todo_md,
        proof_md=proof,
        evidence=evidence,
    )
