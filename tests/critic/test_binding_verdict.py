"""Physics binds the critic: what it has not proven is rejected without a model, and reruns decide about an approval."""

from typing import Any

import pytest
from contracts.envelope import outcome_id
from contracts.events.conversation import ModelCalled, ReplyRejected
from contracts.events.design import DesignApproved, DesignRejected
from contracts.events.session import CellRequested, SessionRequested
from contracts.models.assessment import AssessmentRecord
from contracts.models.simulation import LoadUse, MotorUse

from tests.contracts import example_values as values
from tests.contracts.example_values import assessment_of
from tests.critic.critic_harness import APPROVES, CELL, COUNTED, SHARES, STABILITY, STABLE, CriticHarness

PLAN = "VERDICT: APPROVE\n\n- fine"
MISSED = STABLE.nominal.model_copy(update={"ending": "missed_goal", "cause": "it came to rest 40 mm beside the goal."})
SNAPPED = STABLE.nominal.model_copy(
    update={"ending": "overloaded", "culprit": "leg-floor", "cause": "it bears 31 N of at most 20 N"}
)
BEAM = LoadUse(label="beam", peak_force_n=30.0, max_force_n=20.0)
MOTOR = MotorUse(
    label="servo",
    peak_torque_n_m=0.5,
    stall_torque_n_m=1.0,
    continuous_torque_n_m=0.2,
    longest_overload_s=3.0,
    peak_power_w=1.0,
    mean_power_w=1.0,
)


async def _reviewing(*script: str) -> tuple[CriticHarness, CellRequested]:
    harness = CriticHarness(PLAN, CELL, *script)
    await harness.consume(harness.propose_plan())
    cell = await harness.open_session(harness.simulate_design())
    assert isinstance(cell, CellRequested)
    return harness, cell


@pytest.mark.parametrize(
    "changes",
    [
        {"verdict": "failed", "stability": "failed"},
        {"verdict": "failed", "stability": "stable"},
        {"verdict": "solved", "stability": "flaky"},
        {"verdict": "solved", "stability": "failed"},
        {"verdict": "solved", "stability": "untested"},
    ],
)
async def test_unproven_design_is_rejected_without_a_model_or_a_kernel(changes: dict[str, Any]) -> None:
    harness = CriticHarness(PLAN, APPROVES)
    await harness.consume(harness.propose_plan())
    design = harness.simulate_design(STABLE.model_copy(update=changes))
    rejected = await harness.consume(design)
    assert isinstance(rejected, DesignRejected)
    assert (rejected.id, rejected.role) == (outcome_id(design.id), "engineer")
    assert f"it is {changes['verdict']} and {changes['stability']}" in rejected.review_md
    assert len([event for event in harness.role.bus.events if isinstance(event, ModelCalled)]) == 1, "of the plan"
    assert not [event for event in harness.role.bus.events if isinstance(event, SessionRequested)]


async def test_measured_review_has_the_causes_of_the_failed_replicas() -> None:
    harness = CriticHarness(PLAN)
    await harness.consume(harness.propose_plan())
    good = STABLE.nominal
    result = STABLE.model_copy(
        update={
            "verdict": "failed",
            "stability": "flaky",
            "nominal": MISSED,
            "replicas": (good, MISSED, MISSED, SNAPPED),
            "loads": (BEAM,),
            "motors": (MOTOR,),
        }
    )
    rejected = await harness.consume(harness.simulate_design(result))
    assert isinstance(rejected, DesignRejected)
    assert rejected.review_md.splitlines()[1:] == [
        "- The nominal run ended as missed goal: it came to rest 40 mm beside the goal.",
        "- 1 of 4 jittered replicas reached the goal; 90 % are needed.",
        "- 2 replicas ended as missed goal: the first: it came to rest 40 mm beside the goal.",
        "- 1 replica ended as overloaded with `leg-floor`: it bears 31 N of at most 20 N.",
        "- `beam` bears 150% of its limit.",
        "- Motor `servo` was above its continuous torque of 0.2 N m for 3.0 s, at most at 0.5 N m.",
    ]


async def test_next_design_is_reviewed_after_a_rejection_by_physics() -> None:
    harness = CriticHarness(PLAN, CELL, APPROVES)
    await harness.consume(harness.propose_plan())
    await harness.consume(harness.simulate_design(STABLE.model_copy(update={"stability": "flaky"})))
    cell = await harness.open_session(harness.simulate_design())
    assert isinstance(await harness.complete_cell(cell, STABILITY, SHARES), DesignApproved)


@pytest.mark.parametrize(
    ("counted", "problem"),
    [
        (None, "so far: none was made"),
        (AssessmentRecord(assessment=assessment_of(4, 20), fingerprint="ab12"), "80 of 80 replicas under 4 seeds"),
        (AssessmentRecord(assessment=assessment_of(7, 4), fingerprint="ab12"), "28 of 28 replicas under 7 seeds"),
    ],
)
async def test_approval_on_too_few_reruns_is_refused(counted: AssessmentRecord | None, problem: str) -> None:
    harness, cell = await _reviewing(APPROVES, APPROVES)
    refused = await harness.complete_cell(cell, STABILITY, SHARES, counted=counted)
    assert isinstance(refused, ReplyRejected)
    assert "at least 29 replicas under 5 seeds other than the benchmark's" in refused.problem
    assert problem in refused.problem


async def test_lookalike_of_an_assessment_is_not_evidence() -> None:
    harness, cell = await _reviewing(APPROVES, APPROVES)
    lookalike = STABILITY.model_copy(update={"fingerprint": "ef56"})
    refused = await harness.complete_cell(cell, lookalike, SHARES)
    assert isinstance(refused, ReplyRejected)
    assert "None of the named variables is the assessment of all reruns" in refused.problem


async def test_assessment_from_before_the_last_rerun_is_not_evidence() -> None:
    harness, cell = await _reviewing(CELL, APPROVES)
    again = await harness.complete_cell(cell, STABILITY, SHARES)
    later = AssessmentRecord(assessment=assessment_of(12, 6), fingerprint="0123")
    refused = await harness.complete_cell(again, counted=later)
    assert isinstance(refused, ReplyRejected)
    assert "bind it in a cell after the last rerun" in refused.problem


async def test_approval_of_a_flaky_design_becomes_a_rejection() -> None:
    harness, cell = await _reviewing(APPROVES)
    flaky = AssessmentRecord(assessment=assessment_of(5, 6, missed=4), fingerprint="ab12")
    outcome = await harness.complete_cell(cell, STABILITY, SHARES, counted=flaky)
    assert isinstance(outcome, DesignRejected)
    assert outcome.review_md.startswith("- Rerun under further seeds, it is flaky: 26 of 30 replicas under 5 seeds")
    assert outcome.review_md.endswith("- it holds")
    assert [each.name for each in outcome.evidence] == ["stability", "shares"]


async def test_stable_reruns_do_not_force_an_approval() -> None:
    rejects = APPROVES.replace("APPROVE", "REJECT")
    harness, cell = await _reviewing(rejects)
    assert isinstance(await harness.complete_cell(cell, STABILITY, SHARES, counted=COUNTED), DesignRejected)


async def test_approval_has_the_count_of_the_host() -> None:
    harness, cell = await _reviewing(APPROVES)
    outcome = await harness.complete_cell(cell, STABILITY, SHARES)
    assert isinstance(outcome, DesignApproved)
    assert outcome.assessment == values.ASSESSMENT
