"""The host of kernels: forks the kernel of each session in a workspace of its own."""

import asyncio
from collections.abc import Mapping

from pydantic import BaseModel
from sandbox.channels.channel import UNTRUSTED
from sandbox.host import SandboxHost
from sandbox.zygote.client import ConfinedChild, SandboxUnavailableError, ZygoteTimeoutError

from kernel_host.kernel_kind import KernelKind
from kernel_host.sessions.session import Session
from kernel_host.sessions.workspace import Workspace

SESSION_CPU_S = 3600


class SessionHost(SandboxHost):
    """Opens sessions with kernels of any kind."""

    async def start(self) -> None:
        """Start the zygote; raise `SandboxUnavailableError` when no child can be confined, or not in time."""
        try:
            await super().start()
        except ZygoteTimeoutError as error:
            advice = "relieve the machine, or allow more time by KERNEL_START_S"
            raise SandboxUnavailableError(f"{error}: {advice}") from error

    async def open_kernel(
        self, kind: KernelKind, order: BaseModel, read_only: Mapping[str, bytes], writable: Mapping[str, str] | None
    ) -> Session:
        """Open a session with these files in its workspace; None: no file can be written, as in a review.

        Raises `KernelStartError`.
        """

        async def fork(workspace: Workspace) -> ConfinedChild:
            kernel = await self.fork(kind.entry_point, workspace.location, SESSION_CPU_S)
            kernel.channel.restrict(UNTRUSTED)
            return kernel

        session = Session(Workspace(self.new_workspace()), kind, order, fork)
        try:
            await asyncio.to_thread(session.workspace.fill, read_only, writable)
            await session.open()
        except BaseException:
            await session.close()
            raise
        return session
