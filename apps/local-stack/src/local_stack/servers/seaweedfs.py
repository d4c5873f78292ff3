"""S3, served by SeaweedFS in one process."""

import http.client
import os
from dataclasses import dataclass
from pathlib import Path

from local_stack.processes.child_process import ProcessSpec
from local_stack.servers.binaries import script
from local_stack.servers.ports import LOOPBACK
from local_stack.servers.seaweedfs_security import remove_sockets, write_security

PROBE_S = 2.0
PATIENCE_S = 1.5
"""Its filer closes after a second in any case; then it may wait for ever for open connections, with nothing left to
write."""
PORT_OPTIONS = (
    "s3.port", "s3.port.grpc", "master.port", "master.port.grpc",
    "volume.port", "volume.port.grpc", "filer.port", "filer.port.grpc",
)  # fmt: skip
"""Each of its parts listens on a port; default ports would collide with those of another stack."""
VOLUME_MB = 64
"""SeaweedFS reserves space for whole volumes, and each bucket has its own. By itself it takes 1 GB each on a large
disk: with 5 GiB free, the sixth bucket's first write would fail."""


@dataclass(frozen=True)
class SeaweedFs:
    """`weed mini` on eight ports, with its data in one folder."""

    folder: Path
    ports: tuple[int, ...]
    """One for each of `PORT_OPTIONS`."""
    access_key: str
    secret_key: str
    log: Path
    name: str = "seaweedfs"

    @property
    def endpoint(self) -> str:
        """The value for `S3_ENDPOINT`."""
        return f"{LOOPBACK}:{self.ports[0]}"

    @property
    def inner_ports(self) -> tuple[int, ...]:
        """The ports of everything but S3 over HTTP: they serve only SeaweedFS itself."""
        return self.ports[1:]

    def prepare(self) -> None:
        """Create its folder, with new tokens and certificates."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        remove_sockets(self.ports[1::2])
        write_security(self.folder)

    def program(self) -> ProcessSpec:
        """Return the process to start."""
        command = (
            str(script("weed")), "-logtostderr=true", "mini", f"-dir={self.folder}",
            f"-ip={LOOPBACK}", f"-ip.bind={LOOPBACK}",
            *(f"-{option}={port}" for option, port in zip(PORT_OPTIONS, self.ports, strict=True)),
            "-s3.port.iceberg=0", "-s3.port.lance=0", "-webdav=false", "-admin.ui=false",
            "-filer.localSocket=filer.sock", "-s3.localSocket=s3.sock", "-master.telemetry=false",
            "-volume.preStopSeconds=0", f"-master.volumeSizeLimitMB={VOLUME_MB}", "-disableHttp",
        )  # fmt: skip
        environment = {
            "AWS_ACCESS_KEY_ID": self.access_key,
            "AWS_SECRET_ACCESS_KEY": self.secret_key,
            "PATH": os.defpath,
            "HOME": str(self.folder),
        }
        return ProcessSpec(self.name, command, self.folder, self.log, environment, patience_s=PATIENCE_S)

    def ready(self) -> bool:
        """Return whether S3 answers (it refuses anonymous requests) and the master's page lists the volume server."""
        status, _ = self._get(self.ports[0], "/")
        _, page = self._get(self.ports[2], "/")
        return status == http.HTTPStatus.FORBIDDEN and f"{LOOPBACK}:{self.ports[4]}".encode() in page

    @staticmethod
    def _get(port: int, path: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection(LOOPBACK, port, timeout=PROBE_S)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            return 0, b""
        finally:
            connection.close()
