"""Who reaches the world outside, and who does not. Needs an engine: `./run test-deploy`.

Somebody who listens in the network with a way out stands for the internet and for a cloud's metadata address, of which
a machine that tries this may have neither.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.composition import Composition, engine

ROLES = ("planner", "engineer", "critic", "skill-learner", "catalog")
LOCKED_IN = ("cad-worker", "sim-worker", "recorder")
REACH = """
import socket, sys
try:
    socket.create_connection((sys.argv[1], 8000), 5).close()
except OSError as error:
    print(error.strerror or error)
else:
    print("reached")
"""

pytestmark = pytest.mark.timeout(1800)


@pytest.fixture(scope="module")
def outsider(composition: Composition) -> Iterator[str]:
    """The address of somebody in the network `outside`."""
    beside = composition.beside(Path(__file__).with_name("outsider.yaml"))
    beside.up("--no-build", "--no-deps", "outsider")
    [container] = beside.containers("outsider")
    yield engine("inspect", "--format", "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}", container)
    beside.told("rm", "--stop", "--force", "outsider")


@pytest.mark.parametrize("service", ROLES)
def test_a_role_reaches_the_world(composition: Composition, outsider: str, service: str) -> None:
    assert composition.told("exec", "-T", service, "python", "-c", REACH, outsider).strip() == "reached"


@pytest.mark.parametrize("service", LOCKED_IN)
def test_a_worker_and_the_recorder_know_no_way_out(composition: Composition, outsider: str, service: str) -> None:
    told = composition.told("exec", "-T", service, "python", "-c", REACH, outsider).strip()
    assert told in {"Network is unreachable", "timed out"}
