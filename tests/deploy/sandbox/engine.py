"""The container engine of this machine: builds the test image, and runs commands in it."""

import io
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path

from tests.architecture.repository import ROOT, known_files

ENGINES = ("docker", "podman")
IMAGE = "millwright-deploy-test"
DOCKERFILE = Path(__file__).with_name("Dockerfile")
RUN_S = 600.0


class EngineMissingError(RuntimeError):
    """No container can be run here; the message says what is missing and how to fix it."""


class Engine:
    """The first engine that answers."""

    def __init__(self) -> None:
        """Request its version; raise `EngineMissingError`."""
        program = next((found for name in ENGINES if (found := shutil.which(name))), None)
        if program is None:
            raise EngineMissingError(f"no container engine: neither of {', '.join(ENGINES)} is installed; install one")
        self._program = program
        result = subprocess.run([program, "version"], capture_output=True, text=True, check=False)
        if result.returncode != 0:
            errors = result.stderr.strip().splitlines() or ["no message"]
            raise EngineMissingError(
                f"{program} is installed, but its engine does not answer ({errors[-1]}); "
                "start it, or point DOCKER_HOST at one that runs"
            )
        self.version = self._output("version", "--format", "{{.Server.Version}}")

    def build(self) -> None:
        """Build the image of this checkout; raise `CalledProcessError`. The engine's errors go to our stderr."""
        command = (self._program, "build", "--tag", IMAGE, "-")
        subprocess.run(command, input=_context(), stdout=subprocess.DEVNULL, check=True)

    def run(self, options: Sequence[str], command: Sequence[str]) -> str:
        """Return a command's output in a new container; raise `CalledProcessError` when it fails."""
        arguments = (self._program, "run", "--rm", *options, IMAGE, *command)
        return subprocess.run(arguments, stdout=subprocess.PIPE, text=True, check=True, timeout=RUN_S).stdout

    def _output(self, *arguments: str) -> str:
        return subprocess.run((self._program, *arguments), capture_output=True, text=True, check=True).stdout.strip()


def _context() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as tar:
        tar.add(DOCKERFILE, "Dockerfile")
        for path in known_files():
            tar.add(ROOT / path, f"source/{path}", filter=_normalized)
            if path.name in {"pyproject.toml", "uv.lock"}:
                tar.add(ROOT / path, f"locks/{path}", filter=_normalized)
    return packed.getvalue()


def _normalized(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """Normalize the entry, so that neither caching nor access depends on this machine."""
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    entry.mtime = 0
    entry.mode = 0o755 if entry.mode & 0o100 else 0o644
    return entry


def main() -> int:
    """Print what is missing to stderr and return 2 if no container can be run here."""
    try:
        Engine()
    except EngineMissingError as error:
        sys.stderr.write(f"test-deploy: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
