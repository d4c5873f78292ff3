"""Recorded replies of a cell's tools, so that the cell can run again without calling any tool."""

import asyncio
import logging
from hashlib import sha256

from artifacts.port import ArtifactStore, ArtifactsUnavailableError, get_json, put_json
from contracts.model import Model
from contracts.models.artifact import ArtifactRef, Sha256
from pydantic import BaseModel, JsonValue, NonNegativeInt, RootModel

from kernel_host.kernel_kind import Complete, Place, Summarize
from kernel_host.protocol import KernelCall, RejectedCall
from kernel_host.sessions.session import Answer

STORE_RETRY_S = 1.0

_log = logging.getLogger(__name__)


class ToolReply(Model):
    """One call and its reply."""

    ordinal: NonNegativeInt
    tool: str
    """The call's kind."""
    arguments: Sha256
    """Digest of the call."""
    reply: JsonValue


class ToolReplies(Model):
    """All calls of a cell, in order."""

    replies: tuple[ToolReply, ...]


class ReplayedReply(RootModel[JsonValue]):
    """A reply as it was recorded."""


class ToolRecorder:
    """Answers the calls of one cell, and records the replies."""

    def __init__(self, answer: Answer, summarize: Summarize) -> None:
        self._answer = answer
        self._summarize = summarize
        self._replies: list[ToolReply] = []

    async def answer(self, call: KernelCall, ordinal: int) -> BaseModel:
        """Answer a call and record the reply."""
        reply = await self._answer(call, ordinal)
        recorded = reply.model_dump(mode="json")
        self._replies.append(ToolReply(ordinal=ordinal, tool=call.tool, arguments=_digest(call), reply=recorded))
        return reply

    @property
    def calls(self) -> int:
        """How many calls were answered."""
        return len(self._replies)

    @property
    def simulations(self) -> int:
        """How many simulations and tests of worlds ran, without those of stations, which do not try the design."""
        return len(self._summaries())

    @property
    def simulated_md(self) -> str:
        """The summary of the last of these; empty if there was none."""
        summaries = self._summaries()
        return summaries[-1] if summaries else ""

    async def stored(self, artifacts: ArtifactStore) -> ArtifactRef | None:
        """Store the replies as an artifact; None without calls."""
        return await put_json(artifacts, ToolReplies(replies=tuple(self._replies))) if self._replies else None

    def _summaries(self) -> list[str]:
        summaries = [self._summarize(each.tool, each.reply) for each in self._replies]
        return [summary for summary in summaries if summary]


class ToolReplay:
    """Answers the calls of a cell that runs again with the recorded replies."""

    def __init__(self, replies: ToolReplies) -> None:
        self._replies = {each.ordinal: each for each in replies.replies}
        self.divergence: str | None = None
        """The first or last call that differed from the recorded one, if any did."""

    async def answer(self, call: KernelCall, ordinal: int) -> BaseModel:
        """Return the recorded reply; reject a call that differs from the recorded one."""
        recorded = self._replies.get(ordinal)
        if recorded is not None and recorded.arguments == _digest(call):
            return ReplayedReply(recorded.reply)
        before = "nothing" if recorded is None else f"{recorded.tool} of something else"
        self.divergence = f"its tool call {ordinal + 1} was {call.tool}, where it had called {before}"
        return RejectedCall(problem=f"this cell ran again after the kernel was lost, and {self.divergence}")


async def load_replies(artifacts: ArtifactStore, ref: ArtifactRef | None) -> ToolReplies:
    """Return the recorded replies of a cell."""
    return ToolReplies(replies=()) if ref is None else await get_json(artifacts, ref, ToolReplies)


def completed(answer: Answer, complete: Complete, artifacts: ArtifactStore, place: Place) -> Answer:
    """Return a function whose answers, fresh or recorded, have what was too large to be recorded with them."""

    async def complete_answer(call: KernelCall, ordinal: int) -> BaseModel:
        return await complete(call, await answer(call, ordinal), artifacts, place)

    return complete_answer


async def fetch(artifacts: ArtifactStore, ref: ArtifactRef) -> bytes:
    """Fetch a file of a tool's reply; if the store is unavailable, wait for it."""
    while True:
        try:
            return await artifacts.get(ref)
        except ArtifactsUnavailableError as error:
            _log.warning("waiting for a file of a tool's reply: %s", error)
        await asyncio.sleep(STORE_RETRY_S)


def _digest(call: KernelCall) -> str:
    fields = type(call).model_fields
    added = {name for name in call.later_fields if getattr(call, name) == fields[name].default}
    return sha256(call.model_dump_json(exclude=added).encode()).hexdigest()
