"""Simulations: previews that roles request, and the judged simulation of each valid design."""

from collections.abc import Iterator

from contracts.events.design import DesignInvalidated, DesignSimulated, DesignValidated
from contracts.events.simulation import SimulationCompleted, SimulationFailed, SimulationRequested
from contracts.models.simulation import SimulationResult
from sqlalchemy import Index

from store.read_models.bulk_insert import Value
from store.read_models.columns import (
    event_columns,
    excerpt,
    number_column,
    table,
    text_column,
    time_column,
    whole_column,
)
from store.read_models.row import Projections, Row, rows_of_answer, rows_of_request

SIM_WORKER = "sim-worker"

SIMULATIONS = table(
    "simulations",
    *event_columns(),
    whole_column("sequence"),
    text_column("purpose"),
    whole_column("replicas"),
    whole_column("seed"),
    time_column("requested_at"),
    time_column("ended_at"),
    *(text_column(name) for name in ("verdict", "stability")),
    number_column("success_rate"),
    *(text_column(name) for name in ("ending", "cause", "culprit")),
    number_column("decided_after_s"),
    number_column("peak_supply_w"),
    *(text_column(name) for name in ("trajectory_digest", "failure_reason")),
    indexes=(Index(None, "run_id", "sequence"),),
)
"""`id`: of the request. `purpose`: `preview`, or `verdict` on a submitted design. `ending`, `cause`, `culprit` and
`decided_after_s` are those of the nominal run. `failure_reason`: why nothing was simulated."""


def _requested(event: SimulationRequested, sequence: int) -> Iterator[Row]:
    return rows_of_request(SIMULATIONS, event, sequence, purpose="preview", replicas=event.replicas, seed=event.seed)


def _validated(event: DesignValidated, sequence: int) -> Iterator[Row]:
    return rows_of_request(SIMULATIONS, event, sequence, purpose="verdict", replicas=event.replicas)


def _completed(event: SimulationCompleted | DesignSimulated, _: int) -> Iterator[Row]:
    return rows_of_answer(SIMULATIONS, event, ended_at=event.occurred_at, **_judged(event.result))


def _failed(event: SimulationFailed, _: int) -> Iterator[Row]:
    return rows_of_answer(SIMULATIONS, event, ended_at=event.occurred_at, failure_reason=event.reason)


def _invalidated(event: DesignInvalidated, _: int) -> Iterator[Row]:
    if event.producer == SIM_WORKER and event.findings:
        yield from rows_of_answer(SIMULATIONS, event, ended_at=event.occurred_at, failure_reason=event.findings[0].rule)


def _judged(result: SimulationResult) -> dict[str, Value]:
    nominal = result.nominal
    return {
        "verdict": result.verdict,
        "stability": result.stability,
        "success_rate": result.success_rate,
        "ending": nominal.ending,
        "cause": excerpt(nominal.cause),
        "culprit": excerpt(nominal.culprit or nominal.touched),
        "decided_after_s": nominal.time_s,
        "peak_supply_w": result.peak_supply_w,
        "trajectory_digest": result.trajectory_digest,
    }


PROJECTIONS: Projections = {
    SimulationRequested: _requested,
    SimulationCompleted: _completed,
    SimulationFailed: _failed,
    DesignValidated: _validated,
    DesignSimulated: _completed,
    DesignInvalidated: _invalidated,
}
