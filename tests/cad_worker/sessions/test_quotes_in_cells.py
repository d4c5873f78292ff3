"""`validate_and_price` in a real kernel, for a part, a builder and an assembly."""

import pytest
from cad_worker.job_protocol import QuoteRequest
from cad_worker.jobs.design import quote
from cad_worker.session_protocol import KernelCall, QuoteAnswer, QuoteCall, SessionOrder
from cad_worker.sessions.session import Cell, CellOutcome, Session
from pydantic import BaseModel

pytestmark = pytest.mark.asyncio(loop_scope="session")

SNIPPET = """
from build123d import *
from utils import ManufacturingMethod, validate_and_price

with BuildPart() as part_builder:
    Box(10, 10, 10)

part_builder.part.label = "custom_label"
part_builder.part.metadata = {
    "manufacturing_method": ManufacturingMethod.CNC,
    "material-id": "aluminum-6061",
}

price = validate_and_price(part_builder.part)
"""


async def run(session: Session, order: SessionOrder, code: str) -> CellOutcome:
    async def answer(call: KernelCall, _ordinal: int) -> BaseModel:
        assert isinstance(call, QuoteCall)
        return QuoteAnswer(quote=quote(QuoteRequest(component=call.component, assignment=order.assignment)))

    return await session.run(Cell(code, "cell", 0, 30.0), answer)


async def test_quote_prints_a_report_and_returns_the_unit_price(session: Session, order: SessionOrder) -> None:
    done = await run(session, order, SNIPPET + "print(round(price, 2))")
    assert done.observation.status == "ok", done.observation.error
    report = done.observation.output
    assert "**Makeable.**" in report
    assert "| custom_label | cnc | aluminum-6061 | 10.0 x 10.0 x 10.0 | 1.00 | 2.7 |" in report
    assert float(report.split()[-1]) > 1


async def test_quote_of_a_builder_is_refused_by_its_class(session: Session, order: SessionOrder) -> None:
    done = await run(session, order, SNIPPET + "validate_and_price(part_builder)")
    assert done.observation.error is not None
    assert "BuildPart" in done.observation.error.message
    assert ".part" in done.observation.error.message


async def test_quote_of_an_assembly_has_prices_by_label(session: Session, order: SessionOrder) -> None:
    more = """
other = Pos(30, 0, 0) * Box(20, 10, 8)
other.label = "other"
other.metadata = {"manufacturing_method": ManufacturingMethod.PRINTING_3D, "material_id": "pla"}
machine = Compound(label="machine", children=[part_builder.part, other])
print(sorted(validate_and_price(machine)))
"""
    done = await run(session, order, SNIPPET + more)
    assert done.observation.status == "ok", done.observation.error
    assert "['custom_label', 'other']" in done.observation.output
    assert "- parts: 2" in done.observation.output
