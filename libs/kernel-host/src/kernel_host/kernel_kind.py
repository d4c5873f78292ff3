"""What a kind of kernels adds to a session, as plain values: its program, its messages and what its replies lack."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from artifacts.port import ArtifactStore
from pydantic import BaseModel, JsonValue
from sandbox.channels.channel import HostChannel

from kernel_host.protocol import CellDone, KernelCall, SessionReady

Receive = Callable[[HostChannel], Awaitable[SessionReady | KernelCall | CellDone]]
"""Receives any message of such a kernel; raises `ChannelBrokenError`."""
Place = Callable[[str, bytes], None]
"""Writes a file of the workspace that cells cannot change."""
Complete = Callable[[KernelCall, BaseModel, ArtifactStore, Place], Awaitable[BaseModel]]
"""Returns a call's answer, fresh or as it was recorded, with what is too large to be recorded with it."""

Summarize = Callable[[str, JsonValue], str]
"""Returns what a simulation or a test has shown, from the kind of the call and its answer; empty for any other."""


async def nothing_missing(_call: KernelCall, reply: BaseModel, _artifacts: ArtifactStore, _place: Place) -> BaseModel:
    """Return the answer as it is."""
    return reply


def nothing_shown(_tool: str, _reply: JsonValue) -> str:
    """Return an empty text."""
    return ""


@dataclass(frozen=True)
class KernelKind:
    """A kind of kernels."""

    entry_point: str
    """`module:function` that a child runs, with its end of the channel."""
    receive: Receive
    complete: Complete = nothing_missing
    summarize: Summarize = nothing_shown
