"""The pods of deploy/k8s in containers, with the confinement, variables, networks and probes of their manifests.

Needs an engine, and the images that the other checks build: `./run test-deploy`. With `-s` it prints its figures.
"""

import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from uuid import UUID

import pytest
from contracts.envelope import Event

from tests.chaos.run_load import lost_of
from tests.chaos.traces import duplicates
from tests.deploy.containers.compose_project import ComposeProject, engine
from tests.deploy.containers.container_kill import kill_main_process, wait_until_restarted
from tests.deploy.containers.manifests.pods_of_dev import CONNECT, IMAGE_VARIABLES, WORKERS, PodsOfDev, probed_pods
from tests.manifests.manifests import Pod, pod, pods, reaches
from tests.manifests.test_networks import PORTS, SERVER_OF

OURS = [each.name for each in pods("dev") if each.is_ours and each.kind == "Deployment"]
RUNS = 10
PROBES = ("startupProbe", "readinessProbe", "livenessProbe")
CONFINED = {"CapEff": "0000000000000000", "NoNewPrivs": "1", "Seccomp": "2", "Uid": "10001", "Gid": "10001"}
"""By line of /proc/PID/status; 2 is a filter of system calls."""
KILLED = ("engineer", "planner", "cad-worker", "sim-worker", "recorder")

pytestmark = pytest.mark.timeout(3600)


@pytest.fixture(scope="module")
def running(project: ComposeProject, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PodsOfDev]:
    """The dev overlay; the project of Compose is stopped meanwhile, and has built the images."""
    images = {
        name: project.environment[variable]
        for name, variable in IMAGE_VARIABLES.items()
        if variable in project.environment
    }
    project.output("stop")
    running = PodsOfDev(tmp_path_factory.mktemp("manifests"), images)
    running.down()
    running.start_all()
    yield running
    running.down()
    project.up()


@pytest.mark.parametrize("each", probed_pods(), ids=lambda each: each.name)
def test_every_probe_succeeds(running: PodsOfDev, each: Pod) -> None:
    assert {name: came for name in PROBES if (came := running.probe(each, name))} == {}


@pytest.mark.parametrize("name", OURS)
def test_process_is_confined_as_the_restricted_standard_asks(running: PodsOfDev, name: str) -> None:
    status = running.output("exec", "-T", name, "cat", "/proc/1/status")
    found = {key: value.split()[0] for key, _, value in (line.partition(":") for line in status.splitlines()) if value}
    assert {key: found[key] for key in CONFINED} == CONFINED


@pytest.mark.parametrize("name", [each.name for each in pods("dev") if each.kind not in {"Job", "CronJob"}])
def test_container_has_the_rights_of_its_pod(running: PodsOfDev, name: str) -> None:
    (container,) = running.containers(name)
    host = json.loads(engine("inspect", "--format", "{{json .HostConfig}}", container))
    user, spec = engine("inspect", "--format", "{{.Config.User}}", container), pod("dev", name).spec["securityContext"]
    assert user == f"{spec['runAsUser']}:{spec['runAsGroup']}"
    assert (host["ReadonlyRootfs"], host["CapDrop"], host["Privileged"]) == (True, ["ALL"], False)
    assert host["SecurityOpt"] == ["no-new-privileges:true"], "the engine's own filter of system calls stays"
    mib = int(pod("dev", name).container["resources"]["limits"]["memory"].removesuffix("Gi").removesuffix("Mi"))
    assert host["Memory"] in {mib * 2**20, mib * 2**30}


@pytest.mark.parametrize("name", OURS)
def test_pod_reaches_the_servers_that_its_labels_name_and_no_other(running: PodsOfDev, name: str) -> None:
    def connects(server: str) -> bool:
        command = ("python", "-c", CONNECT.format(host=server, port=PORTS[server]))
        return running.attempt("exec", "-T", name, *command)[0] == 0

    named = {SERVER_OF[label] for label in reaches(pod("dev", name)) - {"outside"}}
    assert {server for server in PORTS if connects(server)} == named


def test_pods_solve_a_benchmark(running: PodsOfDev) -> None:
    command = ("python", "-m", "cli", "solve", "gravity-chute", "--seed", "3")
    code, printed = running.attempt("exec", "-T", "cli", *command)
    assert code == 0, printed
    assert "SOLVED" in printed


def watched_runs(running: PodsOfDev, first_seed: int, at: dict[int, Callable[[], None]]) -> Sequence[Event]:
    """Let ten runs be solved; `at`: what to do after so many have ended. Return their events, which are complete."""
    before, began_s = len(running.events()), time.monotonic()
    with running.begin_runs(first_seed, RUNS) as solving:
        assert solving.stdout is not None
        printed, ended = "", 0
        for line in solving.stdout:
            printed += line
            if f"/{RUNS} gravity-chute" in line:
                ended += 1
                at.get(ended, lambda: None)()
    assert solving.returncode == 0, printed
    assert printed.count(": solved,") == RUNS, printed
    report(f"{RUNS} of {RUNS} solved in {time.monotonic() - began_s:.0f} s")
    return complete_events(running, before)


def complete_events(running: PodsOfDev, before: int) -> Sequence[Event]:
    """Return the events after `before`, once nothing is missing, or fail after two minutes."""
    deadline = time.monotonic() + 120.0
    while True:
        events = running.events(before)
        by_run: dict[UUID, list[Event]] = defaultdict(list)
        for event in events:
            by_run[event.run_id].append(event)
        lost = {run: found for run, of_run in by_run.items() if (found := lost_of(of_run))}
        if not lost or time.monotonic() > deadline:
            break
        time.sleep(2.0)
    assert lost == {}
    doubled = {run: found for run, of_run in by_run.items() if (found := duplicates(of_run))}
    assert doubled == {}
    assert len(by_run) == RUNS
    report(f"{len(events)} events of {len(by_run)} runs: nothing lost, nothing doubled")
    return events


def report(text: str) -> None:
    """Print a figure."""
    sys.stdout.write(f"{text}\n")


def test_nothing_is_lost_while_workers_are_scaled_from_1_to_3_to_1(running: PodsOfDev) -> None:
    shares: Counter[str] = Counter()

    def down() -> None:
        for worker in WORKERS:
            shares.update({container: cpu_s(container) for container in running.containers(worker)})
        running.scale(1)

    report("workers 1, 3, 1")
    watched_runs(running, 0, {1: lambda: running.scale(3), 7: down})
    assert [len(running.containers(worker)) for worker in WORKERS] == [1, 1, 1]
    report(f"CPU seconds of each worker until then: {sorted(shares.values())}")


def cpu_s(container: str) -> int:
    """Return the CPU time of a container's processes so far, in s."""
    times = engine("top", container, "-eo", "cputimes").splitlines()[1:]
    return sum(map(int, times))


def test_nothing_is_lost_when_pods_are_killed(running: PodsOfDev) -> None:
    killed: list[str] = []

    def kill(name: str) -> None:
        (container,) = running.containers(name)
        wait_until_restarted(container, kill_main_process(container))
        killed.append(name)

    watched_runs(running, 10, {ended: (lambda name=name: kill(name)) for ended, name in enumerate(KILLED, 1)})
    assert killed == list(KILLED)
    report(f"killed and restarted: {', '.join(killed)}")
