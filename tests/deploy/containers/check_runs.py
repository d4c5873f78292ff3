"""Runs over containers, some of which are killed. Needs an engine: `./run test-deploy`."""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.containers.compose_project import ComposeProject, engine, engine_time
from tests.deploy.containers.container_kill import kill_main_process, wait_until_restarted
from tests.deploy.containers.log_errors import reports_kill

BENCHMARK, SEED = "gravity-chute", 3
IN_TURN = (
    *("nats", "postgres", "minio"),
    *("planner", "engineer", "critic", "skill-learner", "catalog", "cad-worker", "sim-worker", "recorder"),
)
ASIDE = ("benchmark-generator", "spatial-agent", "perception-worker", "gateway")
"""Services without a part in a run."""
BUSY = [("cad-worker", "Check design"), ("sim-worker", "design is valid")]
"""A worker, and a line of output after which it is busy: with a cell and its preview, or with the verdict."""
DOUBLED = ("--scale", "cad-worker=2", "--scale", "sim-worker=2")
SINGLE = ("--scale", "cad-worker=1", "--scale", "sim-worker=1")
IMPATIENT = Path(__file__).with_name("impatient.yaml")

pytestmark = pytest.mark.timeout(1800)


def _solve(project: ComposeProject) -> None:
    code, printed = project.attempt("run", "--rm", "-T", "cli", "solve", BENCHMARK, "--seed", str(SEED))
    assert code == 0, printed
    assert "SOLVED" in printed


def _read_until(solving: "subprocess.Popen[str]", moment: str | None) -> str:
    """Return the output up to and with the line that contains `moment`, or all of it."""
    assert solving.stdout is not None
    printed = ""
    for line in solving.stdout:
        printed += line
        if moment is not None and moment in line:
            break
    return printed


def test_benchmark_is_solved_without_an_error_in_any_log(project: ComposeProject) -> None:
    begun = engine_time()
    _solve(project)
    assert project.log_errors(begun) == []


@pytest.fixture
def doubled(project: ComposeProject) -> Iterator[ComposeProject]:
    """Two containers of each worker."""
    project.up("--no-build", *DOUBLED)
    yield project
    project.up("--no-build", *SINGLE)


@pytest.mark.parametrize(("victim", "moment"), BUSY)
def test_run_survives_the_death_of_a_busy_worker(doubled: ComposeProject, victim: str, moment: str) -> None:
    begun = engine_time()
    with doubled.start_solve(BENCHMARK, SEED) as solving:
        printed = _read_until(solving, moment)
        engine("kill", doubled.busiest(victim))
        printed += _read_until(solving, None)
    assert solving.returncode == 0, printed
    assert "SOLVED" in printed
    assert doubled.log_errors(begun) == []


@pytest.mark.parametrize(("victim", "moment"), BUSY)
def test_stopped_worker_hands_back_long_work(doubled: ComposeProject, victim: str, moment: str) -> None:
    impatient = doubled.extended_by(IMPATIENT)
    impatient.up("--no-build", *DOUBLED)
    begun_at = engine_time()
    with impatient.start_solve(BENCHMARK, SEED) as solving:
        printed = _read_until(solving, moment)
        busy = impatient.busiest(victim)
        begun = time.monotonic()
        engine("stop", "--time", "40", busy)
        took_s = time.monotonic() - begun
        printed += _read_until(solving, None)
    assert engine("inspect", "--format", "{{.State.ExitCode}}", busy) == "0"
    assert took_s < 30.0
    assert solving.returncode == 0, printed
    assert "SOLVED" in printed
    assert impatient.log_errors(begun_at) == []


def test_more_workers_solve_without_an_error_in_any_log(project: ComposeProject) -> None:
    begun = engine_time()
    project.up("--no-build", "--scale", "cad-worker=3", "--scale", "sim-worker=2")
    assert [len(project.containers(worker)) for worker in ("cad-worker", "sim-worker")] == [3, 2]
    _solve(project)
    assert project.log_errors(begun) == []
    project.up("--no-build", *SINGLE)


@pytest.mark.parametrize("service", IN_TURN)
def test_killed_service_is_restarted_and_a_benchmark_solved(project: ComposeProject, service: str) -> None:
    begun = engine_time()
    [container] = project.containers(service)
    wait_until_restarted(container, kill_main_process(container))
    _solve(project)
    assert [line for line in project.log_errors(begun) if not reports_kill(line, service)] == []


@pytest.mark.parametrize("service", ASIDE)
def test_killed_service_without_a_part_in_runs_is_restarted(project: ComposeProject, service: str) -> None:
    begun = engine_time()
    [container] = project.containers(service)
    wait_until_restarted(container, kill_main_process(container))
    assert project.log_errors(begun) == []
