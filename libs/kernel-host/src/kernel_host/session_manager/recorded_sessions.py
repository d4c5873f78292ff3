"""Sessions from the record: events and artifacts alone rebuild one as it was after its last cell."""

from collections.abc import Sequence
from dataclasses import dataclass

from artifacts.port import ArtifactStore
from contracts.envelope import Event, Role
from contracts.models.observation import Observation, Recovery
from pydantic import BaseModel

from kernel_host.kernels import Kernels
from kernel_host.protocol import KernelCall, RejectedCall
from kernel_host.session_manager.earlier_sessions import earlier_events
from kernel_host.session_manager.recovery import Replay
from kernel_host.sessions.session import Cell, Session
from kernel_host.sessions.session_history import OpeningRequest, session_history

REPLAY_S = 3600.0
"""CPU time of all cells together."""
PROMPT_S = 60.0
"""CPU time of what a user evaluates."""
WHY = "the session is rebuilt from the record"


class NoSessionError(ValueError):
    """The events request no session of the role."""


@dataclass(frozen=True)
class RebuiltSession:
    """A session in a kernel of its own; `session.close()` must follow."""

    session: Session
    recovery: Recovery
    """Which variables are as recorded."""
    different_outputs: tuple[int, ...]
    """Numbers of the cells that printed something else than in the record."""

    @property
    def is_as_recorded(self) -> bool:
        """Whether every cell ran again as recorded, and left what it had left."""
        recovery = self.recovery
        return not (recovery.different or recovery.lost or recovery.remarks or self.different_outputs)

    async def evaluate(self, code: str) -> Observation:
        """Run code in the kernel; its tools answer nothing new, and nothing of it is recorded."""
        return (await self.session.run(Cell(code, "prompt", 0, PROMPT_S), _reject)).observation


async def rebuild_session(
    events: Sequence[Event], role: Role, kernels: Kernels, artifacts: ArtifactStore
) -> RebuiltSession:
    """Return a role's session as it was after the last of these events, which are a run's from its beginning.

    Raises `NoSessionError`, and what `Kernels.open` raises.
    """
    first = next((each for each in events if isinstance(each, OpeningRequest) and each.role == role), None)
    if first is None:
        raise NoSessionError(f"the {role} had no session by then")
    session = await kernels.open(first)
    try:
        replay = Replay(session, kernels, artifacts, REPLAY_S)
        whole = [*await earlier_events(first, artifacts), *events]
        recovery = await replay.run(session_history(whole, role), WHY)
    except BaseException:
        await session.close()
        raise
    return RebuiltSession(session, recovery, tuple(replay.different_outputs))


async def _reject(_call: KernelCall, _ordinal: int) -> BaseModel:
    return RejectedCall(problem=f"{WHY}: tools answer nothing new here")
