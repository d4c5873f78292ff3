"""The Markdown summary of a simulation: exact wording in `golden/summary.md`, values and length here."""

import re

import pytest

from tests.sim_worker.judge import synthetic_readings as synthetic
from tests.sim_worker.judge.synthetic_readings import machine, still
from tests.sim_worker.report.summaries import GOLDEN, busy, crowded, endings, golden_text, outcomes, result_of


def test_summaries_match_the_golden_file() -> None:
    assert golden_text() == GOLDEN.read_text("utf-8"), "python -m tests.sim_worker.report.summaries writes it again"


@pytest.mark.parametrize(
    ("title", "verdict", "value"),
    [
        ("reached goal", "SOLVED", "after 1.00 s"),
        ("left bounds", "FAILED", "x = 1200.0 mm"),
        ("spurious energy", "NOT JUDGED", "after 1.00 s"),
        ("weld", "FAILED", "`screws`"),
    ],
)
def test_first_line_is_the_verdict(title: str, verdict: str, value: str) -> None:
    line = result_of(endings()[title]).summary_md.splitlines()[0]
    assert line.startswith(f"**{verdict}**: ")
    assert value in line


def test_motors_and_loads_are_listed_with_limits() -> None:
    readings = still(4.1)
    readings.rows[50:90, synthetic.TORQUE], readings.rows[50:90, synthetic.SPEED] = 1.0, 10.0
    readings.rows[100:, synthetic.HINGE_FORCE] = 60.0
    summary = result_of(readings, machine(supply_limit_w=40.0)).summary_md
    assert re.search(r"- `motor`: peak 1 N m at \d+\.\d\d s, 50% of its stall torque 2 N m", summary)
    assert "31.2 W of 40 W" in summary
    lines = summary.splitlines()
    first_load = lines[lines.index("## Loads against ratings") + 1]
    assert first_load == "- `hinge`: 60 N of 80 N (75%), 0 N m of 3 N m (0%)"


def test_replica_failures_are_counted() -> None:
    result = result_of(busy(), replicas=outcomes()[:20])
    assert (result.stability, result.success_rate) == ("flaky", 0.8)
    assert result.confidence == pytest.approx((0.58398, 0.91934), abs=1e-5)
    assert "58% and 92%" in result.summary_md
    assert "`arm` touched a forbid zone `lava` 3 times" in result.summary_md


def test_summary_length_is_bounded() -> None:
    summary = crowded().summary_md
    assert len(summary.splitlines()) < 90
    assert len(summary) < 9000
