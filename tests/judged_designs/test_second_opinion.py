"""A sample of the second opinion: half the step and another solver turn no verdict, and CalculiX finds the same.

`./run perf agreement` asks for it on over 100 machines.
"""

import pytest
from cad_worker.host import KernelHost

from perf.agreement.machines import Candidate, Workshop
from perf.agreement.opinions import ALLOWED, opinions_on
from tests.support.strength.calculix import CCX

pytestmark = pytest.mark.asyncio(loop_scope="session")

REPLICAS = 2


@pytest.fixture(scope="module")
def workshop(kernel_host: KernelHost) -> Workshop:
    return Workshop(kernel_host)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "candidate",
    [Candidate("suite", "gravity-chute"), Candidate("cheat", "neck_tilted"), Candidate("script", "made_gear")],
    ids=lambda candidate: candidate.label,
)
async def test_verdict_does_not_turn_with_another_simulation(workshop: Workshop, candidate: Candidate) -> None:
    machine = await workshop.machine(candidate)
    assert machine is not None

    record = opinions_on(machine, REPLICAS)

    assert not record.is_turned, record.opinions


@pytest.mark.skipif(CCX is None, reason="ccx is not installed: apt-get install calculix-ccx")
async def test_elements_of_a_judged_machine_agree_with_calculix(workshop: Workshop) -> None:
    machine = await workshop.machine(Candidate("honest", "groove_20"))
    assert machine is not None

    solid = opinions_on(machine, REPLICAS).solid

    assert solid is not None
    assert solid.is_judged
    assert solid.agreement.most <= ALLOWED
