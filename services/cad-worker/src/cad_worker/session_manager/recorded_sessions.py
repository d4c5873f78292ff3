"""Sessions from the record: events and artifacts alone open one, and rebuild it as it was after its last cell."""

from collections.abc import Sequence
from dataclasses import dataclass

from artifacts.port import ArtifactStore
from contracts.envelope import Event, Role
from contracts.events.benchmark import BenchmarkSessionRequested
from contracts.events.question import QuestionSessionRequested
from contracts.models.observation import Observation, Recovery
from pydantic import BaseModel

from cad_worker.drafts.author_files import author_order, own_files, read_only_files
from cad_worker.host import KernelHost
from cad_worker.session_manager.earlier_sessions import as_it_began, earlier_events
from cad_worker.session_manager.recovery import Replay
from cad_worker.session_protocol import KernelCall
from cad_worker.sessions.session import Cell, Session
from cad_worker.sessions.session_history import OpeningRequest, session_history
from cad_worker.sessions.setup import (
    initial_files,
    question_order,
    question_pictures,
    review_files,
    session_order,
    with_review,
)
from cad_worker.sessions.tool_replies import RejectedCall

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


async def open_requested(request: OpeningRequest, host: KernelHost, artifacts: ArtifactStore) -> Session:
    """Open a session as requested; raise `KernelStartError` or `InvalidWorkspaceError`."""
    if isinstance(request, QuestionSessionRequested):
        return await host.open_question(question_order(request), await question_pictures(request, artifacts))
    if isinstance(request, BenchmarkSessionRequested):
        return await host.open_author(author_order(request), read_only_files(request), own_files(request))
    order = await session_order(request.assignment, request.environment, artifacts)
    if request.reviewed is not None:
        order = await with_review(order, request.reviewed, artifacts)
        return await host.open_session(order, await review_files(request, artifacts), None)
    files = await initial_files(as_it_began(request, await earlier_events(request, artifacts)), artifacts)
    return await host.open_session(order, files.read_only, files.writable)


async def rebuild_session(
    events: Sequence[Event], role: Role, host: KernelHost, artifacts: ArtifactStore
) -> RebuiltSession:
    """Return a role's session as it was after the last of these events, which are a run's from its beginning.

    Raises `NoSessionError`, and what `open_requested` raises.
    """
    first = next((each for each in events if isinstance(each, OpeningRequest) and each.role == role), None)
    if first is None:
        raise NoSessionError(f"the {role} had no session by then")
    session = await open_requested(first, host, artifacts)
    try:
        replay = Replay(session, artifacts, REPLAY_S)
        whole = [*await earlier_events(first, artifacts), *events]
        recovery = await replay.run(session_history(whole, role), WHY)
    except BaseException:
        await session.close()
        raise
    return RebuiltSession(session, recovery, tuple(replay.different_outputs))


async def _reject(_call: KernelCall, _ordinal: int) -> BaseModel:
    return RejectedCall(problem=f"{WHY}: tools answer nothing new here")
