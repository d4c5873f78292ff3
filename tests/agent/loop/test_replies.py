"""Tests of the reader of replies."""

import time
from collections.abc import Callable

import pytest
from agent.journal.reader import headings_of
from agent.loop.replies import MalformedReplyError, python_code, require_text_only, sections
from agent.model.thoughts import without_thoughts
from contracts.models.conversation import Message, ToolCall


def test_sections_are_read_in_order_and_trimmed() -> None:
    assert sections("intro\n## A\n\none\n\n## B\ntwo\n", ("A", "B")) == {"A": "one", "B": "two"}


def test_heading_inside_a_fence_is_not_a_section() -> None:
    text = "## A\n```python\n## B\n```\n## B\nend"
    assert sections(text, ("A", "B"))["A"] == "```python\n## B\n```"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("## A\nx", "`## B`"),
        ("## A\nx\n## B\ny\n## A\nz", "`## A` occurs twice"),
        ("## A\n\n## B\ny", "`## A` is empty"),
        ("no heading at all", "it had none"),
    ],
)
def test_missing_double_and_empty_sections_are_rejected_by_name(text: str, complaint: str) -> None:
    with pytest.raises(MalformedReplyError, match=complaint):
        sections(text, ("A", "B"))


def test_code_of_the_only_fence_is_returned() -> None:
    assert python_code("here:\n```python\nx = 1\n\ny = 2\n```\n") == "x = 1\n\ny = 2\n"


@pytest.mark.parametrize(
    "body",
    [
        "x = 1",
        "```python\nx = (1",
        "```python\n\n```",
        "```text\nx = 1\n```",
        "```python\nx = 1\n```\n```python\ny = 2\n```",
        "```\nx = 1\n```\n```\ny = 2\n```",
    ],
)
def test_missing_extra_broken_and_empty_fences_are_rejected(body: str) -> None:
    with pytest.raises(MalformedReplyError, match="fence"):
        python_code(body)


def test_tool_calls_and_empty_text_are_rejected() -> None:
    call = ToolCall(call_id="1", name="write_file", arguments_json="{}")
    with pytest.raises(MalformedReplyError, match="Tool calls"):
        require_text_only(Message(author="assistant", text="x", tool_calls=(call,)))
    with pytest.raises(MalformedReplyError, match="empty"):
        require_text_only(Message(author="assistant", text="  \n"))


@pytest.mark.parametrize(
    "read",
    [
        lambda: sections("## x" + " " * 100_000 + "x\n\ntext", ("A",)),
        lambda: sections("## " + "x " * 50_000 + "\n\ntext", ("A",)),
        lambda: python_code("```python\n" * 10_000),
        lambda: python_code("".join(f"```python\nx{number} = (\n```\n" for number in range(5_000))),
        lambda: sections("**A" * 50_000 + "\n# # #" * 5_000, ("A", "B")),
        lambda: require_text_only(without_thoughts(Message(author="assistant", text="<think>" * 20_000))),
    ],
    ids=["spaces", "words", "python fences", "broken fences", "stars", "thoughts"],
)
def test_long_reply_is_read_in_linear_time(read: Callable[[], object]) -> None:
    began_s = time.process_time()
    with pytest.raises(MalformedReplyError):
        read()
    assert time.process_time() - began_s < 5.0


def test_heading_of_a_long_line_is_read_in_linear_time() -> None:
    began_s = time.process_time()
    headings = list(headings_of("# " + "# " * 50_000 + "x\n## Two ##\n"))
    assert time.process_time() - began_s < 5.0
    assert [(level, title[:5]) for _, level, title in headings] == [(1, "# # #"), (2, "Two")]
