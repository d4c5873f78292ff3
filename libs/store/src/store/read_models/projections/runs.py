"""Runs: one row for each, of engineering and of the generation of a benchmark."""

from collections.abc import Iterator
from datetime import datetime
from uuid import UUID

from contracts.envelope import Event
from contracts.events.benchmark import BenchmarkPublished, BenchmarkRequested, GenerationFailed
from contracts.events.conversation import ModelCalled, ReplyLost
from contracts.events.design import DesignRejected, DesignSubmitted
from contracts.events.plan import PlanRejected
from contracts.events.run import EngineeringQueued, EngineeringRequested, EngineeringStarted, RunFailed, RunSucceeded
from contracts.events.session import CellCompleted
from contracts.events.simulation import SimulationCompleted
from sqlalchemy import Index, text

from store.read_models.bulk_insert import Value
from store.read_models.columns import (
    Merge,
    count_column,
    failure,
    id_column,
    number_column,
    short,
    spent,
    sum_column,
    table,
    text_column,
    time_column,
    whole_column,
)
from store.read_models.row import Projections, Row

RUNS = table(
    "runs",
    id_column("run_id"),
    text_column("kind", required=True),
    whole_column("sequence"),
    *(text_column(name) for name in ("benchmark", "title", "task")),
    *(whole_column(name) for name in ("seed", "level", "quantity")),
    *(text_column(name) for name in ("model", "executor")),
    id_column("continues"),
    *(time_column(name) for name in ("requested_at", "queued_at", "begun_at", "ended_at")),
    *(text_column(name) for name in ("outcome", "reason", "detail", "verdict", "stability")),
    *(number_column(name) for name in ("success_rate", "unit_price_usd", "mass_kg")),
    whole_column("parts"),
    *(text_column(name) for name in ("design", "picture")),
    *(
        count_column(name)
        for name in ("events", "model_calls", "lost_replies", "input_tokens", "cached_input_tokens", "output_tokens")
    ),
    sum_column("cost_usd"),
    *(count_column(name) for name in ("unpriced_calls", "cells", "simulations", "submissions", "rejections")),
    time_column("last_at", Merge.LATEST),
    key=("run_id",),
    indexes=(
        Index(None, "sequence", "run_id"),
        Index(None, "kind", "sequence"),
        Index(None, "benchmark", "sequence"),
        Index(None, "model", "sequence"),
        Index(None, "outcome", "sequence"),
        Index("ix_runs_open", "sequence", postgresql_where=text("ended_at IS NULL")),
    ),
)
"""`sequence`: place of the request in the stream; none if the log lacks the request. `benchmark`, `title`: of a
generated benchmark once it is published; `task`: what its user ordered. `picture`, `design`: digests of the delivery.
`cost_usd`: of calls at known prices, lost replies included; `unpriced_calls`: the others."""


def counted(run_id: UUID, kind: str, occurred_at: datetime) -> Row:
    """Return what every event adds to its run, whatever its class."""
    return Row(RUNS, {"run_id": run_id, "kind": kind, "events": 1, "last_at": occurred_at})


def _row(event: Event, **values: Value) -> Iterator[Row]:
    yield Row(RUNS, {"run_id": event.run_id, "kind": event.kind, **values})


def _requested(event: EngineeringRequested, sequence: int) -> Iterator[Row]:
    variant = event.assignment.variant
    return _row(
        event,
        sequence=sequence,
        benchmark=variant.benchmark,
        title=short(variant.title),
        seed=variant.seed,
        level=variant.level,
        quantity=event.assignment.quantity,
        model=short(event.model),
        executor=event.executor,
        continues=_continued(event),
        requested_at=event.occurred_at,
    )


def _continued(event: EngineeringRequested) -> UUID | None:
    attempts = () if event.continues is None else event.continues.attempts
    return attempts[-1] if attempts else None


def _benchmark_requested(event: BenchmarkRequested, sequence: int) -> Iterator[Row]:
    return _row(
        event,
        sequence=sequence,
        seed=event.brief.seed,
        level=event.brief.level,
        model=short(event.model),
        task=short(event.brief.task),
        requested_at=event.occurred_at,
    )


def _queued(event: EngineeringQueued, _: int) -> Iterator[Row]:
    return _row(event, queued_at=event.occurred_at)


def _started(event: EngineeringStarted, _: int) -> Iterator[Row]:
    return _row(event, begun_at=event.occurred_at)


def _succeeded(event: RunSucceeded, _: int) -> Iterator[Row]:
    result, media = event.result, event.delivery.media
    proven = result.is_proven
    return _row(
        event,
        ended_at=event.occurred_at,
        outcome="succeeded" if proven else "not_proven",
        detail="" if proven else f"physics found it {result.verdict} and {result.stability}",
        verdict=result.verdict,
        stability=result.stability,
        success_rate=result.success_rate,
        unit_price_usd=event.bill.unit_price_usd,
        mass_kg=event.bill.mass_kg,
        parts=event.bill.part_count,
        design=event.delivery.digest,
        picture=None if media is None else media.poster.sha256,
    )


def _failed(event: RunFailed | GenerationFailed, _: int) -> Iterator[Row]:
    return _row(event, **failure(event))


def _published(event: BenchmarkPublished, _: int) -> Iterator[Row]:
    return _row(
        event,
        ended_at=event.occurred_at,
        outcome="succeeded",
        benchmark=event.name,
        title=short(event.title),
        detail="",
    )


def _called(event: ModelCalled, _: int) -> Iterator[Row]:
    return _row(event, model_calls=1, **spent(event.usage))


def _lost(event: ReplyLost, _: int) -> Iterator[Row]:
    return _row(event, lost_replies=1, **spent(event.usage))


PROJECTIONS: Projections = {
    EngineeringRequested: _requested,
    BenchmarkRequested: _benchmark_requested,
    EngineeringQueued: _queued,
    EngineeringStarted: _started,
    RunSucceeded: _succeeded,
    RunFailed: _failed,
    BenchmarkPublished: _published,
    GenerationFailed: _failed,
    ModelCalled: _called,
    ReplyLost: _lost,
    CellCompleted: lambda event, _: _row(event, cells=1),
    SimulationCompleted: lambda event, _: _row(event, simulations=1),
    DesignSubmitted: lambda event, _: _row(event, submissions=1),
    PlanRejected: lambda event, _: _row(event, rejections=1),
    DesignRejected: lambda event, _: _row(event, rejections=1),
}
