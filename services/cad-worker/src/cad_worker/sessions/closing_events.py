"""How the end of a session is said, by whoever says it."""

from typing import Literal

from contracts.events.session import SessionClosed, SessionFailed, SessionRequested


def closed(cause: SessionRequested, reason: Literal["run_ended", "worker_stopped"]) -> SessionClosed:
    """Return that the session is closed: said once, whoever says it."""
    return SessionClosed.during(cause, "closed", "cad-worker", reason=reason)


def lost(cause: SessionRequested, detail: str) -> SessionFailed:
    """Return that the session was lost with its worker, and no other can open it."""
    told = f"its worker died, and no other could open it: {detail}"
    return SessionFailed.during(cause, "lost", "cad-worker", reason="kernel_failed", detail=told)
