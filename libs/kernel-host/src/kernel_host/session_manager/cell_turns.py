"""Turns of the cells of one session: a cell gives its turn back while another service works for it."""

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack

from chassis.turns import Turns
from contracts.envelope import Event, Request
from contracts.events.session import CellCompleted, CellRequested

RunCell = Callable[[CellRequested], Awaitable[CellCompleted]]
Ask = Callable[[Request], Awaitable[Event]]


class CellTurns:
    """Runs one cell after another, each in a turn."""

    def __init__(self, turns: Turns, ask: Ask) -> None:
        self._turns = turns
        self._ask = ask
        self._turn = AsyncExitStack()
        self._cell: CellRequested | None = None

    async def run(self, cell: CellRequested, run_cell: RunCell) -> CellCompleted:
        """Run a cell in a turn."""
        self._cell = cell
        try:
            await self._turn.enter_async_context(self._turns.taken(cell))
            return await run_cell(cell)
        finally:
            await self._turn.aclose()

    async def ask(self, request: Request) -> Event:
        """Publish the request of a tool and wait for its outcome without a turn, then for the next turn."""
        assert self._cell is not None, "only a running cell has tools"
        await self._turn.aclose()
        outcome = await self._ask(request)
        await self._turn.enter_async_context(self._turns.taken(self._cell))
        return outcome
