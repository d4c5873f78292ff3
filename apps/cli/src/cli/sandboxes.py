"""Hosts of sandboxed processes, as commands use them."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Protocol, TypeVar

from contracts.settings import COMMAND
from local_stack.errors import UserError
from sandbox.zygote.client import SandboxUnavailableError


class Host(Protocol):
    """A host of sandboxed processes."""

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


H = TypeVar("H", bound=Host)


@asynccontextmanager
async def started(host: H, problem: str) -> AsyncGenerator[H]:
    """Yield a host that works; raise `UserError`, which begins with the problem, when this machine permits none."""
    try:
        await host.start()
        yield host
    except SandboxUnavailableError as error:
        raise UserError(f"{problem} on this machine: {error}; see `{COMMAND} doctor`") from error
    finally:
        await host.stop()
