"""The check before a submission reports each finding with its location, and the cell may go on."""

import pytest
from chassis.testing import FakeBus
from contracts.events.design import DesignSubmitted
from contracts.events.simulation import SimulationRequested
from contracts.models.submission import Submission

from tests.cad_worker.handlers.run_client import RunClient
from tests.cad_worker.handlers.submissions.test_submissions import SUBMIT
from tests.cad_worker.handlers.test_session_handlers import simulated
from tests.support.kernel_world import GOOD_SCRIPT

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.usefixtures("opened")]

BUILDER = """
from build123d import *
with BuildPart() as assembly:
    Box(10, 10, 10)
"""
FAULTS = {
    "a builder object": (BUILDER, "BuildPart"),
    "an unlabelled part": (GOOD_SCRIPT.replace('plate.label = "plate"\n', ""), "label"),
    "a part out of its zone": (GOOD_SCRIPT.replace("Pos(0, 0, 5)", "Pos(90, 0, 5)"), "outside_build_zone"),
    "a changed environment": (
        GOOD_SCRIPT + "environment.children[0].position += (0, 0, -50)\n",
        "environment_changed",
    ),
    "a part in the environment": (GOOD_SCRIPT.replace("Pos(0, 0, 5)", "Pos(0, 0, 3)"), "interference"),
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("fault", FAULTS)
async def test_faulty_design_is_rejected_in_the_cell_that_submits(fault: str, client: RunClient) -> None:
    script, word = FAULTS[fault]
    await client.write_file("script.py", script)
    done = await client.run_cell(f"kept = 7\n{SUBMIT}")
    assert done.ending is None
    error = done.observation.error
    assert error is not None
    assert word in error.message
    assert error.line == 4
    assert (await client.run_cell("kept")).observation.output == "7\n"


async def test_corrected_design_is_submitted_from_the_same_kernel(client: RunClient) -> None:
    await client.write_file("script.py", GOOD_SCRIPT.replace("Pos(0, 0, 5)", "Pos(90, 0, 5)"))
    assert (await client.run_cell(SUBMIT)).ending is None
    await client.write_file("script.py", GOOD_SCRIPT)
    assert isinstance((await client.run_cell(SUBMIT)).ending, Submission)


async def test_script_cannot_use_variables_of_a_cell(client: RunClient) -> None:
    await client.write_file("script.py", GOOD_SCRIPT.replace("Box(60, 40, 10)", "Box(length_mm, 40, 10)"))
    done = await client.run_cell(f"length_mm = 60\n{SUBMIT}")
    assert done.ending is None
    assert done.observation.error is not None
    assert done.observation.error.type == "NameError"


async def test_previews_do_not_submit(client: RunClient, bus: FakeBus) -> None:
    bus.answers(SimulationRequested, _simulator)
    await client.write_file("script.py", GOOD_SCRIPT)
    done = await client.run_cell(
        "from script import assembly\nfrom utils import run_script, simulate, validate_and_price\n"
        "validate_and_price(assembly)\nsimulate(assembly)\nseen = run_script()"
    )
    assert done.observation.status == "ok", done.observation.error
    assert done.ending is None
    assert not [event for event in bus.events if isinstance(event, DesignSubmitted)]


async def _simulator(request: SimulationRequested):
    return simulated(request)


async def test_submitting_a_number_is_an_error(client: RunClient) -> None:
    done = await client.run_cell("from utils import submit_for_review\nsubmit_for_review(5)")
    assert done.ending is None
    assert done.observation.error is not None
    assert done.observation.error.type == "NotADesignError"
