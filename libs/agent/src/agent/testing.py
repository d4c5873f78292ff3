"""A scripted model: with it and `chassis.testing.FakeBus` a whole role is a pure function."""

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from pydantic import PrivateAttr, SkipValidation

from agent.models import RoleModel


class ScriptExhaustedError(AssertionError):
    """The role asked more often than the script has replies."""


class ScriptedChat(BaseChatModel):
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

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,  # noqa: ANN401 - LangChain's signature
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Accept tools and ignore them."""
        return self.bind(tools=list(tools), tool_choice=tool_choice, **kwargs)

    def _generate(  # LangChain's signature; these replies depend on the messages alone
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,  # noqa: ANN401, ARG002
    ) -> ChatResult:
        self._conversations.append(list(messages))
        if self.calls > len(self.script):
            raise ScriptExhaustedError(f"the script has only {len(self.script)} replies")
        line = self.script[self.calls - 1]
        if isinstance(line, Exception):
            raise line
        reply = AIMessage(line) if isinstance(line, str) else line
        return ChatResult(generations=[ChatGeneration(message=reply)])


def scripted(*script: str | AIMessage | Exception) -> tuple[RoleModel, ScriptedChat]:
    """Return a role's model that replies with this script, whatever its name, and the script itself to look at."""
    chat = ScriptedChat(script=list(script))
    return RoleModel(lambda _: chat), chat
