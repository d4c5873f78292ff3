"""Recorded observations of real cells as agents read them: goldens, nothing twice, no table cut within a row.

`python -m tests.documents.record_observations` records them, `python -m tests.documents.regenerate` writes the golden.
"""

import re
from collections import Counter

import pytest
from documents.observation import MAX_CHARS, observation_markdown

from tests.documents.surfaces import RECORDED

_FINDING = re.compile(r"^- \*\*[a-z_]+\*\*.*", re.MULTILINE)
_LONG_LINE_CHARS = 60


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_observation_shows_nothing_twice(name: str) -> None:
    text = observation_markdown(RECORDED[name])
    assert len(text) <= MAX_CHARS
    lines = Counter(
        line for line in text.splitlines() if len(line) >= _LONG_LINE_CHARS and not line.startswith("| ---")
    )
    assert {line: count for line, count in lines.items() if count > 1} == {}
    findings = Counter(_FINDING.findall(text))
    assert {finding: count for finding, count in findings.items() if count > 1} == {}


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_observation_has_whole_tables(name: str) -> None:
    lines = observation_markdown(RECORDED[name]).splitlines()
    rows = [line for line in lines if line.startswith("|")]
    assert all(row.endswith("|") for row in rows)
    for number, line in enumerate(lines):
        if line.startswith("|") and not lines[number - 1].startswith("|"):
            assert lines[number + 1].startswith("| ---"), f"a table without its header at {line!r}"
