"""Mortal cad-workers, whose kernels do not always come up. Only they load this: it takes a second."""

from typing import Any

import cad_worker.app
from cad_worker.host import KernelHost
from cad_worker.session_protocol import SessionOrder
from cad_worker.sessions.session import KernelStartError, Session

from perf.mortality.fates import WITHOUT_KERNELS

SOON_S = 0.5
"""How often mortal cad-workers look for sessions whose worker died."""


def lose_kernels() -> None:
    """Let no kernel come up in benchmarks that say so, and look for lost sessions often."""
    open_session = KernelHost.open_session

    async def without(host: KernelHost, order: SessionOrder, *files: Any) -> Session:
        if order.assignment.variant.benchmark == WITHOUT_KERNELS:
            raise KernelStartError("this machine has no kernels today")
        return await open_session(host, order, *files)

    setattr(KernelHost, "open_session", without)  # noqa: B010 - it is somebody else's
    cad_worker.app.TAKEOVER_INTERVAL_S = SOON_S
