"""Tables and lines of `millwright skills`: what a trial found is beside each version."""

import io
from uuid import UUID, uuid4

import pytest
from cli.commands.skills.tables import skills_table, trials_table
from cli.commands.skills.trial import run_line
from contracts.envelope import answering, opening
from contracts.events.skill import TrialCompleted, TrialRequested
from contracts.skills import ArmFigures, Estimate, TrialFigures
from documents.shipped_skills import ALL_SKILLS
from rich.console import Console
from rich.table import Table
from store.skills.trials import StoredTrial, TrialRun

FIGURES = TrialFigures(
    pairs=9,
    current=ArmFigures(runs=9, solved=0, failures_per_run=2.0, target_failures_per_run=1.0),
    proposed=ArmFigures(runs=9, solved=9, failures_per_run=0.0, target_failures_per_run=0.0),
    solved=Estimate(mean=1.0, low=0.02, high=1.0, confidence=0.95),
    avoided=Estimate(mean=0.0, low=-0.9, high=0.9, confidence=0.95),
)


def trial(*, is_complete: bool) -> StoredTrial:
    trial_id = uuid4()
    request = TrialRequested(
        **opening(trial_id, "trial", "skill-learner", "cli"),
        name="lean-legs",
        for_role="engineer",
        version=2,
        base_version=1,
        benchmarks=("gravity-chute",),
        model="offline",
    )
    outcome = TrialCompleted(
        **answering(request, "skill-learner"), verdict="rolled_back", detail="it solves fewer", figures=FIGURES
    )
    return StoredTrial(request, (), outcome if is_complete else None)


def printed(table: Table) -> list[str]:
    console = Console(file=io.StringIO(), width=240)
    console.print(table)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


@pytest.mark.parametrize(("is_complete", "verdict"), [(True, "rolled back"), (False, "running")])
def test_trial_is_listed_with_skill_and_verdict(is_complete: bool, verdict: str) -> None:
    row = printed(trials_table([trial(is_complete=is_complete)]))[1].split("  ")
    assert {"lean-legs", "2", "1", verdict} <= {cell.strip() for cell in row}


def test_shipped_skills_are_listed_with_what_their_trial_found() -> None:
    rows = printed(skills_table(ALL_SKILLS.values(), [], []))[1:]
    assert [row.split()[0] for row in rows] == list(ALL_SKILLS)
    assert all("No figure" in row for row in rows)


@pytest.mark.parametrize(("has_target", "failures"), [(True, "3 failures, 1 of the target"), (False, "3 failures")])
def test_run_of_a_trial_names_its_pair_and_its_failures(has_target: bool, failures: str) -> None:
    run = TrialRun(
        run_id=UUID(int=1),
        trial_id=UUID(int=2),
        pair=0,
        arm="proposed",
        is_solved=False,
        failures=3,
        target_failures=1,
    )
    line = run_line(run, has_target=has_target)
    assert line == f"pair 1, with the proposed version: not solved, {failures} (run {UUID(int=1)})"
