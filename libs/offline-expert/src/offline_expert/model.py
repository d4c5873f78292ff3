"""Entry point of the offline expert: the role's policy is chosen by the system prompt's first line."""

import re
from collections.abc import Callable, Mapping, Sequence

from langchain_core.messages import AIMessage, BaseMessage, SystemMessage

from offline_expert import critic, engineer, planner, skill_learner
from offline_expert.catalog import expert as catalog

_POLICIES: Mapping[str, Callable[[Sequence[BaseMessage]], AIMessage]] = {
    "planner": planner.decide,
    "engineer": engineer.decide,
    "critic": critic.decide,
    "skill-learner": skill_learner.decide,
    "catalog": catalog.decide,
}
_ROLE = re.compile(r"# Role: (?P<role>[a-z-]+)[ \t]*(?:\n|$)")


class UnknownRoleError(ValueError):
    """The system prompt names no role that the offline expert plays."""


def reply(messages: Sequence[BaseMessage]) -> AIMessage:
    """Return the reply of the role named in the system prompt's first line, `# Role: <role>`."""
    first = messages[0] if messages else None
    named = _ROLE.match(first.text) if isinstance(first, SystemMessage) else None
    if named is None or named["role"] not in _POLICIES:
        roles = ", ".join(sorted(_POLICIES))
        raise UnknownRoleError(f"the conversation must begin with a system prompt `# Role: …`, one of {roles}")
    return _POLICIES[named["role"]](messages)
