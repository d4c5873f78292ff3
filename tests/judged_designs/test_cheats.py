"""A sample of the corpus, a few cases for each rule: cheats are refused for the right reason, neighbours accepted.

`./run perf cheats` tries all of it with 32 replicas.
"""

import pytest
from cad_worker.host import KernelHost

from tests.support.cheats.corpus import case
from tests.support.cheats.trial import Trials

pytestmark = pytest.mark.asyncio(loop_scope="session")

REPLICAS = 4
REFUSED = (
    "servo_200",
    "discs_40",
    "arm_through_post",
    "tail_20_out_of_world",
    "pinion_as_number",
    "rack_of_60",
    "plate_through_wall",
    "rubber_sheet_8",
    "legs_7",
    "hdpe_sheet",
    "strip_3",
    "thread_in_rubber",
    "tube_0.5",
    "brick_falls_off",
    "half_inside",
    "rolls_through",
)
ACCEPTED = ("servo_175", "discs_2", "tail_within_world", "legs_16", "abs_shelf_30", "cup_54", "brick_lies")


@pytest.fixture(scope="module")
def tried(kernel_host: KernelHost) -> Trials:
    return Trials(kernel_host, REPLICAS)


@pytest.mark.sample(6)
@pytest.mark.parametrize("label", REFUSED)
async def test_cheat_is_refused_by_its_rule(tried: Trials, label: str) -> None:
    outcome = await tried.run(case(label))
    assert outcome.is_expected, f"{case(label).why}: {outcome.refused_by or 'accepted'}; {outcome.detail}"


@pytest.mark.sample(3)
@pytest.mark.parametrize("label", ACCEPTED)
async def test_honest_neighbour_is_accepted(tried: Trials, label: str) -> None:
    outcome = await tried.run(case(label))
    assert outcome.is_accepted, f"{outcome.refused_by}; {outcome.detail}"
