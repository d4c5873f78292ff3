"""The pods of the dev overlay in containers: started, scaled, probed, and what their runs left in the log."""

import json
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen

from chassis.stream.parser import newest_version
from contracts.envelope import Event
from contracts.registry import class_at, parse

from tests.deploy.containers.compose_project import ComposeProject, engine
from tests.deploy.containers.passwords import password_of
from tests.manifests.compose_file import PROBE, SERVERS, compose_of
from tests.manifests.manifests import Manifest, Pod, pod, pods

BENCHMARK = "gravity-chute"
OURS = [each.name for each in pods("dev") if each.is_ours and each.kind == "Deployment"]
WORKERS = ("cad-worker", "sim-worker", "perception-worker")
IMAGE_VARIABLES = {"nats": "NATS_IMAGE", "postgres": "POSTGRES_IMAGE", "minio": "MINIO_IMAGE"}
JOB = "migrate"
UNPROBED = (JOB, "cli")
"""Without a probe there is nothing to wait for: the command's pod sleeps."""
READY_S = 300.0
CONNECT = "import socket; socket.create_connection(('{host}', {port}), 5).close()"
KILL_EVAL = """
import os, pathlib, signal
for process in pathlib.Path("/proc").glob("[0-9]*"):
    if b"\\0eval\\0" in (process / "cmdline").read_bytes():
        os.kill(int(process.name), signal.SIGKILL)
"""
EVENTS = "SELECT subject, encode(body, 'hex') FROM log.events ORDER BY stream_sequence"


class PodsOfDev(ComposeProject):
    """`docker compose` with a file that is made from the manifests."""

    def __init__(self, folder: Path, images: Mapping[str, str]) -> None:
        """Write the file into `folder`; `images` replaces those of servers that this engine does not have."""
        (folder / ".env.example").touch()
        super().__init__("millwright-manifests", folder)
        self._folder, self._images = folder, dict(images)
        self.release({})
        self.names = [each.name for each in pods("dev") if each.kind != "CronJob"]

    def release(self, images: Mapping[str, str]) -> None:
        """Have these images, by pod, in containers that are made from now on."""
        self._images |= images
        (self._folder / "compose.yaml").write_text(json.dumps(compose_of("dev", self._images)))

    def start_all(self) -> None:
        """Start everything at once, as a cluster does; wait until the job has succeeded and all others are ready."""
        self.provide_s3()
        self.output("up", "--detach")
        self._wait_for_job()
        self.scale(1)

    def migrate(self) -> None:
        """Delete the job and run it again, from its image of now."""
        self.output("rm", "--force", JOB)
        self.output("up", "--detach", JOB)
        self._wait_for_job()

    def _wait_for_job(self) -> None:
        (job,) = self.output("ps", "--all", "--quiet", JOB).split()
        assert engine("wait", job) == "0", self.output("logs", JOB)

    def roll(self, name: str) -> float:
        """Replace a container as a Deployment does: start one, wait until it is ready, stop the older one.

        The older one is unhealthy once it has met an event that only the new one can read. It must end by itself within
        its grace period: if the engine kills it, its exit code is not 0. Return how long that took, in s.
        """
        (old,) = self.containers(name)
        self.output("up", "--detach", "--no-recreate", "--scale", f"{name}=2", name)
        (new,) = set(self.containers(name)) - {old}
        self._wait_until_ready(name, new)
        began_s = time.monotonic()
        engine("stop", "--time", str(pod("dev", name).spec["terminationGracePeriodSeconds"]), old)
        drained_s = time.monotonic() - began_s
        code = engine("inspect", "--format", "{{.State.ExitCode}}", old)
        assert code == "0", f"{name} ended with code {code}: {self.output('logs', '--tail', '20', name)}"
        engine("rm", old)
        return drained_s

    def _wait_until_ready(self, name: str, container: str) -> None:
        deadline = time.monotonic() + READY_S
        while engine("inspect", "--format", "{{.State.Health.Status}}", container) != "healthy":
            assert time.monotonic() < deadline, self.output("logs", "--tail", "20", name)
            time.sleep(1.0)

    def scale(self, workers: int) -> None:
        """Have so many replicas of each worker, and wait until they are ready."""
        scales = (option for worker in WORKERS for option in ("--scale", f"{worker}={workers}"))
        self.up("--no-recreate", *scales, *(name for name in self.names if name not in UNPROBED))

    def begin_runs(self, count: int, name: str) -> "Popen[str]":
        """Start runs of the seeds from 0 on, all at once; a line of its output for each that has ended."""
        options = ("--seeds", f"0-{count - 1}", "--at-once", str(count), "--output", f"out/{name}")
        return self.begin("exec", "-T", "cli", "python", "-m", "cli", "eval", BENCHMARK, *options)

    def kill_command(self) -> None:
        """Kill the command that begins runs; the runs go on."""
        self.output("exec", "-T", "cli", "python", "-c", KILL_EVAL)

    def probe(self, each: Pod, name: str) -> str:
        """Run a probe of a pod's manifest; return what came of it, nothing if it succeeded."""
        probe: Manifest = each.container[name]
        if "exec" in probe:
            command = (each.name, *probe["exec"]["command"])
        else:
            wanted = (probe.get("httpGet") or probe["tcpSocket"])["port"]
            (port,) = (port["containerPort"] for port in each.container["ports"] if port["name"] == wanted)
            if each.name in SERVERS:  # their images have no client, and a stand-in for MinIO has none of its paths
                command = ("cli", "python", "-c", CONNECT.format(host=each.name, port=port))
            else:
                path = probe["httpGet"]["path"]
                command = (each.name, "python", "-c", PROBE.format(port=port, path=path))
        code, printed = self.attempt("exec", "-T", *command)
        return "" if code == 0 else printed

    def events(self, since: int = 0) -> list[Event]:
        """Return all recorded events but the first `since`."""
        query = ("psql", "-h", "127.0.0.1", "-U", "admin", "-d", "millwright", "-tAF", " ", "-c", EVENTS)
        given = ("-e", f"PGPASSWORD={password_of('admin')}")
        printed = self.output("exec", "-T", *given, "postgres", *query)
        rows = [line.split(" ") for line in printed.splitlines()]
        return [_as_today(subject, bytes.fromhex(body)) for subject, body in rows[since:]]


def _as_today(subject: str, body: bytes) -> Event:
    """Return an event; one of a newer version, which differs here by its number alone, has today's."""
    fields = json.loads(body)
    fields["schema_version"] = min(fields["schema_version"], newest_version(class_at(subject)))
    return parse(subject, json.dumps(fields).encode())


@contextmanager
def in_place_of(project: ComposeProject, folder: Path) -> Generator[PodsOfDev]:
    """Yield the pods, not started yet; a project of Compose, which has built the images, is stopped meanwhile."""
    images = {
        name: project.environment[variable]
        for name, variable in IMAGE_VARIABLES.items()
        if variable in project.environment
    }
    project.output("stop")
    pods_of_dev = PodsOfDev(folder, images)
    pods_of_dev.down()
    yield pods_of_dev
    pods_of_dev.down()
    project.up()


def probed_pods() -> list[Pod]:
    """Return the pods that have probes."""
    return [pod("dev", each.name) for each in pods("dev") if "startupProbe" in each.container]
