"""Kernels of questions, as a host opens them."""

import asyncio

from artifacts.port import ArtifactStore
from kernel_host.kernel_kind import KernelKind, Place
from kernel_host.protocol import CellDone, KernelCall, SessionReady
from kernel_host.sessions.tool_replies import fetch
from pydantic import BaseModel
from sandbox.channels.channel import HostChannel

from question_kernel.protocol import ARRAYS_FILE, PerceptionAnswer, PerceptionCall, QuestionCall, QuestionMessage


async def receive_message(channel: HostChannel) -> SessionReady | QuestionCall | CellDone:
    """Receive a message of a kernel; raise `ChannelBrokenError`."""
    return (await channel.receive(QuestionMessage)).root


async def place_arrays(call: KernelCall, reply: BaseModel, artifacts: ArtifactStore, place: Place) -> BaseModel:
    """Place the arrays of perception in the workspace: they fit neither into a record nor into a message."""
    if not isinstance(call, PerceptionCall):
        return reply
    perceived = PerceptionAnswer.model_validate_json(reply.model_dump_json())  # recorded replies are plain JSON
    if perceived.result is not None:
        await asyncio.to_thread(place, ARRAYS_FILE, await fetch(artifacts, perceived.result.arrays))
    return perceived


QUESTION_KERNEL = KernelKind("question_kernel.kernel:run", receive_message, place_arrays)
