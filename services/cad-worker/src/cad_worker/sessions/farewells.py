"""How the end of a session is said, by whoever says it."""

from typing import Literal
from uuid import uuid5

from contracts.session import SessionClosed, SessionFailed, SessionRequested


def closed(cause: SessionRequested, reason: Literal["run_ended", "worker_stopped"]) -> SessionClosed:
    """Return that the session is closed: said once, whoever says it."""
    return SessionClosed(
        id=uuid5(cause.id, "closed"),
        run_id=cause.run_id,
        kind=cause.kind,
        role=cause.role,
        causation_id=cause.id,
        producer="cad-worker",
        reason=reason,
    )


def lost(cause: SessionRequested, detail: str) -> SessionFailed:
    """Return that the session was lost with its worker, and no other can open it."""
    return SessionFailed(
        id=uuid5(cause.id, "lost"),
        run_id=cause.run_id,
        kind=cause.kind,
        role=cause.role,
        causation_id=cause.id,
        producer="cad-worker",
        reason="kernel_failed",
        detail=f"its worker died, and no other could open it: {detail}",
    )
