"""`validate_and_price` in a real kernel, for a part, a builder and an assembly."""

import pytest
from cad_worker.job_protocol import QuoteRequest
from cad_worker.jobs.design import quote
from cad_worker.session_protocol import QuoteAnswer, QuoteCall, SessionOrder
from kernel_host.protocol import KernelCall
from kernel_host.sessions.session import Cell, CellOutcome, Session
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
        assignment = order.assignment.model_copy(update={"quantity": call.quantity or order.assignment.quantity})
        return QuoteAnswer(quote=quote(QuoteRequest(component=call.component, assignment=assignment)))

    return await session.run(Cell(code, "cell", 0, 30.0), answer)


async def test_quote_prints_a_report_and_returns_the_unit_price(session: Session, order: SessionOrder) -> None:
    done = await run(session, order, SNIPPET + "print(f'{price:.2f}')")
    assert done.observation.status == "ok", done.observation.error
    report = done.observation.output
    assert "**Makeable.**" in report
    assert "| custom_label | cnc | aluminum-6061 | 10.0 x 10.0 x 10.0 | 2.7 |" in report
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


async def test_part_with_findings_is_priced_and_the_cell_goes_on(session: Session, order: SessionOrder) -> None:
    thin = """
from build123d import Box
from utils import validate_and_price
wall = Box(100, 100, 0.2)
wall.label = "thin wall"
wall.metadata = {"manufacturing_method": "3d_printing", "material_id": "pla"}
pricing = validate_and_price(wall)
print("went on:", pricing.is_makeable, pricing["thin wall"] > 0, pricing.errors[0].label)
"""
    done = await run(session, order, thin)
    assert "went on: False True thin_wall" in done.observation.output, done.observation


async def test_size_is_priced_like_a_part_of_that_size(session: Session, order: SessionOrder) -> None:
    code = """
from build123d import Box, Part
from utils import price
plate = Box(60, 40, 4)
plate.label = "plate"
plate.metadata = {"manufacturing_method": "3d_printing", "material_id": "pla"}
print(price((60, 40, 4), "3d_printing", "pla") == price(plate), end=" ")
print(price((60, 40, 4), "3d_printing", "pla", quantity=1000) < price(plate, quantity=1), end=" ")
print(price((60, 40, 20), "3d_printing", "pla", volume_cm3=9) < price((60, 40, 20), "3d_printing", "pla"))
"""
    done = await run(session, order, code)
    assert done.observation.output == "True True True\n", done.observation


async def test_older_module_name_gives_the_same_function(session: Session, order: SessionOrder) -> None:
    code = SNIPPET.replace("from utils import", "from src.workbenches import")
    done = await run(session, order, code)
    assert done.observation.status == "ok", done.observation.error


async def test_members_that_share_a_name_with_a_module_are_allowed(session: Session, order: SessionOrder) -> None:
    code = """
import ast, inspect, io
import numpy
import scipy.signal
from utils import glue
print(ast.literal_eval("[1]"), numpy.select([numpy.array([True])], [2]), inspect.signature(glue), end=" ")
print(scipy.signal.detrend([1.0, 2.0]).round(3), io.StringIO("x").read())
help(glue)
"""
    done = await run(session, order, code)
    assert done.observation.status == "ok", done.observation.error
    assert "Glue two parts" in done.observation.output
