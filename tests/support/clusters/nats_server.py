"""A nats-server that tests can stop, kill and start again."""

import signal
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

NATS_SERVER = Path(sys.executable).parent / "nats-server"


class NatsServer:
    """A nats-server whose port and folder stay the same over restarts."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"nats://127.0.0.1:{self.port}"

    def start(self, *, with_jetstream: bool = True) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        file = self._folder / "nats-server.conf"
        file.write_text(self.configuration(with_jetstream=with_jetstream))
        command = [str(NATS_SERVER), "--config", str(file)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def configuration(self, *, with_jetstream: bool) -> str:
        """Return what its configuration file says."""
        jetstream = f'jetstream {{ store_dir: "{self._folder}", sync_interval: always }}' if with_jetstream else ""
        return f'listen: "127.0.0.1:{self.port}"\n{jetstream}\n'

    def kill(self) -> None:
        """End the server as a power cut would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()
            self._process = None


@contextmanager
def serving(folder: Path) -> Generator[NatsServer]:
    """Yield a server that runs."""
    server = NatsServer(folder)
    server.start()
    try:
        yield server
    finally:
        server.stop()
