"""A role without its surroundings: with these and `chassis.testing.FakeBus` a whole role is a pure function."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import PrivateAttr, SkipValidation

from agent.model.local_chat import LocalChat
from agent.model.role_model import CallSettings, RoleModel
from agent.model.vision import Vision


class MemoryCheckpoints:
    """`agent.loop.checkpoints.Checkpoints` that forget with their process; the log does not."""

    def __init__(self) -> None:
        self.saver = InMemorySaver()

    async def start(self) -> None:
        """Nothing to make ready."""

    async def stop(self) -> None:
        """Nothing to let go of."""

    async def keep_newest(self, thread: str) -> None:
        """Keep them all: tests look back."""

    async def forget(self, thread: str) -> None:
        """Drop a thread."""
        await self.saver.adelete_thread(thread)


class ScriptExhaustedError(AssertionError):
    """The role asked more often than the script has replies."""


class ScriptedChat(LocalChat):
    """Replies with the lines of a script, one after the other; a line that is an exception is raised."""

    script: SkipValidation[list[str | AIMessage | Exception]]
    _conversations: list[list[BaseMessage]] = PrivateAttr(default_factory=list[list[BaseMessage]])

    @property
    def calls(self) -> int:
        """How often it was asked."""
        return len(self._conversations)

    @property
    def conversations(self) -> list[list[BaseMessage]]:
        """What it saw, call by call."""
        return self._conversations

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def reply_to(self, messages: Sequence[BaseMessage]) -> AIMessage:
        """Return the script's next line."""
        self._conversations.append(list(messages))
        if self.calls > len(self.script):
            raise ScriptExhaustedError(f"the script has only {len(self.script)} replies")
        line = self.script[self.calls - 1]
        if isinstance(line, Exception):
            raise line
        return AIMessage(line) if isinstance(line, str) else line


def scripted(
    *script: str | AIMessage | Exception, prompt_budget_tokens: int | None = None, vision: Vision | None = None
) -> tuple[RoleModel, ScriptedChat]:
    """Return a role's model that replies with this script, whatever its name, and the script itself to look at."""
    chat = ScriptedChat(script=list(script))
    calling = CallSettings(prompt_budget_tokens=prompt_budget_tokens)
    return RoleModel(lambda _: chat, vision=vision, calling=calling), chat
