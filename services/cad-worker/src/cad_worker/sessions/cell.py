"""From a request to what a kernel runs: the same code, name and seed whenever it runs."""

from contracts.events.session import CellRequested

from cad_worker.sessions.session import Cell


def cell_of(request: CellRequested, timeout_s: float | None = None) -> Cell:
    """Return the cell; with a `timeout_s` of its own when it runs again."""
    name = f"cell {str(request.id)[:8]}"
    return Cell(request.code, name, request.id.int % 2**32, timeout_s or request.timeout_s)
