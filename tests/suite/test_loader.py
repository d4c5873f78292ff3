"""Refusals of the benchmark loader."""

from pathlib import Path

import pytest

from tests.suite.loader_messages import GOLDEN, current_messages
from tests.suite.refusals import REFUSALS, Refusal, message


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: refusal.title)
def test_refusal_names_field_and_value_in_one_line(refusal: Refusal, tmp_path: Path) -> None:
    text = message(refusal, tmp_path / "benchmark")
    assert "\n" not in text
    assert [name for name in refusal.named if name not in text] == []


def test_messages_match_the_golden_file() -> None:
    assert GOLDEN.read_text("utf-8") == current_messages(), "run `python -m tests.suite.loader_messages`"
