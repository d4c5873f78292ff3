"""The Markdown summary of a simulation: exact wording in `golden/summary.md`, values and length here."""

import pytest

from tests.sim_worker.report.summaries import GOLDEN, busy, crowded, golden_text, outcomes, result_of


def test_summaries_match_the_golden_file() -> None:
    assert golden_text() == GOLDEN.read_text("utf-8"), "python -m tests.sim_worker.report.summaries writes it again"


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
