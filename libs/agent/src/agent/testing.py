"""Test doubles for roles: with these, `MemoryCheckpoints` and `chassis.testing.FakeBus` a role needs no server."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage
from pydantic import PrivateAttr, SkipValidation

from agent.model.local_chat import LocalChat
from agent.model.role_model import CallSettings, RoleModel, Vision


class ScriptExhaustedError(AssertionError):
    """The model was called more often than the script has replies."""


class ScriptedChat(LocalChat):
    """Replies with the lines of a script in order; a line that is an exception is raised."""

    script: SkipValidation[list[str | AIMessage | Exception]]
    _conversations: list[list[BaseMessage]] = PrivateAttr(default_factory=list[list[BaseMessage]])

    @property
    def calls(self) -> int:
        """Number of calls."""
        return len(self._conversations)

    @property
    def conversations(self) -> list[list[BaseMessage]]:
        """The prompt of each call."""
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
    """Return a model of any name that replies with this script, and its chat model, which records the prompts."""
    chat = ScriptedChat(script=list(script))
    settings = CallSettings(prompt_budget_tokens=prompt_budget_tokens)
    return RoleModel(lambda _: chat, vision=vision, settings=settings), chat
