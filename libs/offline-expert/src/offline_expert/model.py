"""Entry point of the offline expert: the first line of the system prompt selects the role's policy."""

import re
from collections.abc import Callable, Mapping, Sequence

from langchain_core.messages import AIMessage, BaseMessage, SystemMessage

from offline_expert import critic, planner, skill_learner
from offline_expert.author import policy as author
from offline_expert.catalog import policy as catalog
from offline_expert.engineer import policy as engineer
from offline_expert.questions import policy as questions

Policy = Callable[[Sequence[BaseMessage]], AIMessage]

_POLICIES: Mapping[str, Policy] = {
    "planner": planner.decide,
    "critic": critic.decide,
    "skill-learner": skill_learner.decide,
    "catalog": catalog.decide,
    "benchmark-generator": author.decide,
    "spatial-agent": questions.decide,
}
_ROLE = re.compile(r"# Role: (?P<role>[a-z-]+)[ \t]*(?:\n|$)")


class UnknownRoleError(ValueError):
    """The system prompt names no role that the offline expert has a policy for."""


def reply(messages: Sequence[BaseMessage], engineering: Policy = engineer.decide) -> AIMessage:
    """Return the reply of the role in the system prompt's first line, `# Role: <role>`."""
    policies = {**_POLICIES, "engineer": engineering}
    first = messages[0] if messages else None
    match = _ROLE.match(first.text) if isinstance(first, SystemMessage) else None
    if match is None or match["role"] not in policies:
        roles = ", ".join(sorted(policies))
        raise UnknownRoleError(f"the conversation must begin with a system prompt `# Role: …`, one of {roles}")
    return policies[match["role"]](messages)
