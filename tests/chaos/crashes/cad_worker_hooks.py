"""Hooks of instrumented cad-workers. Only they import this module, which takes a second."""

from pathlib import Path
from typing import Any

import cad_worker.app
from cad_worker.host import KernelHost
from cad_worker.session_protocol import QuoteAnswer, QuoteCall, SessionOrder
from kernel_host.sessions.session import KernelStartError, Session

from tests.chaos.crashes.crash_points import WITHOUT_KERNELS
from tests.chaos.crashes.instrumented_service import replace

ORPHAN_CHECK_S = 0.5
"""Period of the search for sessions whose worker has died."""


def fail_kernel_starts() -> None:
    """Let no kernel start in the benchmark `WITHOUT_KERNELS`, and search for orphaned sessions often."""
    open_session = KernelHost.open_session

    async def failing(host: KernelHost, order: SessionOrder, *files: Any) -> Session:
        if order.assignment.variant.benchmark == WITHOUT_KERNELS:
            raise KernelStartError("kernels are disabled in this test")
        return await open_session(host, order, *files)

    replace(KernelHost, open_session, failing)
    cad_worker.app.TAKEOVER_INTERVAL_S = ORPHAN_CHECK_S


def count_quotes(file: Path) -> None:
    """Append a byte to the file for each quote."""
    quote = KernelHost.quote

    async def counted(host: KernelHost, wanted: QuoteCall, order: SessionOrder, *rest: Any) -> QuoteAnswer:
        with file.open("a") as marks:
            marks.write("q")
        return await quote(host, wanted, order, *rest)

    replace(KernelHost, quote, counted)
