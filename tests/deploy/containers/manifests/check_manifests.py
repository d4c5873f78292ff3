"""The pods of deploy/k8s in containers, with the confinement, variables, networks and probes of their manifests.

Needs an engine, and the images that the other checks build: `./run test-deploy`.
"""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.deploy.containers.compose_project import ComposeProject
from tests.manifests.compose_file import SERVERS, compose_of

RUNS = 10
WORKERS = ("cad-worker", "sim-worker")
VARIABLES = {"nats": "NATS_IMAGE", "postgres": "POSTGRES_IMAGE", "minio": "MINIO_IMAGE"}

pytestmark = pytest.mark.timeout(3600)


@pytest.fixture(scope="module")
def pods(project: ComposeProject, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ComposeProject]:
    """The dev overlay; the project of Compose is stopped meanwhile, and has built the images."""
    images = {
        name: project.environment[variable] for name, variable in VARIABLES.items() if variable in project.environment
    }
    folder = tmp_path_factory.mktemp("manifests")
    (folder / "compose.yaml").write_text(json.dumps(compose_of("dev", images)))
    (folder / ".env.example").touch()
    project.output("stop")
    pods = ComposeProject("millwright-manifests", folder)
    pods.provide_s3()
    pods.up()
    yield pods
    pods.down()
    project.up()


def solve(pods: ComposeProject, seed: int) -> tuple[int, str]:
    return pods.attempt("exec", "-T", "cli", "python", "-m", "cli", "solve", "gravity-chute", "--seed", str(seed))


def test_pods_solve_a_benchmark(pods: ComposeProject) -> None:
    code, printed = solve(pods, 3)
    assert code == 0, printed
    assert "SOLVED" in printed


def test_nothing_is_lost_while_workers_are_scaled_from_1_to_3_to_1(pods: ComposeProject) -> None:
    def scale(count: int) -> None:
        pods.up("--no-recreate", *(option for worker in WORKERS for option in ("--scale", f"{worker}={count}")))

    with ThreadPoolExecutor(RUNS) as pool:
        runs = [pool.submit(solve, pods, seed) for seed in range(RUNS)]
        scale(3)
        runs[1].result()
        scale(1)
        ended = [run.result() for run in runs]
    assert [printed for code, printed in ended if code != 0] == []
    assert set(SERVERS) == set(VARIABLES)
