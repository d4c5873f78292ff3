"""A perception server in a process of its own, which a test kills in mid-call and starts again."""

import os
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from tests.support.isolated import ROOT
from tests.support.questions.perception_server import TOKEN

START_S = 300.0
"""For the libraries of real models on a busy machine."""
LOOK_S = 0.02


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


@dataclass
class ServerProcess:
    """`python -m MODULE` at one port."""

    python: Path
    module: str
    log: Path
    port: int = field(default_factory=_free_port)
    _process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """Return where calls go."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def variables(self) -> Mapping[str, str]:
        """Return the variables by which perception-worker and spatial-agent find it."""
        return {"PERCEPTION_GPU_SERVERS": self.address, "PERCEPTION_GPU_TOKEN": TOKEN}

    def start(self, *arguments: str, **variables: str) -> None:
        """Start it, and wait until it answers."""
        own = {"PERCEPTION_GPU_TOKEN": TOKEN, "PERCEPTION_SERVER_PORT": str(self.port)}
        environment = {**os.environ, **own, **variables}
        command: Sequence[str | Path] = (self.python, "-m", self.module, *arguments)
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
        self._await("an answer", lambda: self._health() is not None)

    def await_call(self) -> None:
        """Wait until a call is in work."""
        self._await("a call", lambda: bool((self._health() or {}).get("busy")))

    def kill(self) -> None:
        """Send SIGKILL; a server that has ended is left alone."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _health(self) -> dict[str, object] | None:
        try:
            return httpx.get(f"{self.address}/health", trust_env=False, timeout=30).json()
        except httpx.TransportError:
            return None

    def _await(self, what: str, condition: Callable[[], bool]) -> None:
        deadline_s = time.monotonic() + START_S
        while not condition():
            assert self._process is not None
            assert self._process.poll() is None, f"the server has ended; see {self.log}"
            assert time.monotonic() < deadline_s, f"{what} did not come; see {self.log}"
            time.sleep(LOOK_S)
