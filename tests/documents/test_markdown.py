"""Markdown building blocks with hostile content."""

import time

from documents.markdown import fenced, inline_or_fenced, one_line, table


def test_cell_content_cannot_break_table() -> None:
    assert table(("a", "b"), [("1|2", "x\ny")]) == "| a | b |\n| --- | --- |\n| 1\\|2 | x y |"


def test_fence_is_longer_than_any_in_text() -> None:
    assert fenced("~~~~\n", "diff", fence="~~~~") == "~~~~~diff\n~~~~\n~~~~~"


def test_fence_of_a_text_of_fences_costs_little() -> None:
    began_s = time.process_time()
    text = "`" * 200_000
    assert fenced(f"``` {text}").startswith(f"{text}`text\n")
    assert time.process_time() - began_s < 5.0


def test_only_text_of_several_lines_is_fenced() -> None:
    assert [inline_or_fenced(text) for text in ("", "a", "a\n# b")] == [" ", " a", "\n\n```text\na\n# b\n```"]


def test_one_line_collapses_white_space() -> None:
    assert one_line(" a\n\t b\r\nc ") == "a b c"
