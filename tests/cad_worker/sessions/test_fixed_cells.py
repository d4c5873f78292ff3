"""The fixed cells behind tool calls, in a real kernel: they run, and text of a model in them stays text."""

import json

import pytest
from engineer.executors import fixed_cells
from kernel.checker.checker import violations
from kernel_host.sessions.session import Session

from tests.cad_worker.cells import run

pytestmark = pytest.mark.asyncio(loop_scope="session")

SCRIPT = """\
from build123d import Box, Compound, Pos

low, high = Pos(0, 0, 5) * Box(10, 20, 10), Pos(0, 0, 40) * Box(10, 10, 10)
low.label, high.label = "low", "it's \\"high\\""
assembly = Compound(label="machine", children=[low, high])
"""
PROOF = "The goal lies above everything, '''\nand no motor reaches it\n''': this follows from [cell 1] alone. " * 2


async def test_measurements_use_the_current_script(session: Session) -> None:
    session.workspace.write("script.py", SCRIPT)
    seen = (await run(session, fixed_cells.measure_cell("parts"))).observation
    assert seen.error is None
    assert "low: box [-5.0, -10.0, 0.0] to [5.0, 10.0, 10.0] mm" in seen.output
    assert "volume 2.000 cm3" in seen.output
    seen = (await run(session, fixed_cells.distance_cell("low", 'it\'s "high"'))).observation
    assert seen.output == 'low to it\'s "high": 25.000 mm\n'
    session.workspace.write("script.py", SCRIPT.replace("0, 0, 40", "0, 0, 30"))
    seen = (await run(session, fixed_cells.distance_cell("low", 'it\'s "high"'))).observation
    assert "15.000 mm" in seen.output


async def test_unknown_part_is_reported_with_the_known_ones(session: Session) -> None:
    session.workspace.write("script.py", SCRIPT)
    hostile = "x'); refuse_plan('gone') #"
    seen = (await run(session, fixed_cells.distance_cell("low", hostile))).observation
    assert seen.error is not None
    assert seen.error.type == "LookupError"
    assert hostile in seen.error.message.replace("\\'", "'")
    assert "there are: low, it's" in seen.error.message
    seen = (await run(session, fixed_cells.measure_cell("payload"))).observation
    assert seen.error is not None
    assert "nothing was simulated yet" in seen.error.message


async def test_measured_world_is_json(session: Session) -> None:
    seen = (await run(session, fixed_cells.measure_cell("world"))).observation
    world = json.loads(seen.output.removeprefix("world: "))
    boxes = {"build", "goal", "forbids", "payload_forbids", "solids"}
    assert set(world) == boxes | {"shape", "size_mm", "extents_mm", "start_mm", "friction", "hold_s", "goal_rule"}


async def test_proof_of_a_refusal_is_unchanged(session: Session) -> None:
    assert (await run(session, fixed_cells.refuse_cell(PROOF))).refusal == PROOF


@pytest.mark.parametrize(
    "code",
    [
        fixed_cells.SUBMIT,
        fixed_cells.SUBMIT_SCRIPT,
        fixed_cells.SIMULATE,
        fixed_cells.price_cell(None),
        fixed_cells.price_cell("low"),
        fixed_cells.search_cell("a motor", 5),
        *(fixed_cells.show_cell(what, 0.0, None) for what in ("assembly", "environment", "both", "simulation")),
    ],
)
async def test_fixed_cells_pass_the_checker(code: str) -> None:
    assert not violations(code, ["script"])
