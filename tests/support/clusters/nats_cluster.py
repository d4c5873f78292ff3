"""Three nats-servers that replicate their streams."""

import signal
import socket
import subprocess
from pathlib import Path

from tests.support.clusters.nats_server import NATS_SERVER


class NatsCluster:
    """Three nodes on this machine."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        ports = _free_ports(6)
        self._ports, self._routes = ports[:3], ports[3:]
        self._processes: list[subprocess.Popen[bytes]] = []

    @property
    def urls(self) -> list[str]:
        """The address of each node."""
        return [f"nats://127.0.0.1:{port}" for port in self._ports]

    def start(self) -> None:
        routes = ",".join(f"nats://127.0.0.1:{port}" for port in self._routes)
        for number, (port, route) in enumerate(zip(self._ports, self._routes, strict=True)):
            command = [str(NATS_SERVER), "-js", "-n", f"node{number}", "-sd", str(self._folder / f"node{number}")]
            command += ["-a", "127.0.0.1", "-p", str(port), "--cluster_name", "three", "--routes", routes]
            command += ["--cluster", f"nats://127.0.0.1:{route}"]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self._processes.append(process)

    def stop(self) -> None:
        for process in self._processes:
            process.send_signal(signal.SIGKILL)
            process.wait()


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()
