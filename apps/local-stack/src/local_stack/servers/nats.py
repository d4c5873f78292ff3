"""NATS with JetStream."""

import json
import socket
from dataclasses import dataclass
from pathlib import Path

from local_stack.processes.program import ProcessSpec
from local_stack.servers.binaries import script
from local_stack.servers.ports import LOOPBACK

PROBE_S = 1.0


@dataclass(frozen=True)
class Nats:
    """nats-server on one port, its streams in one folder."""

    folder: Path
    port: int
    password: str
    log: Path
    name: str = "nats-server"
    user: str = "millwright"

    @property
    def url(self) -> str:
        """What `NATS_URL` should say."""
        return f"nats://{self.user}:{self.password}@{LOOPBACK}:{self.port}"

    def prepare(self) -> None:
        """Write its configuration; the password stays out of the process list."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        lines = (
            f"listen: {json.dumps(f'{LOOPBACK}:{self.port}')}",
            f"authorization {{ user: {json.dumps(self.user)}, password: {json.dumps(self.password)} }}",
            f"jetstream {{ store_dir: {json.dumps(str(self.folder))} }}",
        )
        self._configuration.touch(mode=0o600)
        self._configuration.write_text("\n".join(lines) + "\n")

    def program(self) -> ProcessSpec:
        """Return what to start."""
        command = (str(script("nats-server")), "--config", str(self._configuration))
        return ProcessSpec(self.name, command, self.folder, self.log)

    def ready(self) -> bool:
        """Log in and hear a PONG; JetStream stands before the port opens."""
        login = json.dumps({"user": self.user, "pass": self.password, "verbose": False})
        try:
            with (
                socket.create_connection((LOOPBACK, self.port), PROBE_S) as connection,
                connection.makefile("rwb") as line,
            ):
                if not line.readline().startswith(b"INFO"):
                    return False
                line.write(f"CONNECT {login}\r\nPING\r\n".encode())
                line.flush()
                return line.readline().startswith(b"PONG")
        except OSError:
            return False

    @property
    def _configuration(self) -> Path:
        return self.folder / "nats-server.conf"
