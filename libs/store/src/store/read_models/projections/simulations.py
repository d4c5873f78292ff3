"""Simulations: previews that roles request, and the judged simulation of each valid design."""

from collections.abc import Iterator

from contracts.envelope import Event
from contracts.events.design import DesignInvalidated, DesignSimulated, DesignValidated
from contracts.events.simulation import SimulationCompleted, SimulationFailed, SimulationRequested
from contracts.models.simulation import SimulationResult
from sqlalchemy import Index

from store.bulk_insert import Value
from store.read_models.columns import (
    excerpt,
    id_column,
    number_column,
    table,
    text_column,
    time_column,
    whole_column,
)
from store.read_models.row import Projections, Row

SIM_WORKER = "sim-worker"

SIMULATIONS = table(
    "simulations",
    id_column(),
    id_column("run_id", required=True),
    text_column("role", required=True),
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
    return _of_request(event, sequence, purpose="preview", replicas=event.replicas, seed=event.seed)


def _validated(event: DesignValidated, sequence: int) -> Iterator[Row]:
    return _of_request(event, sequence, purpose="verdict", replicas=event.replicas)


def _completed(event: SimulationCompleted | DesignSimulated, _: int) -> Iterator[Row]:
    return _of_answer(event, **_judged(event.result))


def _failed(event: SimulationFailed, _: int) -> Iterator[Row]:
    return _of_answer(event, failure_reason=event.reason)


def _invalidated(event: DesignInvalidated, _: int) -> Iterator[Row]:
    if event.producer == SIM_WORKER and event.findings:
        yield from _of_answer(event, failure_reason=event.findings[0].rule)


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


def _of_request(event: Event, sequence: int, **values: Value) -> Iterator[Row]:
    own: dict[str, Value] = {"id": event.id, "run_id": event.run_id, "role": event.role}
    yield Row(SIMULATIONS, {**own, "sequence": sequence, "requested_at": event.occurred_at, **values})


def _of_answer(event: Event, **values: Value) -> Iterator[Row]:
    if event.causation_id is not None:
        own: dict[str, Value] = {"id": event.causation_id, "run_id": event.run_id, "role": event.role}
        yield Row(SIMULATIONS, {**own, "ended_at": event.occurred_at, **values})


PROJECTIONS: Projections = {
    SimulationRequested: _requested,
    SimulationCompleted: _completed,
    SimulationFailed: _failed,
    DesignValidated: _validated,
    DesignSimulated: _completed,
    DesignInvalidated: _invalidated,
}
