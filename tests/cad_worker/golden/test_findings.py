from typing import get_args

from contracts.models.design import BuiltInWorkbenchRule, Finding

from tests.cad_worker.golden.findings import FILE, all_findings, document

REPORTED_ELSEWHERE = {"script_failed", "digest_differs", "not_simulatable", "unsupported_shape"}
"""By submissions and by sim-worker."""


def test_golden_findings_are_current() -> None:
    assert document() == FILE.read_text("utf-8"), "run python -m tests.cad_worker.golden.findings and review the diff"


def test_golden_findings_cover_every_rule() -> None:
    parts = get_args(Finding.model_fields["rule"].annotation)
    rules = {rule for part in parts for rule in get_args(part) or (part,) if isinstance(rule, str)}
    assert set(get_args(BuiltInWorkbenchRule)) < rules
    assert {finding.rule for _, finding in all_findings()} == rules - REPORTED_ELSEWHERE
