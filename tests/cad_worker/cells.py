"""Running a cell in a test."""

from cad_worker.session_protocol import SimulationAnswer
from kernel_host.protocol import KernelCall
from kernel_host.sessions.session import Cell, CellOutcome, Session
from pydantic import BaseModel


async def no_tools(_call: KernelCall, _ordinal: int) -> BaseModel:
    """Refuse every tool."""
    return SimulationAnswer(problem="no tool here")


async def run(session: Session, code: str, timeout_s: float = 20.0) -> CellOutcome:
    """Run a cell without tools."""
    return await session.run(Cell(code, "cell", 0, timeout_s), no_tools)
