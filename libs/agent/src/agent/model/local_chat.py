"""In-process chat models: a function from the conversation to the next reply, behind LangChain's interface."""

import logging
import traceback
from abc import abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool

from agent.model.failures import ModelRefusedError

_log = logging.getLogger(__name__)

Policy = Callable[[Sequence[BaseMessage]], AIMessage]
"""From a conversation to the next reply; the same conversation always gets the same reply."""

_FAULTS = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What a fault of a policy raises."""


class LocalChat(BaseChatModel):
    """Adapts LangChain's chat-model interface to one method, `reply_to`."""

    @abstractmethod
    def reply_to(self, messages: Sequence[BaseMessage]) -> AIMessage:
        """Return the next reply."""

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,  # noqa: ANN401 - LangChain's signature
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Accept tools as any chat model does; replies do not depend on them."""
        return self.bind(tools=list(tools), tool_choice=tool_choice, **kwargs)

    def _generate(  # LangChain's signature; replies depend on the messages alone
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,  # noqa: ANN401, ARG002
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self.reply_to(messages))])


class PolicyChat(LocalChat):
    """A chat model whose replies come from a policy, such as the offline expert's."""

    policy: Policy

    @property
    def _llm_type(self) -> str:
        return "policy"

    def reply_to(self, messages: Sequence[BaseMessage]) -> AIMessage:
        """Return the policy's reply; raise `ModelRefusedError` where it has a fault, which a retry would meet again."""
        try:
            return self.policy(messages)
        except _FAULTS as error:
            _log.exception("a fault in the policy of an in-process model")
            at = traceback.extract_tb(error.__traceback__)[-1]
            fault = f"{type(error).__name__}: {error}, in {Path(at.filename).name}, line {at.lineno}"
            raise ModelRefusedError(f"the model's own code failed on this conversation: {fault}") from error
