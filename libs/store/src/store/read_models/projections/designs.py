"""Submitted designs, and the parts of those that are valid with their prices."""

from collections.abc import Iterator
from uuid import UUID

from contracts.envelope import Event, outcome_id
from contracts.events.design import DesignInvalidated, DesignSimulated, DesignSubmitted, DesignValidated
from contracts.models.design import BillLine, BillOfMaterials, HardwareLine
from sqlalchemy import Index

from store.bulk_insert import Value
from store.read_models.columns import (
    excerpt,
    id_column,
    number_column,
    short,
    table,
    text_column,
    time_column,
    whole_column,
)
from store.read_models.projections.simulations import SIM_WORKER
from store.read_models.row import Projections, Row

DESIGNS = table(
    "designs",
    id_column(),
    id_column("run_id", required=True),
    whole_column("sequence"),
    text_column("digest"),
    *(time_column(name) for name in ("submitted_at", "validated_at", "invalidated_at", "simulated_at")),
    whole_column("findings"),
    whole_column("quantity"),
    number_column("unit_price_usd"),
    number_column("mass_kg"),
    whole_column("parts"),
    id_column("review_request_id"),
    *(text_column(name) for name in ("verdict", "stability")),
    number_column("success_rate"),
    indexes=(Index(None, "run_id", "sequence"),),
)
"""`id`: of the answer to the submission. `review_request_id`: the DesignSimulated, which reviews answer."""

PARTS = table(
    "parts",
    id_column("design_id"),
    whole_column("number"),
    id_column("run_id", required=True),
    *(text_column(name, required=True) for name in ("source", "label")),
    *(text_column(name) for name in ("method", "material_id", "catalog_id")),
    whole_column("count", required=True),
    *(
        number_column(name)
        for name in ("mass_kg", "unit_price_usd", "material_usd", "machine_usd", "setup_usd", "tooling_usd")
    ),
    number_column("margin_usd"),
    key=("design_id", "number"),
    indexes=(Index(None, "run_id"), Index(None, "catalog_id")),
)
"""`source`: `made` or `bought`. Mass and prices are those of one piece."""


def _submitted(event: DesignSubmitted, sequence: int) -> Iterator[Row]:
    yield _design(
        event,
        outcome_id(event.id),
        sequence=sequence,
        digest=event.submission.digest,
        submitted_at=event.occurred_at,
    )


def _validated(event: DesignValidated, _: int) -> Iterator[Row]:
    yield _design(
        event,
        event.id,
        validated_at=event.occurred_at,
        review_request_id=outcome_id(event.id),
        **_priced(event.bill),
    )
    lines = [*map(_made, event.bill.lines), *map(_bought, event.bill.hardware)]
    for number, line in enumerate(lines, 1):
        yield Row(PARTS, {"design_id": event.id, "number": number, "run_id": event.run_id, **line})


def _invalidated(event: DesignInvalidated, _: int) -> Iterator[Row]:
    """What cad-worker answers is the answer to the submission; what sim-worker answers is caused by it."""
    refused: dict[str, Value] = {"invalidated_at": event.occurred_at, "findings": len(event.findings)}
    if event.producer != SIM_WORKER:
        bill = {} if event.bill is None else _priced(event.bill)
        yield _design(event, event.id, **refused, **bill)
    elif event.causation_id is not None:
        yield _design(event, event.causation_id, **refused)


def _simulated(event: DesignSimulated, _: int) -> Iterator[Row]:
    if event.causation_id is not None:
        result = event.result
        yield _design(
            event,
            event.causation_id,
            simulated_at=event.occurred_at,
            verdict=result.verdict,
            stability=result.stability,
            success_rate=result.success_rate,
        )


def _design(event: Event, design_id: UUID, **values: Value) -> Row:
    return Row(DESIGNS, {"id": design_id, "run_id": event.run_id, **values})


def _priced(bill: BillOfMaterials) -> dict[str, Value]:
    return {
        "quantity": bill.quantity,
        "unit_price_usd": bill.unit_price_usd,
        "mass_kg": bill.mass_kg,
        "parts": bill.part_count,
    }


def _made(line: BillLine) -> dict[str, Value]:
    prices = line.breakdown
    return {
        "source": "made",
        "label": line.label,
        "method": line.method,
        "material_id": short(line.material_id),
        "count": 1,
        "mass_kg": line.mass_kg,
        "unit_price_usd": line.unit_price_usd,
        "material_usd": None if prices is None else prices.material_usd,
        "machine_usd": None if prices is None else prices.machine_usd,
        "setup_usd": None if prices is None else prices.setup_usd,
        "tooling_usd": None if prices is None else prices.tooling_usd,
        "margin_usd": None if prices is None else prices.margin_usd,
    }


def _bought(line: HardwareLine) -> dict[str, Value]:
    return {
        "source": "bought",
        "label": excerpt(line.what),
        "catalog_id": short(line.catalog_id),
        "count": line.count,
        "mass_kg": line.mass_kg,
        "unit_price_usd": line.unit_price_usd,
    }


PROJECTIONS: Projections = {
    DesignSubmitted: _submitted,
    DesignValidated: _validated,
    DesignInvalidated: _invalidated,
    DesignSimulated: _simulated,
}
