"""A benchmark of the suite, solved by a machine whose floors are cut of sheet."""

import pytest
from millwright import Workshop

from tests.suite.worlds import witness

SHEET_FLOORS = """
for part in parts:
    if part.label.endswith("floor") and part.label != "chute-1-floor":  # the first one takes the ball's blow
        part.metadata = {"manufacturing_method": ManufacturingMethod.SHEET_METAL, "material_id": "aluminum-5754"}
assembly = glued_machine()
"""


@pytest.mark.asyncio(loop_scope="session")
async def test_gravity_chute_is_solved_with_floors_of_sheet() -> None:
    script = witness("gravity-chute").replace("assembly = glued_machine()", SHEET_FLOORS)
    async with Workshop(threads=1) as workshop:
        trial = await workshop.judge(script, "gravity-chute", replicas=4)
    assert trial.verdict.is_solved, trial.verdict.headline
    assert trial.verdict.bill is not None
    floors = [line for line in trial.verdict.bill.lines if line.method == "sheet_metal"]
    assert floors
    assert all(line.unit_price_usd > 0 for line in floors)
