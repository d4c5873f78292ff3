"""A provider of language models in memory: it solves every benchmark, but can be slow, away, or lose an answer."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from agent.model.failures import ProviderOutageError
from contracts.envelope import Role
from langchain_core.messages import AIMessage, BaseMessage

from tests.agent.example_plan import REPLY as PLAN
from tests.engineer.engineer_harness import cell_reply
from tests.simulation.doubles.network import Network

ANSWER_TOKENS = {"input_tokens": 100, "output_tokens": 10, "total_tokens": 110}
ANSWER_S = (0.05, 0.2, 1.0, 3.0)
"""How long an answer takes."""
_CRITIC = (
    "VERDICT: APPROVE\n\n- fine",
    cell_reply("stability = assess()"),
    "VERDICT: APPROVE\n\n## Reasons\n\n- fine\n\n## Evidence\n\n- `stability`: 30 of 30",
)


MODEL, OTHER_MODEL = "scripted", "other"


@dataclass
class Provider:
    """The servers of two models; what they were sent is paid for, whether the answer arrives or not."""

    network: Network
    cells: int = 1
    """How many cells an engineer runs before it submits."""
    away_until_s: dict[str, float] = field(default_factory=dict[str, float])
    """By model."""
    sent: Counter[str] = field(default_factory=Counter[str])
    """Calls by role."""
    lost_answers: int = 0

    def reply(self, model: str, role: Role, messages: Sequence[BaseMessage]) -> AIMessage:
        """Return the role's next reply; raise `ProviderOutageError` while the model is away."""
        if self.network.loop.now_s < self.away_until_s.get(model, 0.0):
            raise ProviderOutageError("the provider is away")
        self.sent[role] += 1
        return AIMessage(_text(role, messages, self.cells), usage_metadata=ANSWER_TOKENS)  # pyright: ignore[reportArgumentType]


def _text(role: Role, messages: Sequence[BaseMessage], cells: int) -> str:
    replies = sum(isinstance(each, AIMessage) for each in messages)
    match role:
        case "planner":
            return PLAN
        case "critic":
            is_assessed = replies > 1 and "stability" in messages[-1].text and "KernelKilled" not in messages[-1].text
            return _CRITIC[2 if is_assessed else min(replies, 1)]
        case _:
            return cell_reply(f"x = {replies}" if replies < cells else "submit_for_review(assembly)")


class Chat:
    """What `RoleModel` needs of a LangChain chat model."""

    def __init__(self, provider: Provider, model: str, role: Role) -> None:
        self._model = model
        self.profile: dict[str, bool] = {}
        self._provider = provider
        self._role: Role = role

    def bind_tools(self, _tools: Sequence[object]) -> "Chat":
        """Replies use no tools."""
        return self

    async def ainvoke(self, prompt: Sequence[BaseMessage], _config: object = None) -> AIMessage:
        """Return the reply."""
        provider = self._provider
        work_s = provider.network.random.choice(ANSWER_S)
        try:
            return await provider.network.call(
                lambda: provider.reply(self._model, self._role, prompt), TimeoutError, work_s=work_s
            )
        except TimeoutError:
            provider.lost_answers += 1
            raise
