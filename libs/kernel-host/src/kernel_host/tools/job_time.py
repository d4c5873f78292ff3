"""The time that jobs run for the tools of a session: it is not the time of a cell, so it has a limit of its own."""

from contracts.cell_limits import MAX_CELL_TOOLS_S, MAX_SESSION_TOOLS_S


class JobTime:
    """Counts the seconds in which jobs ran, not those in which they waited for their turn."""

    def __init__(self, cell_s: float = MAX_CELL_TOOLS_S, session_s: float = MAX_SESSION_TOOLS_S) -> None:
        self._max_cell_s, self._max_session_s = cell_s, session_s
        self._cell_s = self._session_s = 0.0

    def begin_cell(self) -> None:
        """Count the next cell."""
        self._cell_s = 0.0

    def add(self, ran_s: float) -> None:
        """Count a job that has ended."""
        self._cell_s += ran_s
        self._session_s += ran_s

    def problem(self) -> str:
        """Return why no further job may run now; empty if one may."""
        if self._session_s >= self._max_session_s:
            return (
                f"the tools of this session have computed for {self._session_s:.0f} s, and {self._max_session_s:g} s "
                "are allowed: submit what you have, or refuse the plan"
            )
        if self._cell_s >= self._max_cell_s:
            return (
                f"the tools of this cell have computed for {self._cell_s:.0f} s, and {self._max_cell_s:g} s are "
                "allowed: examine fewer or simpler shapes, and go on in another cell"
            )
        return ""
