"""Refusals of the benchmark loader."""

from tests.suite.loader_messages import GOLDEN, current_messages


def test_messages_match_the_golden_file() -> None:
    assert GOLDEN.read_text("utf-8") == current_messages(), "run `python -m tests.suite.loader_messages`"
