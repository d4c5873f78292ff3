"""Cells search the catalog and get parts by their ids; script.py gets parts, but cannot search."""

import pytest
from cad_worker.host import KernelHost
from cad_worker.session_protocol import SearchAnswer, SearchCall, SessionOrder
from contracts.models.catalog import CatalogFind
from kernel_host.protocol import KernelCall
from kernel_host.sessions.session import Cell, Session
from pydantic import BaseModel

from tests.cad_worker.cells import run

pytestmark = pytest.mark.asyncio(loop_scope="session")

FOUND = CatalogFind(
    id="gm37d-12v-50",
    name="37D metal gearmotor 12 V 50:1",
    what="motor, dc gearmotor",
    unit_price_usd=39.95,
    confidence="spec:sourced",
    reason="carries it",
)


async def test_search_prints_and_returns_the_proposed_parts(session: Session) -> None:
    calls: list[KernelCall] = []

    async def answer(call: KernelCall, _ordinal: int) -> BaseModel:
        calls.append(call)
        return SearchAnswer(found=(FOUND,), note="prices are estimates")

    search = 'found = catalog.search("a 12 V gear motor", limit=3)'
    code = f"from utils import catalog\n{search}\nfound[0].id, found[0].unit_price_usd"
    done = await session.run(Cell(code, "cell", 0, 60.0), answer)
    assert done.observation.status == "ok", done.observation
    assert calls == [SearchCall(words="a 12 V gear motor", limit=3, quantity=1)]
    assert "| gm37d-12v-50 | 37D metal gearmotor 12 V 50:1; motor, dc gearmotor | 39.95 |" in done.observation.output
    assert "('gm37d-12v-50', 39.95)" in done.observation.output


async def test_catalog_parts_are_built_in_the_kernel_with_their_data(session: Session) -> None:
    code = """
from utils import catalog
motor, screw, gear = catalog.part("gm37d-12v-50"), catalog.part("shcs-m4x20"), catalog.part("GEAR-M1-Z20")
print(motor.motor.stall_torque_n_m, motor.mass_kg, list(motor.joints), motor.metadata)
print(screw.label, gear.catalog.price_usd)
"""
    seen = (await run(session, code)).observation
    assert seen.output.splitlines() == [
        "2.0594 0.19 ['shaft'] {'catalog_id': 'gm37d-12v-50'}",
        "iso4762-m4x20 5.0",
    ]


async def test_unknown_part_id_suggests_a_similar_one(session: Session) -> None:
    seen = (await run(session, 'from utils import catalog\ncatalog.part("gm37d-12v-51")')).observation
    assert seen.error is not None
    assert "did you mean gm37d-12v-50" in seen.error.message


async def test_script_can_use_catalog_parts_but_not_search(host: KernelHost, order: SessionOrder) -> None:
    script = """
from utils import catalog
bearing = catalog.part("608")
catalog.search("a motor")
"""
    seen = (await host.run_script({"script.py": script}, order)).observation
    assert seen.error is not None
    assert "search in a cell" in seen.error.message
