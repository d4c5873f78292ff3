"""Trials of a session: how many simulations its cells have had, for the journal that must have an entry for each."""

from collections.abc import Iterable
from uuid import UUID

from contracts.envelope import Event, Role
from contracts.events.session import CellCompleted


class Trials:
    """Counts the simulations of each cell; a cell that begins once more counts once."""

    def __init__(self) -> None:
        self._by_cell: dict[UUID, int] = {}

    @property
    def simulations(self) -> int:
        """All of the run so far."""
        return sum(self._by_cell.values())

    def begin_cell(self, cell_id: UUID) -> None:
        """Start to count a cell."""
        self._by_cell[cell_id] = 0

    def add(self, cell_id: UUID) -> None:
        """Count a simulation that returned a result."""
        self._by_cell[cell_id] = self._by_cell.get(cell_id, 0) + 1

    def load_history(self, events: Iterable[Event], role: Role) -> None:
        """Count the simulations of the completed cells in the log."""
        for event in events:
            if isinstance(event, CellCompleted) and event.role == role and event.causation_id is not None:
                self._by_cell[event.causation_id] = event.simulations
