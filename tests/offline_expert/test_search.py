"""The engineer that searches: previews move the measures, and the conversation alone decides the next design."""

import json
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from offline_expert.engineer.search_policy import decide

from tests.support.routing_problems import facts_observation

MISSED = {
    "verdict": "failed",
    "ending": "missed_goal",
    "culprit": None,
    "time_s": 3.0,
    "final_mm": [0.0, 0.0, 10.0],
    "max_speed_m_s": 1.0,
}


def preview(**seen: object) -> str:
    return f"<<<RESULT {json.dumps(MISSED | seen)} RESULT>>>"


def begun(family: str) -> list[BaseMessage]:
    messages: list[BaseMessage] = [SystemMessage("# Role: engineer\n\nRules."), HumanMessage("# Assignment")]
    return [*messages, decide(messages), HumanMessage(facts_observation(family, 1))]


def script_of(reply: AIMessage) -> str:
    return reply.tool_calls[0]["args"]["text"]


def checked(messages: Sequence[BaseMessage], observation: str) -> list[BaseMessage]:
    """Return the conversation after the next design is written and previewed."""
    written = decide(messages)
    messages = [*messages, written, ToolMessage("`script.py` is written.", tool_call_id=written.tool_calls[0]["id"])]
    return [*messages, decide(messages), HumanMessage(observation)]


def test_same_conversation_gets_the_same_design() -> None:
    messages = checked(begun("gravity-chute"), preview(closest_goal_mm=80.0))

    assert script_of(decide(messages)) == script_of(decide(list(messages)))


def test_previews_decide_where_the_search_goes_on() -> None:
    later: list[str] = []
    for closest_mm in ((90.0, 1.0, 300.0), (300.0, 1.0, 90.0)):
        messages = begun("gravity-chute")
        for number in range(30):
            messages = checked(messages, preview(closest_goal_mm=closest_mm[number % 3]))
        later.append(script_of(decide(messages)))

    assert later[0] != later[1]


def test_no_design_is_tried_twice() -> None:
    messages = begun("detour")
    for _ in range(12):
        messages = checked(messages, preview(closest_goal_mm=120.0))
    scripts = [script_of(each) for each in messages if isinstance(each, AIMessage) and each.tool_calls]

    assert len(set(scripts)) == len(scripts) == 12


def test_solved_preview_is_submitted() -> None:
    messages = checked(begun("gravity-chute"), preview(verdict="solved", ending="reached_goal", success_rate=1.0))

    assert "submit_for_review(assembly)" in decide(messages).text


def test_world_without_room_is_refused_with_the_number_of_trials() -> None:
    messages = begun("lift-to-shelf")
    proof = decide(messages)
    refusal = decide([*messages, proof, HumanMessage("### Error\n`AssertionError`: The search ended")])

    assert "The search ended: of the channels that it drew, 0 had room" in refusal.text
    assert "refuse_plan(" in refusal.text
