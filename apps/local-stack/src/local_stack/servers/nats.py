"""NATS with JetStream."""

import json
import socket
from dataclasses import dataclass
from pathlib import Path

from local_stack.processes.child_process import ProcessSpec
from local_stack.servers.binaries import script
from local_stack.servers.ports import LOOPBACK

PROBE_S = 1.0
SYNC_ALWAYS = "always"
"""The server syncs each message before it acknowledges it; by default it syncs only every two minutes."""


@dataclass(frozen=True)
class Nats:
    """nats-server on one port, with its streams in one folder."""

    folder: Path
    port: int
    password: str
    log: Path
    name: str = "nats-server"
    user: str = "millwright"
    sync_interval: str = SYNC_ALWAYS
    """The trial of power loss sets another one, to show that it loses events."""

    @property
    def url(self) -> str:
        """The value for `NATS_URL`."""
        return f"nats://{self.user}:{self.password}@{LOOPBACK}:{self.port}"

    def prepare(self) -> None:
        """Write its configuration, which keeps the password out of the process list."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        storage = f"store_dir: {json.dumps(str(self.folder))}, sync_interval: {json.dumps(self.sync_interval)}"
        lines = (
            f"listen: {json.dumps(f'{LOOPBACK}:{self.port}')}",
            f"authorization {{ user: {json.dumps(self.user)}, password: {json.dumps(self.password)} }}",
            f"jetstream {{ {storage} }}",
        )
        self._configuration.touch(mode=0o600)
        self._configuration.write_text("\n".join(lines) + "\n")

    def program(self) -> ProcessSpec:
        """Return the process to start."""
        command = (str(script("nats-server")), "--config", str(self._configuration))
        return ProcessSpec(self.name, command, self.folder, self.log)

    def ready(self) -> bool:
        """Log in and receive a PONG; JetStream is ready before the port opens."""
        login = json.dumps({"user": self.user, "pass": self.password, "verbose": False})
        try:
            with (
                socket.create_connection((LOOPBACK, self.port), PROBE_S) as connection,
                connection.makefile("rwb") as stream,
            ):
                if not stream.readline().startswith(b"INFO"):
                    return False
                stream.write(f"CONNECT {login}\r\nPING\r\n".encode())
                stream.flush()
                return stream.readline().startswith(b"PONG")
        except OSError:
            return False

    @property
    def _configuration(self) -> Path:
        return self.folder / "nats-server.conf"
