"""A chat model inside this process: all it knows of a call is the conversation."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool


class LocalChat(BaseChatModel):
    """Fits LangChain's signatures round one function, `reply_to`."""

    @abstractmethod
    def reply_to(self, messages: Sequence[BaseMessage]) -> AIMessage:
        """Return what is said next."""

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,  # noqa: ANN401 - LangChain's signature
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Accept tools as any chat model does; who replies knows by heart which ones there are."""
        return self.bind(tools=list(tools), tool_choice=tool_choice, **kwargs)

    def _generate(  # LangChain's signature; these replies depend on the messages alone
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,  # noqa: ANN401, ARG002
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self.reply_to(messages))])
