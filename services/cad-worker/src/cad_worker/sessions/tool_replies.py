"""What a cell's tools replied, kept, so that the cell can run again without asking anybody."""

from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import Generic, TypeVar

from artifacts.documents import get_json, put_json
from artifacts.port import ArtifactStore
from contracts.model import Model
from contracts.models.artifact import ArtifactRef, Sha256
from pydantic import BaseModel, JsonValue, NonNegativeInt, RootModel

from cad_worker.session_protocol import SimulationAnswer

W = TypeVar("W", bound=BaseModel)


class ToolReply(Model):
    """One call and its reply."""

    ordinal: NonNegativeInt
    tool: str
    arguments: Sha256
    """Digest of all that was asked."""
    reply: JsonValue


class ToolReplies(Model):
    """All calls of a cell, in order."""

    replies: tuple[ToolReply, ...]


class ReplayedReply(RootModel[JsonValue]):
    """A reply as it was sent."""


class RejectedCall(BaseModel):
    """Reads as any tool's refusal."""

    problem: str


class ToolRecorder(Generic[W]):
    """Asks the tools of one cell, and keeps what they reply."""

    def __init__(self, ask: Callable[[W, int], Awaitable[BaseModel]]) -> None:
        self._ask = ask
        self._replies: list[ToolReply] = []

    async def answer(self, wanted: W, ordinal: int) -> BaseModel:
        """Ask and keep."""
        reply = await self._ask(wanted, ordinal)
        told = reply.model_dump(mode="json")
        self._replies.append(ToolReply(ordinal=ordinal, tool=_tool(wanted), arguments=_digest(wanted), reply=told))
        return reply

    @property
    def calls(self) -> int:
        """How many have been answered."""
        return len(self._replies)

    @property
    def simulations(self) -> int:
        """How many simulated runs were among them."""
        told = (each.reply for each in self._replies if each.tool == "simulation")
        return sum(isinstance(reply, dict) and reply.get("result") is not None for reply in told)

    @property
    def simulated_md(self) -> str:
        """The summary of the last of them, empty where there was none."""
        told = [each.reply for each in self._replies if each.tool == "simulation"]
        answers = [SimulationAnswer.model_validate(reply) for reply in told]
        return next((answer.result.summary_md for answer in reversed(answers) if answer.result is not None), "")

    async def stored(self, artifacts: ArtifactStore) -> ArtifactRef | None:
        """Return what was kept, as an artifact; None if nothing was asked."""
        return await put_json(artifacts, ToolReplies(replies=tuple(self._replies))) if self._replies else None


class ToolReplay:
    """Gives a cell that runs again the replies of then, and asks nobody."""

    def __init__(self, replies: ToolReplies) -> None:
        self._replies = {each.ordinal: each for each in replies.replies}
        self.divergence: str | None = None
        """What the cell asked otherwise than then, if it did."""

    async def answer(self, wanted: BaseModel, ordinal: int) -> BaseModel:
        """Return the reply of then, or refuse what was not asked then."""
        known = self._replies.get(ordinal)
        if known is not None and known.arguments == _digest(wanted):
            return ReplayedReply(known.reply)
        asked_then = "nothing" if known is None else f"{known.tool} of something else"
        self.divergence = f"its tool call {ordinal + 1} was {_tool(wanted)}, where it had asked {asked_then}"
        return RejectedCall(problem=f"this cell ran again after the kernel was lost, and {self.divergence}")


async def replies_of(artifacts: ArtifactStore, ref: ArtifactRef | None) -> ToolReplies:
    """Return what a cell's tools replied."""
    return ToolReplies(replies=()) if ref is None else await get_json(artifacts, ref, ToolReplies)


def _tool(wanted: BaseModel) -> str:
    return str(vars(wanted)["kind"])


def _digest(wanted: BaseModel) -> str:
    return sha256(wanted.model_dump_json().encode()).hexdigest()
