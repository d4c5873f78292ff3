"""The expert answers questions that it measures, and refuses all others."""

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from offline_expert.questions.policy import decide

KINDS = ("choice", "integer", "number", "text", "boolean", "vector", "box")
EXECUTORS = ("code", "tool_calls", "single_pass", "chain_of_thought", "none")
KNOWN = "How tall is the red ball, in metres?"
REST = "At what time, in seconds, does the motion end?"
FAILED = (
    "# Observation of cell 1\n\n**The cell stopped with an error** (0.1 s).\n\n### Error\n"
    "`PerceptionRefusedError` in line 2 of the cell: unknown frame: frame 0 has no stored scene\n"
)


def conversation(text: str, kind: str, executor: str, *after: str, expected: str = "") -> list[BaseMessage]:
    question = f"# Question\n\n~~~text\n{text}\n~~~\n\nExpected: {expected}\nKind: {kind}\n"
    system = SystemMessage(f"# Role: spatial-agent\n\nExecutor: {executor}\n")
    return [system, *(HumanMessage(each) for each in (question, *after))]


def is_refusal(reply: AIMessage) -> bool:
    return reply.text.startswith("REFUSED: ") and not reply.tool_calls


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("kind", KINDS)
def test_question_without_a_rule_is_refused_in_every_form(kind: str, executor: str) -> None:
    assert is_refusal(decide(conversation("Which way does the ball roll?", kind, executor)))


@pytest.mark.parametrize("executor", ["code", "tool_calls"])
def test_measurement_that_fails_is_refused_with_its_error(executor: str) -> None:
    reply = decide(conversation(KNOWN, "number", executor, FAILED, expected="a number in m"))
    assert is_refusal(reply)
    assert "frame 0 has no stored scene" in reply.text


@pytest.mark.parametrize("executor", ["chain_of_thought", "none"])
def test_executor_without_a_kernel_is_refused(executor: str) -> None:
    assert is_refusal(decide(conversation(KNOWN, "number", executor, expected="a number in m")))


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        (KNOWN, "number", "a number in cm"),
        (REST, "number", "a number in ms"),
        ("How does the motion end?", "text", "a text"),
        ("Where does the motion end, in metres?", "number", "a number in m"),
    ],
)
def test_question_about_something_else_than_is_measured_is_refused(text: str, kind: str, expected: str) -> None:
    assert is_refusal(decide(conversation(text, kind, "code", expected=expected)))


@pytest.mark.parametrize("executor", ["code", "tool_calls", "single_pass"])
def test_lengths_are_refused_where_perception_has_no_models(executor: str) -> None:
    """Its depths are up to scale, and its masks by colour: 0.8 units would look like 0.8 m."""
    asked = conversation(KNOWN, "number", executor, expected="a number in m")
    assert not is_refusal(decide(asked))
    system = asked[0].text + "\nWithout a server of perception `tools.Reconstruct` finds camera poses"
    reply = decide([SystemMessage(system), *asked[1:]])
    assert is_refusal(reply)
    assert "perception works without models here" in reply.text
    rest = conversation(REST, "number", executor, expected="a number in s")
    assert executor == "tool_calls" or not is_refusal(decide([SystemMessage(system), *rest[1:]]))


def test_rest_is_measured_in_seconds() -> None:
    assert "changes" in decide(conversation(REST, "number", "code", expected="a number in s")).text


def test_answer_that_was_not_accepted_is_not_replaced_by_another() -> None:
    ran = "# Observation of cell 1\n\n**The cell ran** (0.1 s).\n"
    assert is_refusal(decide(conversation(REST, "number", "code", *[ran] * 3, expected="a number in s")))
