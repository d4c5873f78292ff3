"""All services in containers, as deploy/compose.yaml describes them, as a Compose project of their own."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.architecture.repository import ROOT
from tests.deploy.containers.log_errors import find_errors
from tests.deploy.containers.seaweedfs_users import create_users, is_seaweedfs

PROJECT = "millwright-test"
FOLDER = ROOT / "deploy"
OWN = {"MILLWRIGHT_EXAMPLE_PASSWORDS": "yes", "MILLWRIGHT_GATEWAY_PORT": "0"}
"""Variables of these projects: several run side by side, so each publishes its API on a free port."""
TIMEOUT_S = 1800.0
"""A first build of all images takes minutes."""


class ComposeProject:
    """`docker compose` with our file and the example's passwords."""

    def __init__(self, project: str = PROJECT, folder: Path = FOLDER) -> None:
        """Start nothing yet; `folder` has compose.yaml and .env.example."""
        files = ("--file", str(folder / "compose.yaml"), "--env-file", str(folder / ".env.example"))
        self._program = ("docker", "compose", "--project-name", project, *files)
        self.environment = {**_local_images(), **OWN} | os.environ

    def extended_by(self, further: Path, **environment: str) -> "ComposeProject":
        """Return the project with one more file and more variables."""
        other = ComposeProject()
        other._program = (*self._program, "--file", str(further))
        other.environment = self.environment | environment
        return other

    def start(self) -> None:
        """Build and start everything, and wait until it is healthy."""
        self.provide_s3()
        self.up("--build")

    def provide_s3(self) -> None:
        """Start S3, and create its users where `migrate` cannot."""
        self.up("minio")
        if is_seaweedfs(self):
            create_users(self)
            self.environment["MILLWRIGHT_S3_USERS"] = "theirs"

    def output(self, *arguments: str) -> str:
        """Return a command's output; raise `CalledProcessError`. Its errors go to our stderr."""
        return self._run(arguments).stdout

    def attempt(self, *arguments: str, given: str = "") -> tuple[int, str]:
        """Return a command's exit code, and its output with its errors."""
        ran = subprocess.run(
            (*self._program, *arguments),
            input=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=self.environment,
            text=True,
            check=False,
            timeout=TIMEOUT_S,
        )
        return ran.returncode, ran.stdout

    def up(self, *options: str) -> None:
        """Start what does not run, and wait until all of it is healthy."""
        self._run(("up", "--wait", *options))

    def down(self) -> None:
        """Stop everything, and remove its volumes."""
        self._run(("--profile", "*", "down", "--volumes", "--timeout", "60"))

    def start_solve(self, benchmark: str, seed: int) -> "subprocess.Popen[str]":
        """Start a run."""
        return self.begin("run", "--rm", "-T", "cli", "solve", benchmark, "--seed", str(seed))

    def begin(self, *arguments: str) -> "subprocess.Popen[str]":
        """Start a command; its output can be read line by line."""
        return subprocess.Popen(
            (*self._program, *arguments),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=self.environment,
            text=True,
            bufsize=1,
        )

    def containers(self, service: str) -> list[str]:
        """Return the ids of a service's running containers."""
        return self.output("ps", "--quiet", service).split()

    def run_script(self, service: str, script: Path, arguments: Sequence[str] = ()) -> str:
        """Return the output of a test's Python script in a running container of a service."""
        command = ("exec", "-T", service, "python", "-", *arguments)
        code, printed = self.attempt(*command, given=script.read_text("utf-8"))
        assert code == 0, printed
        return printed

    def busiest(self, service: str) -> str:
        """Return the id of the service's container with the highest CPU load at this moment."""
        output = engine("stats", "--no-stream", "--format", "{{.CPUPerc}} {{.ID}}", *self.containers(service))
        usage = [line.split() for line in output.splitlines()]
        return max(usage, key=lambda each: float(each[0].rstrip("%")))[1]

    def log_errors(self, since: str = "") -> list[str]:
        """Return the errors and refusals in all logs, from a time of the engine's clock on."""
        return find_errors(self.output("logs", "--no-color", *(("--since", since) if since else ())))

    def _run(self, arguments: Sequence[str]) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            (*self._program, *arguments),
            stdout=subprocess.PIPE,
            env=self.environment,
            text=True,
            check=True,
            timeout=TIMEOUT_S,
        )


def engine(*arguments: str) -> str:
    """Return the output of a command of the engine itself."""
    return subprocess.run(("docker", *arguments), stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def _local_images() -> dict[str, str]:
    """Return images of this engine in place of the pinned ones, by variable: no registry may be reachable."""
    images = {"NATS_IMAGE": "nats:2.12-alpine", "POSTGRES_IMAGE": "postgres:17", "MINIO_IMAGE": "minio/minio:latest"}
    return {variable: image for variable, image in images.items() if _is_here(image)}


def _is_here(image: str) -> bool:
    return subprocess.run(("docker", "image", "inspect", image), capture_output=True, check=False).returncode == 0


def engine_time() -> str:
    """Return the time of the engine's clock, which may differ from ours."""
    return engine("info", "--format", "{{.SystemTime}}")
