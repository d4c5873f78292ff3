"""Tests of the strict reply parser."""

import pytest
from agent.loop.replies import MalformedReplyError, python_fence, require_text_only, sections
from contracts.models.conversation import Message, ToolCall


def test_sections_are_read_in_order_and_trimmed() -> None:
    assert sections("intro\n## A\n\none\n\n## B\ntwo\n", ("A", "B")) == {"A": "one", "B": "two"}


def test_heading_inside_a_fence_is_not_a_section() -> None:
    text = "## A\n```python\n## B\n```\n## B\nend"
    assert sections(text, ("A", "B"))["A"] == "```python\n## B\n```"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("## B\nx\n## A\ny", "in this order"),
        ("## A\nx", "`## B`"),
        ("## A\nx\n## B\ny\n## C\nz", "`## C`"),
        ("## A\n\n## B\ny", "`## A` is empty"),
        ("no heading at all", "it had none"),
        ("### A\nx\n### B\ny", "it had none"),
    ],
)
def test_other_sections_are_rejected_by_name(text: str, complaint: str) -> None:
    with pytest.raises(MalformedReplyError, match=complaint):
        sections(text, ("A", "B"))


def test_code_of_the_only_fence_is_returned() -> None:
    assert python_fence("here:\n```python\nx = 1\n\ny = 2\n```\n") == "x = 1\n\ny = 2\n"


@pytest.mark.parametrize(
    "body",
    [
        "x = 1",
        "```\nx = 1\n```",
        "```python\nx = 1",
        "```python\n\n```",
        "```python\nx = 1\n```\n```python\ny = 2\n```",
        "```python\nx = 1\n```\n```text\ny\n```",
    ],
)
def test_missing_extra_open_and_empty_fences_are_rejected(body: str) -> None:
    with pytest.raises(MalformedReplyError, match="fence"):
        python_fence(body)


def test_tool_calls_and_empty_text_are_rejected() -> None:
    call = ToolCall(call_id="1", name="write_file", arguments_json="{}")
    with pytest.raises(MalformedReplyError, match="Tool calls"):
        require_text_only(Message(author="assistant", text="x", tool_calls=(call,)))
    with pytest.raises(MalformedReplyError, match="empty"):
        require_text_only(Message(author="assistant", text="  \n"))
