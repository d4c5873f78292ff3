"""What the offline expert writes."""

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from offline_expert.engineer.policy import decide

from tests.support.routing_problems import facts_observation


def expert_scripts() -> dict[str, str]:
    """Return its first script.py for a few variants, by variant."""
    return {f"{family} {seed}": _script(family, seed) for family in ("gravity-chute", "detour") for seed in (0, 3)}


def _script(family: str, seed: int) -> str:
    talk: list[BaseMessage] = [SystemMessage("# Role: engineer\n\nRules."), HumanMessage("# Assignment")]
    talk.append(decide(talk))
    talk.append(HumanMessage(facts_observation(family, seed)))
    return decide(talk).tool_calls[0]["args"]["text"]
