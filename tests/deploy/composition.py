"""All services in containers, as deploy/compose.yaml describes them, under a name of their own."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.architecture.repository import ROOT

PROJECT = "millwright-test"
FOLDER = ROOT / "deploy"
PATIENCE_S = 1800.0
"""Building everything from nothing takes minutes."""


class Composition:
    """`docker compose` on our file, with the example's passwords."""

    def __init__(self) -> None:
        files = ("--file", str(FOLDER / "compose.yaml"), "--env-file", str(FOLDER / ".env.example"))
        self._program = ("docker", "compose", "--project-name", PROJECT, *files)

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
            (*self._program, *words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1
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

    def complaints(self) -> list[str]:
        """Return the lines of all logs that tell of an error or of a refusal."""
        marks = (" ERROR ", "Traceback", "Violation", "FATAL", "permission denied")
        return [line for line in self.told("logs", "--no-color").splitlines() if any(mark in line for mark in marks)]

    def _run(self, words: Sequence[str]) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            (*self._program, *words), stdout=subprocess.PIPE, text=True, check=True, timeout=PATIENCE_S
        )


def engine(*words: str) -> str:
    """Return what the engine itself says."""
    return subprocess.run(("docker", *words), stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
