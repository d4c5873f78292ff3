"""Networks: which services reach the outside. Needs an engine: `./run test-deploy`.

A server in the network `outside` stands in for the internet and for a cloud's metadata address, since the machine that
runs these tests may have neither.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.containers.compose_project import ComposeProject, engine

ROLES = ("planner", "engineer", "critic", "skill-learner", "catalog", "benchmark-generator", "spatial-agent")
CLIENTS_OF_MODELS = (*ROLES, "perception-worker")
INSIDE_ONLY = ("cad-worker", "sim-worker", "recorder", "gateway")
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
def outsider(project: ComposeProject) -> Iterator[str]:
    """The address of a server in the network `outside`."""
    extended = project.extended_by(Path(__file__).with_name("outsider.yaml"))
    extended.up("--no-build", "--no-deps", "outsider")
    [container] = extended.containers("outsider")
    yield engine("inspect", "--format", "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}", container)
    extended.output("rm", "--stop", "--force", "outsider")


@pytest.mark.parametrize("service", CLIENTS_OF_MODELS)
def test_client_of_models_reaches_the_outside(project: ComposeProject, outsider: str, service: str) -> None:
    assert project.output("exec", "-T", service, "python", "-c", REACH, outsider).strip() == "reached"


@pytest.mark.parametrize("service", INSIDE_ONLY)
def test_worker_and_recorder_do_not_reach_the_outside(project: ComposeProject, outsider: str, service: str) -> None:
    output = project.output("exec", "-T", service, "python", "-c", REACH, outsider).strip()
    assert output in {"Network is unreachable", "timed out"}
