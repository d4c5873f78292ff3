"""What a worker adds to the hosting of sessions: the kernels that it can open, and the tools of their cells."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from contracts.envelope import Event
from contracts.events.benchmark import BenchmarkSessionRequested
from contracts.events.session import SessionRequested

from kernel_host.sessions.session import Session
from kernel_host.sessions.session_history import OpeningRequest
from kernel_host.tools.cell_tools import Ask, CellTools

ReadLog = Callable[[], Awaitable[list[Event]]]
"""Returns the events of the session's run so far."""


class Kernels(Protocol):
    """Opens kernels of every kind that may be requested."""

    async def open(self, request: OpeningRequest) -> Session:
        """Open a session as requested; raise `KernelStartError` or `InvalidWorkspaceError`."""
        ...

    async def review(self, session: Session, request: SessionRequested | BenchmarkSessionRequested) -> None:
        """Let an open session review another design or draft, in a new kernel; idempotent. Raises as `open` does."""
        ...

    def tools(self, request: OpeningRequest, session: Session, ask: Ask, read_log: ReadLog) -> CellTools:
        """Return what the session's cells may call."""
        ...
