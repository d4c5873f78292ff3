"""Images and containers: contents, rights, limits, stopping. Needs an engine: `./run test-deploy`."""

import json
import time

import pytest

from tests.deploy.containers.compose_project import ComposeProject, engine

ROLES = ("planner", "engineer", "critic", "skill-learner", "catalog", "benchmark-generator", "spatial-agent")
WORKERS = ("cad-worker", "sim-worker", "perception-worker")
SERVICES = (*ROLES, *WORKERS, "recorder", "gateway")
BUILD_TOOLS = ("uv", "gcc", "cc", "make")

pytestmark = pytest.mark.timeout(1800)


@pytest.mark.parametrize("service", SERVICES)
def test_container_runs_unprivileged_and_writes_to_tmp_only(project: ComposeProject, service: str) -> None:
    writable = "import os; print(os.getuid(), [p for p in ('/', '/opt/millwright', '/tmp') if os.access(p, os.W_OK)])"
    assert project.output("exec", "-T", service, "python", "-c", writable).strip() == "10001 ['/tmp']"


@pytest.mark.parametrize("service", SERVICES)
def test_image_has_no_build_tools(project: ComposeProject, service: str) -> None:
    look = f"import shutil; print([name for name in {BUILD_TOOLS} if shutil.which(name)])"
    assert project.output("exec", "-T", service, "python", "-c", look).strip() == "[]"


def test_cad_worker_image_has_the_shapes_of_bought_parts(project: ComposeProject) -> None:
    output = project.output("exec", "-T", "cad-worker", "python", "-m", "catalog_shapes.warm_cache")
    assert output.startswith("made 0 shapes")


@pytest.mark.parametrize("service", SERVICES)
def test_container_has_memory_process_and_log_limits(project: ComposeProject, service: str) -> None:
    [container] = project.containers(service)
    limits = json.loads(engine("inspect", "--format", "{{json .HostConfig}}", container))
    assert limits["Memory"] > 0
    assert limits["PidsLimit"] > 0
    assert limits["LogConfig"]["Config"] == {"max-file": "3", "max-size": "10m"}


def test_only_the_api_is_published_and_on_this_machine_alone(project: ComposeProject) -> None:
    (gateway,) = project.containers("gateway")
    for container in project.output("ps", "--quiet").split():
        published = engine("port", container)
        assert published.startswith("8420/tcp -> 127.0.0.1:") if container == gateway else published == ""


@pytest.mark.parametrize("service", SERVICES)
def test_stopped_service_exits_in_order_within_its_grace(project: ComposeProject, service: str) -> None:
    [container] = project.containers(service)
    began_s = time.monotonic()
    project.output("stop", service)
    assert time.monotonic() - began_s < 40.0
    assert engine("inspect", "--format", "{{.State.ExitCode}}", container) == "0"
    project.up("--no-build")
