"""Runs from request to verdict over containers, some of which are killed. Needs an engine: `./run test-deploy`."""

import pytest

from tests.deploy.composition import Composition, engine

BENCHMARK, SEED = "gravity-chute", 3
IN_TURN = (
    *("nats", "postgres", "minio"),
    *("planner", "engineer", "critic", "skill-learner", "catalog", "cad-worker", "sim-worker", "recorder"),
)

pytestmark = pytest.mark.timeout(1800)


def _solve(composition: Composition) -> None:
    code, printed = composition.tried("run", "--rm", "-T", "cli", "solve", BENCHMARK, "--seed", str(SEED))
    assert code == 0, printed
    assert "SOLVED" in printed


def test_a_benchmark_is_solved_and_no_log_tells_of_an_error(composition: Composition) -> None:
    _solve(composition)
    assert composition.complaints() == []


@pytest.mark.parametrize("victim", ["cad-worker", "sim-worker"])
def test_with_two_of_each_worker_one_may_die_in_the_middle_of_a_run(composition: Composition, victim: str) -> None:
    composition.up("--no-build", "--scale", "cad-worker=2", "--scale", "sim-worker=2")
    try:
        with composition.solving(BENCHMARK, SEED) as solving:
            assert solving.stdout is not None
            printed: list[str] = []
            for line in solving.stdout:
                printed.append(line)
                if "kernel ready" in line:
                    engine("kill", composition.containers(victim)[0])
        assert solving.returncode == 0, "".join(printed)
    finally:
        composition.up("--no-build", "--scale", "cad-worker=1", "--scale", "sim-worker=1")


@pytest.mark.parametrize("service", IN_TURN)
def test_a_service_that_was_killed_comes_back_and_a_benchmark_is_solved(composition: Composition, service: str) -> None:
    [container] = composition.containers(service)
    engine("kill", container)
    composition.up("--no-build")
    _solve(composition)
