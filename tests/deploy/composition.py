"""All services in containers, as deploy/compose.yaml describes them, under a name of their own."""

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.architecture.repository import ROOT
from tests.deploy.log_errors import complaints_in
from tests.deploy.seaweedfs_users import introduce, is_stood_in_for

PROJECT = "millwright-test"
FOLDER = ROOT / "deploy"
PATIENCE_S = 1800.0
"""Building everything from nothing takes minutes."""


class Composition:
    """`docker compose` on our file, with the example's passwords."""

    def __init__(self, project: str = PROJECT, folder: Path = FOLDER) -> None:
        """Start nothing yet; `folder` has compose.yaml and .env.example."""
        files = ("--file", str(folder / "compose.yaml"), "--env-file", str(folder / ".env.example"))
        self._program = ("docker", "compose", "--project-name", project, *files)
        self.environment = {"MINIO_IMAGE": _minio_image()} | os.environ

    def beside(self, further: Path, **environment: str) -> "Composition":
        """Return the same containers, described by one file and some variables more."""
        other = Composition()
        other._program = (*self._program, "--file", str(further))
        other.environment = self.environment | environment
        return other

    def begin(self) -> None:
        """Build all, start it, and wait until it is well."""
        self.provide_s3()
        self.up("--build")

    def provide_s3(self) -> None:
        """Start S3, and make its users where `migrate` cannot."""
        self.up("minio")
        if is_stood_in_for(self):
            introduce(self)
            self.environment["MILLWRIGHT_S3_USERS"] = "theirs"

    def told(self, *words: str) -> str:
        """Return what a command prints; raise `CalledProcessError`, with its complaints on our stderr."""
        return self._run(words).stdout

    def tried(self, *words: str, given: str = "") -> tuple[int, str]:
        """Return a command's exit code and all it prints."""
        ran = subprocess.run(
            (*self._program, *words),
            input=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=self.environment,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
        return ran.returncode, ran.stdout

    def up(self, *options: str) -> None:
        """Start what does not run, and wait until all of it is well."""
        self._run(("up", "--wait", *options))

    def down(self) -> None:
        """Stop everything, and forget what it kept."""
        self._run(("--profile", "command", "down", "--volumes", "--timeout", "60"))

    def solving(self, benchmark: str, seed: int) -> "subprocess.Popen[str]":
        """Begin a run."""
        words = ("run", "--rm", "-T", "cli", "solve", benchmark, "--seed", str(seed))
        return subprocess.Popen(
            (*self._program, *words),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=self.environment,
            text=True,
            bufsize=1,
        )

    def containers(self, service: str) -> list[str]:
        """Return the ids of a service's containers that run."""
        return self.told("ps", "--quiet", service).split()

    def inside(self, service: str, script: Path, arguments: Sequence[str] = ()) -> str:
        """Return what a Python script of ours prints in a running container of a service."""
        words = ("exec", "-T", service, "python", "-", *arguments)
        code, printed = self.tried(*words, given=script.read_text("utf-8"))
        assert code == 0, printed
        return printed

    def busiest(self, service: str) -> str:
        """Return the id of the container of a service that computes most at this moment."""
        told = engine("stats", "--no-stream", "--format", "{{.CPUPerc}} {{.ID}}", *self.containers(service))
        usage = [line.split() for line in told.splitlines()]
        return max(usage, key=lambda each: float(each[0].rstrip("%")))[1]

    def complaints(self, since: str = "") -> list[str]:
        """Return the lines of all logs, from a time of the engine's clock on, that tell of an error or of a refusal."""
        return complaints_in(self.told("logs", "--no-color", *(("--since", since) if since else ())))

    def _run(self, words: Sequence[str]) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            (*self._program, *words),
            stdout=subprocess.PIPE,
            env=self.environment,
            text=True,
            check=True,
            timeout=PATIENCE_S,
        )


def engine(*words: str) -> str:
    """Return what the engine itself says."""
    return subprocess.run(("docker", *words), stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def _minio_image() -> str:
    """Return the image that the README's line chooses."""
    if subprocess.run(("docker", "image", "inspect", "minio/minio"), capture_output=True, check=False).returncode == 0:
        return "minio/minio:latest"
    [image] = set(re.findall(r"echo MINIO_IMAGE=(\S+) ", (ROOT / "README.md").read_text("utf-8")))
    return image


def engine_time() -> str:
    """Return what the engine's clock says, which need not be ours."""
    return engine("info", "--format", "{{.SystemTime}}")
