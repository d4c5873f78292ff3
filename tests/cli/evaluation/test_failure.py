"""The class of a failed run, from its recorded events."""

from collections.abc import Sequence
from typing import Any, get_args

import pytest
from cli.evaluation.failure import (
    BUDGET_REASONS,
    DESIGN_REASONS,
    DOCUMENT_RULES,
    MAKING_RULES,
    PLAN_REASONS,
    failure_class,
    last_design_failure,
)
from contracts.envelope import Event, answering
from contracts.events.design import DesignInvalidated, DesignRejected, DesignSimulated
from contracts.events.run import RunFailed
from contracts.models.design import Finding

from tests.agent.role_harness import engineering_requested
from tests.contracts import example_values as values
from tests.contracts.examples import full_examples

FAILED = values.RESULT.model_copy(update={"verdict": "failed", "stability": "failed"})


def ended(reason: Any) -> RunFailed:
    return RunFailed(**answering(engineering_requested(), "planner"), reason=reason, detail="as it is")


def invalidated(*rules: str, severity: str = "error") -> Event:
    findings = [{"rule": rule, "detail": "measured", "severity": severity} for rule in rules]
    example = full_examples()[DesignInvalidated]
    return DesignInvalidated.model_validate({**dict(example), "findings": findings})


def simulated(*, is_proven: bool) -> Event:
    example = full_examples()[DesignSimulated]
    assert isinstance(example, DesignSimulated)
    return example.model_copy(update={"result": values.RESULT if is_proven else FAILED})


REJECTED = full_examples()[DesignRejected]


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        *((reason, "budget") for reason in sorted(BUDGET_REASONS)),
        *((reason, "plan") for reason in sorted(PLAN_REASONS)),
        ("model_failed", "model"),
        ("benchmark_invalid", "system"),
        ("session_failed", "system"),
        ("cancelled", "system"),
        ("abandoned", "system"),
    ],
)
def test_reason_that_is_not_about_a_design_decides_alone(reason: str, kind: str) -> None:
    assert failure_class(ended(reason), [invalidated("cnc_hole"), simulated(is_proven=False)]) == kind


def test_every_reason_of_a_failed_run_has_a_class() -> None:
    reasons = get_args(RunFailed.model_fields["reason"].annotation)
    assert {reason for reason in reasons if failure_class(ended(reason), []) == "geometry"} == DESIGN_REASONS


@pytest.mark.parametrize(
    ("events", "kind"),
    [
        ([invalidated("cnc_hole")], "manufacturability"),
        ([invalidated("over_price", "over_mass")], "manufacturability"),
        ([invalidated("interference", "over_price")], "geometry"),
        ([invalidated("script_failed")], "geometry"),
        ([invalidated("open_todo_item")], "plan"),
        ([invalidated("interference"), simulated(is_proven=False)], "physics"),
        ([simulated(is_proven=False), invalidated("interference")], "geometry"),
        ([simulated(is_proven=True), REJECTED], "physics"),
    ],
)
def test_last_judged_design_decides_about_a_run_that_gave_up(events: Sequence[Event], kind: str) -> None:
    for reason in sorted(DESIGN_REASONS):
        assert failure_class(ended(reason), events) == kind


def test_warning_beside_an_error_decides_nothing() -> None:
    example = invalidated("cnc_hole")
    assert isinstance(example, DesignInvalidated)
    warned = Finding(rule="interference", detail="measured", severity="warning")
    mixed = example.model_copy(update={"findings": (*example.findings, warned)})
    assert last_design_failure([mixed]) == "manufacturability"


def test_proven_design_did_not_fail() -> None:
    assert last_design_failure([invalidated("interference"), simulated(is_proven=True)]) is None


def test_rules_of_making_and_documents_exist() -> None:
    known = {name for part in get_args(Finding.model_fields["rule"].annotation) for name in get_args(part)}
    assert known | set(get_args(Finding.model_fields["rule"].annotation)) >= MAKING_RULES | DOCUMENT_RULES
