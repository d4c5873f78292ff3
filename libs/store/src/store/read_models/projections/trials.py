"""Trials of skills: one row for each with its figures, and the runs that belong to it."""

from collections.abc import Iterator

from contracts.events.run import EngineeringRequested
from contracts.events.skill import TrialCompleted, TrialRequested
from contracts.skills import ArmFigures, Estimate
from sqlalchemy import Index

from store.read_models.bulk_insert import Value
from store.read_models.columns import excerpt, id_column, number_column, short, table, text_column, time_column
from store.read_models.columns import whole_column as whole
from store.read_models.row import Projections, Row

_ARM_COLUMNS = ("runs", "solved")
_RATE_COLUMNS = ("failures_per_run", "target_failures_per_run")
_ESTIMATES = ("solved", "avoided")

TRIALS = table(
    "trials",
    id_column("run_id"),
    whole("sequence"),
    text_column("name"),
    text_column("for_role"),
    whole("version"),
    whole("base_version"),
    *(text_column(name) for name in ("model", "benchmarks", "target")),
    whole("most_pairs"),
    time_column("requested_at"),
    time_column("ended_at"),
    *(text_column(name) for name in ("verdict", "detail")),
    whole("pairs"),
    *(whole(f"{arm}_{name}") for arm in ("current", "proposed") for name in _ARM_COLUMNS),
    *(number_column(f"{arm}_{name}") for arm in ("current", "proposed") for name in _RATE_COLUMNS),
    *(number_column(f"{name}_{part}") for name in _ESTIMATES for part in ("gain", "low", "high", "confidence")),
    key=("run_id",),
    indexes=(Index(None, "name", "version"), Index(None, "sequence", "run_id")),
)
"""`benchmarks`: their names, separated by spaces. `solved_...`, `avoided_...`: the estimates of
`TrialFigures`; `gain` is the mean difference of the proposed version to the current one."""

TRIAL_RUNS = table(
    "trial_runs",
    id_column("run_id"),
    id_column("trial_id", required=True),
    text_column("arm", required=True),
    key=("run_id",),
    indexes=(Index(None, "trial_id"),),
)
"""`trial_id`: run of the trial. What came of each run is in `runs`."""


def _requested(event: TrialRequested, sequence: int) -> Iterator[Row]:
    yield Row(
        TRIALS,
        {
            "run_id": event.run_id,
            "sequence": sequence,
            "name": short(event.name),
            "for_role": event.for_role,
            "version": event.version,
            "base_version": event.base_version,
            "model": short(event.model),
            "benchmarks": excerpt(" ".join(event.benchmarks)),
            "target": excerpt(event.target),
            "most_pairs": event.most_pairs,
            "requested_at": event.occurred_at,
        },
    )


def _completed(event: TrialCompleted, _: int) -> Iterator[Row]:
    figures = event.figures
    yield Row(
        TRIALS,
        {
            "run_id": event.run_id,
            "ended_at": event.occurred_at,
            "verdict": event.verdict,
            "detail": excerpt(event.detail),
            "pairs": figures.pairs,
            **_of_arm("current", figures.current),
            **_of_arm("proposed", figures.proposed),
            **_of_estimate("solved", figures.solved),
            **_of_estimate("avoided", figures.avoided),
        },
    )


def _of_arm(arm: str, figures: ArmFigures) -> dict[str, Value]:
    return {f"{arm}_{name}": getattr(figures, name) for name in (*_ARM_COLUMNS, *_RATE_COLUMNS)}


def _of_estimate(name: str, estimate: Estimate) -> dict[str, Value]:
    return {
        f"{name}_gain": estimate.mean,
        f"{name}_low": estimate.low,
        f"{name}_high": estimate.high,
        f"{name}_confidence": estimate.confidence,
    }


def _run_requested(event: EngineeringRequested, _: int) -> Iterator[Row]:
    if event.trial is not None:
        yield Row(TRIAL_RUNS, {"run_id": event.run_id, "trial_id": event.trial.trial_id, "arm": event.trial.arm})


PROJECTIONS: Projections = {
    TrialRequested: _requested,
    TrialCompleted: _completed,
    EngineeringRequested: _run_requested,
}
