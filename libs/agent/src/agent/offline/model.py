"""The chat model that is none: rules, dispatched by the role its system prompt names."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, SystemMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool

from agent.offline import critic, engineer, planner, skill_learner

Policy = Callable[[Sequence[BaseMessage]], AIMessage]
"""From a conversation to the next reply."""

_POLICIES: dict[str, Policy] = {
    "planner": planner.decide,
    "engineer": engineer.decide,
    "critic": critic.decide,
    "skill-learner": skill_learner.decide,
}
_ROLE = re.compile(r"# Role: (?P<role>[a-z-]+)[ \t]*(?:\n|$)")


class UnknownRoleError(ValueError):
    """The system prompt names no role that the offline expert plays."""


class OfflineExpert(BaseChatModel):
    """Answers as the expert of the role in the system prompt's first line, `# Role: <role>`."""

    @property
    def _llm_type(self) -> str:
        return "offline-expert"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,  # noqa: ANN401 - LangChain's signature
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Accept tools as any chat model does; the policies know by heart which tools their role has."""
        return self.bind(tools=list(tools), tool_choice=tool_choice, **kwargs)

    def _generate(  # LangChain's signature; these replies depend on the messages alone
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,  # noqa: ANN401, ARG002
    ) -> ChatResult:
        reply = _policy(messages)(messages)
        return ChatResult(generations=[ChatGeneration(message=reply)])


def _policy(messages: Sequence[BaseMessage]) -> Policy:
    first = messages[0] if messages else None
    named = _ROLE.match(first.text) if isinstance(first, SystemMessage) else None
    if named is None or named["role"] not in _POLICIES:
        roles = ", ".join(sorted(_POLICIES))
        raise UnknownRoleError(f"the conversation must begin with a system prompt `# Role: …`, one of {roles}")
    return _POLICIES[named["role"]]
