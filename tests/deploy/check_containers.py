"""What is in the images, and how containers stop. Needs an engine: `./run test-deploy`."""

import json
import time

import pytest

from tests.deploy.composition import Composition, engine

ROLES = ("planner", "engineer", "critic", "skill-learner", "catalog")
WORKERS = ("cad-worker", "sim-worker")
SERVICES = (*ROLES, *WORKERS, "recorder")
BUILD_TOOLS = ("uv", "gcc", "cc", "make")

pytestmark = pytest.mark.timeout(1800)


@pytest.mark.parametrize("service", SERVICES)
def test_a_container_runs_as_nobody_and_can_write_nowhere_but_in_its_memory(
    composition: Composition, service: str
) -> None:
    writable = "import os; print(os.getuid(), [p for p in ('/', '/opt/millwright', '/tmp') if os.access(p, os.W_OK)])"
    assert composition.told("exec", "-T", service, "python", "-c", writable).strip() == "10001 ['/tmp']"


@pytest.mark.parametrize("service", SERVICES)
def test_an_image_has_no_tools_to_build_with(composition: Composition, service: str) -> None:
    look = f"import shutil; print([name for name in {BUILD_TOOLS} if shutil.which(name)])"
    assert composition.told("exec", "-T", service, "python", "-c", look).strip() == "[]"


def test_cad_workers_image_has_the_shapes_of_bought_parts(composition: Composition) -> None:
    told = composition.told("exec", "-T", "cad-worker", "python", "-m", "cad_worker.catalog_shapes.warm_cache")
    assert told.startswith("0 shapes were made")


@pytest.mark.parametrize("service", SERVICES)
def test_a_container_is_limited_in_memory_and_processes(composition: Composition, service: str) -> None:
    [container] = composition.containers(service)
    limits = json.loads(engine("inspect", "--format", "{{json .HostConfig}}", container))
    assert limits["Memory"] > 0
    assert limits["PidsLimit"] > 0
    assert limits["LogConfig"]["Config"] == {"max-file": "3", "max-size": "10m"}


def test_nothing_is_published(composition: Composition) -> None:
    for container in composition.told("ps", "--quiet").split():
        assert engine("port", container) == ""


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_that_is_told_to_stop_ends_in_order_within_its_grace(composition: Composition, service: str) -> None:
    [container] = composition.containers(service)
    begun = time.monotonic()
    composition.told("stop", service)
    assert time.monotonic() - begun < 40.0
    assert engine("inspect", "--format", "{{.State.ExitCode}}", container) == "0"
    composition.up("--no-build")
