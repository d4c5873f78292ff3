"""The engineer that searches: it previews designs of a black-box optimiser until one succeeds. Slow, without rules."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage

from offline_expert.engineer.history import DesignHistory
from offline_expert.engineer.policy import next_step, read_conversation, refuse
from offline_expert.engineer.replies import Replies
from offline_expert.engineer.search import next_script
from offline_expert.routing.problem import problem_from


def decide(messages: Sequence[BaseMessage]) -> AIMessage:
    """Return the next reply. The same conversation always gets the same reply."""
    history, replies = read_conversation(messages)
    return next_step(history, replies, _next_design)


def _next_design(history: DesignHistory, replies: Replies) -> AIMessage:
    assert history.facts is not None
    tried = len(history.attempts)
    script = next_script(problem_from(history.facts), history.attempts)
    if script is None:
        reason = f"The search ended: of the channels that it drew, {tried} had room, and none of them solves the world."
        return refuse(history, replies, reason)
    thought = "CMA-ES draws the measures of a channel; what previews measured moves where it draws."
    return replies.write_script(script, f"Trial {tried + 1} of the search. {thought}", tried + 1)
