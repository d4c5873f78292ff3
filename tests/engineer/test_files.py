"""Tests of file tools: their requests and results."""

import pytest
from contracts.envelope import Event, Request, answering
from contracts.events import conversation, session
from contracts.models.observation import LintFinding
from langchain_core.messages import AIMessage, ToolMessage

from tests.contracts import example_values as values
from tests.engineer.engineer_harness import EngineerHarness, cell_reply, tool_reply


async def request_of(reply: AIMessage) -> tuple[EngineerHarness, Event]:
    """Return the harness and the first request that this reply makes."""
    harness = EngineerHarness(reply, cell_reply("x"))
    (request,) = await harness.start()
    return harness, request


async def result_of(harness: EngineerHarness, outcome: Event) -> str:
    """Return what the model reads as the answer to its tool call."""
    await harness.consume(outcome)
    answer = harness.chat.conversations[-1][-1]
    assert isinstance(answer, ToolMessage)
    return answer.text


async def test_view_call_requests_the_lines() -> None:
    _, request = await request_of(tool_reply("view_file", path="script.py", from_line=3, to_line=9))
    assert isinstance(request, session.FileViewRequested)
    assert (request.path, request.from_line, request.to_line) == ("script.py", 3, 9)


async def test_edit_call_keeps_every_blank() -> None:
    _, request = await request_of(tool_reply("edit_file", path="script.py", old_text="  a = 1 \n", new_text=""))
    assert isinstance(request, session.FileEditRequested)
    assert (request.path, request.old_text, request.new_text) == ("script.py", "  a = 1 \n", "")


async def test_viewed_lines_are_numbered() -> None:
    harness, request = await request_of(tool_reply("view_file", path="script.py", from_line=9))
    assert isinstance(request, Request)
    seen = session.FileViewed(
        **answering(request, "cad-worker"), path="script.py", text="a\nb\n", from_line=9, total_lines=12
    )
    text = await result_of(harness, seen)
    assert text == "`script.py`, lines 9 to 10 of 12:\n\n 9| a\n10| b\n\nContinue with `from_line=11`."


async def test_empty_file_is_reported() -> None:
    harness, request = await request_of(tool_reply("view_file", path="notes.md"))
    assert isinstance(request, Request)
    seen = session.FileViewed(**answering(request, "cad-worker"), path="notes.md", text="", from_line=1, total_lines=0)
    assert await result_of(harness, seen) == "`notes.md` is empty."


async def test_lint_findings_have_line_and_column() -> None:
    harness, request = await request_of(tool_reply("edit_file", path="script.py", old_text="Box", new_text="Bxo"))
    assert isinstance(request, session.FileEditRequested)
    finding = LintFinding(tool="ruff", rule="F821", line=4, column=8, message="Undefined name `Bxo`")
    written = session.FileWritten(
        **answering(request, "cad-worker"),
        path="script.py",
        size_bytes=90,
        sha256=values.digest("x"),
        text="x",
        findings=(finding,) * 20,
        lint_note="pyright took longer than 3 s",
    )
    text = await result_of(harness, written)
    assert "- line 4, column 8: Undefined name `Bxo` (ruff F821)" in text
    assert "- and 8 more" in text
    assert text.endswith("Not checked in full: pyright took longer than 3 s.")


async def test_ambiguous_edit_is_refused_with_its_lines() -> None:
    harness, request = await request_of(tool_reply("edit_file", path="script.py", old_text="a", new_text="b"))
    assert isinstance(request, Request)
    refused = session.FileRefused(
        **answering(request, "cad-worker"), path="script.py", reason="not_unique", detail="lines 1, 4"
    )
    assert await result_of(harness, refused) == "`script.py` was not written (not_unique): lines 1, 4"


async def test_missing_file_is_not_shown() -> None:
    harness, request = await request_of(tool_reply("view_file", path="a.py"))
    assert isinstance(request, Request)
    refused = session.FileRefused(
        **answering(request, "cad-worker"), path="a.py", reason="missing", detail="there are: b.py"
    )
    assert await result_of(harness, refused) == "`a.py` was not shown (missing): there are: b.py"


@pytest.mark.parametrize(
    ("reply", "complaint"),
    [
        (tool_reply("edit_file", path="a", old_text="b"), "new_text: Field required"),
        (tool_reply("view_file", path="a", from_line=0), "from_line: Input should be greater than 0"),
        (tool_reply("view_file", path="a", lines=3), "lines: Extra inputs are not permitted"),
        (tool_reply("delete_file", path="a"), "view_file(path, from_line, to_line)"),
    ],
)
async def test_invalid_call_is_rejected(reply: AIMessage, complaint: str) -> None:
    harness = EngineerHarness(reply, cell_reply("x = 1"))
    (problem,) = await harness.start()
    assert isinstance(problem, conversation.ReplyRejected)
    assert complaint in problem.problem


async def test_cell_request_has_the_next_goal() -> None:
    harness = EngineerHarness(cell_reply("x = 1"))
    (request,) = await harness.start()
    assert isinstance(request, session.CellRequested)
    assert request.next_goal == "go on"


async def test_each_file_action_takes_one_call() -> None:
    harness = EngineerHarness(
        tool_reply("view_file", path="script.py"),
        tool_reply("write_file", path="script.py", text="a = 1\n"),
        cell_reply("x"),
    )
    (view,) = await harness.start()
    assert isinstance(view, Request)
    seen = session.FileViewed(**answering(view, "cad-worker"), path="script.py", text="", from_line=1, total_lines=0)
    (write,) = await harness.consume(seen)
    assert isinstance(write, session.FileWriteRequested)
    (last,) = await harness.complete_write(write)
    assert isinstance(last, session.CellRequested)
    assert harness.chat.calls == 3
