"""The pods of the dev overlay in containers: started, scaled, probed, and what their runs left in the log."""

import json
from collections.abc import Mapping
from pathlib import Path
from subprocess import Popen

from contracts.envelope import Event
from contracts.registry import parse

from tests.deploy.containers.compose_project import ComposeProject
from tests.deploy.containers.passwords import password_of
from tests.manifests.compose_file import PROBE, SERVERS, compose_of
from tests.manifests.manifests import Manifest, Pod, pod, pods

BENCHMARK = "gravity-chute"
WORKERS = ("cad-worker", "sim-worker", "perception-worker")
IMAGE_VARIABLES = {"nats": "NATS_IMAGE", "postgres": "POSTGRES_IMAGE", "minio": "MINIO_IMAGE"}
JOB = "migrate"
CONNECT = "import socket; socket.create_connection(('{host}', {port}), 5).close()"
EVENTS = "SELECT subject, encode(body, 'hex') FROM log.events ORDER BY stream_sequence"


class PodsOfDev(ComposeProject):
    """`docker compose` with a file that is made from the manifests."""

    def __init__(self, folder: Path, images: Mapping[str, str]) -> None:
        """Write the file into `folder`; `images` replaces those of servers that this engine does not have."""
        (folder / "compose.yaml").write_text(json.dumps(compose_of("dev", dict(images))))
        (folder / ".env.example").touch()
        super().__init__("millwright-manifests", folder)
        self.names = [each.name for each in pods("dev") if each.kind != "CronJob"]

    def start_all(self) -> None:
        """Start everything at once, as a cluster does, and wait until all but the job, which ends, are ready."""
        self.provide_s3()
        self.output("up", "--detach")
        self.scale(1)

    def scale(self, workers: int) -> None:
        """Have so many replicas of each worker, and wait until they are ready."""
        scales = (option for worker in WORKERS for option in ("--scale", f"{worker}={workers}"))
        self.up("--no-recreate", *scales, *(name for name in self.names if name != JOB))

    def begin_runs(self, first_seed: int, count: int) -> "Popen[str]":
        """Start runs, all at once; a line of its output for each that has ended."""
        options = ("--seeds", f"{first_seed}-{first_seed + count - 1}", "--at-once", str(count))
        return self.begin("exec", "-T", "cli", "python", "-m", "cli", "eval", BENCHMARK, *options)

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
        return [parse(subject, bytes.fromhex(body)) for subject, body in rows[since:]]


def probed_pods() -> list[Pod]:
    """Return the pods that have probes."""
    return [pod("dev", each.name) for each in pods("dev") if "startupProbe" in each.container]
