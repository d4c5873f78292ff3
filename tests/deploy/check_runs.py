"""Runs from request to verdict over containers, some of which are killed. Needs an engine: `./run test-deploy`."""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.composition import Composition, engine, engine_time
from tests.deploy.container_kill import kill_what_runs_in, until_back

BENCHMARK, SEED = "gravity-chute", 3
IN_TURN = (
    *("nats", "postgres", "minio"),
    *("planner", "engineer", "critic", "skill-learner", "catalog", "cad-worker", "sim-worker", "recorder"),
)

BUSY = [("cad-worker", "Check design"), ("sim-worker", "design is valid")]
"""Who is killed, and a line after which it has much to do: a cell with a preview, or the verdict of physics."""
DOUBLED = ("--scale", "cad-worker=2", "--scale", "sim-worker=2")
SINGLE = ("--scale", "cad-worker=1", "--scale", "sim-worker=1")
TOO_EARLY = "the database system is starting up"
"""What Postgres, started again after a kill, says to who asks at once: the only error that a kill may cause."""
IMPATIENT = Path(__file__).with_name("impatient.yaml")

pytestmark = pytest.mark.timeout(1800)


def _solve(composition: Composition) -> None:
    code, printed = composition.tried("run", "--rm", "-T", "cli", "solve", BENCHMARK, "--seed", str(SEED))
    assert code == 0, printed
    assert "SOLVED" in printed


def _until(solving: "subprocess.Popen[str]", moment: str | None) -> str:
    """Return what is told up to and with a moment, or to the end."""
    assert solving.stdout is not None
    printed = ""
    for line in solving.stdout:
        printed += line
        if moment is not None and moment in line:
            break
    return printed


def test_a_benchmark_is_solved_and_no_log_tells_of_an_error(composition: Composition) -> None:
    _solve(composition)
    assert composition.complaints() == []


@pytest.fixture
def doubled(composition: Composition) -> Iterator[Composition]:
    """Two of each worker."""
    composition.up("--no-build", *DOUBLED)
    yield composition
    composition.up("--no-build", *SINGLE)


@pytest.mark.parametrize(("victim", "moment"), BUSY)
def test_with_two_of_each_worker_the_busy_one_may_die_in_the_middle_of_a_run(
    doubled: Composition, victim: str, moment: str
) -> None:
    begun = engine_time()
    with doubled.solving(BENCHMARK, SEED) as solving:
        printed = _until(solving, moment)
        engine("kill", doubled.busiest(victim))
        printed += _until(solving, None)
    assert solving.returncode == 0, printed
    assert "SOLVED" in printed
    assert doubled.complaints(begun) == []


@pytest.mark.parametrize(("victim", "moment"), BUSY)
def test_a_worker_that_is_told_to_stop_hands_back_what_takes_too_long(
    doubled: Composition, victim: str, moment: str
) -> None:
    impatient = doubled.beside(IMPATIENT)
    impatient.up("--no-build", *DOUBLED)
    begun_at = engine_time()
    with impatient.solving(BENCHMARK, SEED) as solving:
        printed = _until(solving, moment)
        busy = impatient.busiest(victim)
        begun = time.monotonic()
        engine("stop", "--time", "40", busy)
        took_s = time.monotonic() - begun
        printed += _until(solving, None)
    assert engine("inspect", "--format", "{{.State.ExitCode}}", busy) == "0"
    assert took_s < 30.0
    assert solving.returncode == 0, printed
    assert "SOLVED" in printed
    assert impatient.complaints(begun_at) == []


def test_more_of_each_worker_are_well_and_work_without_an_error_in_any_log(composition: Composition) -> None:
    begun = engine_time()
    composition.up("--no-build", "--scale", "cad-worker=3", "--scale", "sim-worker=2")
    assert [len(composition.containers(worker)) for worker in ("cad-worker", "sim-worker")] == [3, 2]
    _solve(composition)
    assert composition.complaints(begun) == []
    composition.up("--no-build", *SINGLE)


@pytest.mark.parametrize("service", IN_TURN)
def test_a_service_whose_process_dies_is_started_again_by_the_engine_and_a_benchmark_is_solved(
    composition: Composition, service: str
) -> None:
    begun = engine_time()
    [container] = composition.containers(service)
    until_back(container, kill_what_runs_in(container))
    _solve(composition)
    assert [line for line in composition.complaints(begun) if TOO_EARLY not in line] == []
