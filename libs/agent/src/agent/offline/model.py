"""The chat model that is none: rules, dispatched by the role its system prompt names."""

import re
from collections.abc import Callable, Sequence

from langchain_core.messages import AIMessage, BaseMessage, SystemMessage

from agent.offline import catalog, critic, engineer, planner, skill_learner
from agent.offline.local_chat import LocalChat

Policy = Callable[[Sequence[BaseMessage]], AIMessage]
"""From a conversation to the next reply."""

_POLICIES: dict[str, Policy] = {
    "planner": planner.decide,
    "engineer": engineer.decide,
    "critic": critic.decide,
    "skill-learner": skill_learner.decide,
    "catalog": catalog.decide,
}
_ROLE = re.compile(r"# Role: (?P<role>[a-z-]+)[ \t]*(?:\n|$)")


class UnknownRoleError(ValueError):
    """The system prompt names no role that the offline expert plays."""


class OfflineExpert(LocalChat):
    """Answers as the expert of the role in the system prompt's first line, `# Role: <role>`."""

    @property
    def _llm_type(self) -> str:
        return "offline-expert"

    def reply_to(self, messages: Sequence[BaseMessage]) -> AIMessage:
        """Return the reply of the role's policy."""
        return _policy(messages)(messages)


def _policy(messages: Sequence[BaseMessage]) -> Policy:
    first = messages[0] if messages else None
    named = _ROLE.match(first.text) if isinstance(first, SystemMessage) else None
    if named is None or named["role"] not in _POLICIES:
        roles = ", ".join(sorted(_POLICIES))
        raise UnknownRoleError(f"the conversation must begin with a system prompt `# Role: …`, one of {roles}")
    return _POLICIES[named["role"]]
