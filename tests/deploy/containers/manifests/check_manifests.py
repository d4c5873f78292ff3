"""The pods of deploy/k8s in containers, with the confinement, variables, networks and probes of their manifests.

Needs an engine, and the images that the other checks build: `./run test-deploy`. With `-s` it prints its figures.
"""

import json
import time
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.deploy.containers.compose_project import ComposeProject, engine
from tests.deploy.containers.container_kill import kill_main_process, wait_until_restarted
from tests.deploy.containers.manifests.pods_of_dev import CONNECT, OURS, WORKERS, PodsOfDev, in_place_of, probed_pods
from tests.deploy.containers.manifests.watched_runs import report, watched_runs
from tests.manifests.manifests import Pod, pod, pods, reaches
from tests.manifests.test_networks import PORTS, SERVER_OF
from tests.support.measurements import setting

PROBES = ("startupProbe", "readinessProbe", "livenessProbe")
CONFINED = {"CapEff": "0000000000000000", "NoNewPrivs": "1", "Seccomp": "2", "Uid": "10001", "Gid": "10001"}
"""By line of /proc/PID/status; 2 is a filter of system calls."""
KILLED = ("engineer", "planner", "cad-worker", "sim-worker", "recorder")

pytestmark = pytest.mark.timeout(3600)


@pytest.fixture(scope="module")
def running(project: ComposeProject, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PodsOfDev]:
    """The dev overlay."""
    with in_place_of(project, tmp_path_factory.mktemp("manifests")) as running:
        began_s = time.monotonic()
        running.start_all()
        report(f"{setting()}\n- {len(running.names)} pods ready after {time.monotonic() - began_s:.0f} s")
        yield running


@pytest.mark.parametrize("each", probed_pods(), ids=lambda each: each.name)
def test_every_probe_succeeds(running: PodsOfDev, each: Pod) -> None:
    assert {name: came for name in PROBES if (came := running.probe(each, name))} == {}


@pytest.mark.parametrize("name", OURS)
def test_pod_that_starts_before_the_job_has_ended_waits_for_it(running: PodsOfDev, name: str) -> None:
    (container,) = running.containers(name)
    assert engine("inspect", "--format", "{{.RestartCount}}", container) == "0", running.output("logs", name)


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


def test_nothing_is_lost_while_workers_are_scaled_from_1_to_3_to_1(running: PodsOfDev) -> None:
    shares: Counter[str] = Counter()

    def down() -> None:
        for worker in WORKERS:
            shares.update({container: cpu_s(container) for container in running.containers(worker)})
        running.scale(1)

    report("workers 1, 3, 1")
    watched_runs(running, "scaled", {1: lambda: running.scale(3), 7: down})
    assert [len(running.containers(worker)) for worker in WORKERS] == [1, 1, 1]
    report(f"CPU seconds of each worker until then: {sorted(shares.values())}")


def cpu_s(container: str) -> int:
    """Return the CPU time of a container's processes so far, in s."""
    times = engine("top", container, "-eo", "pid,cputimes").splitlines()[1:]
    return sum(int(line.split()[1]) for line in times)


def test_nothing_is_lost_when_pods_are_killed(running: PodsOfDev) -> None:
    killed: list[str] = []

    def kill(name: str) -> None:
        container, *_ = running.containers(name)
        wait_until_restarted(container, kill_main_process(container))
        killed.append(name)

    watched_runs(running, "killed", {ended: (lambda name=name: kill(name)) for ended, name in enumerate(KILLED, 1)})
    assert killed == list(KILLED)
    report(f"killed and restarted: {', '.join(killed)}")
