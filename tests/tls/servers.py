"""NATS and S3 that accept encrypted connections only, from clients with a certificate."""

import http.client
import ssl
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from local_stack.processes.child_process import ProcessSpec
from local_stack.processes.supervisor import Supervisor
from local_stack.servers.ports import LOOPBACK, free_ports
from local_stack.servers.seaweedfs import PORT_OPTIONS, SeaweedFs

from tests.support.certificates.authority import KeyPair
from tests.support.clusters.nats_server import NatsServer

PASSWORD = "p0123456789"


class SecureNats(NatsServer):
    """A nats-server that demands certificates of its authority."""

    def __init__(self, folder: Path, server: KeyPair, authority: Path) -> None:
        super().__init__(folder)
        self._tls = (
            f'tls {{ cert_file: "{server.certificate}", key_file: "{server.key}", ca_file: "{authority}", '
            "verify: true, timeout: 10 }"
        )

    def configuration(self, *, with_jetstream: bool) -> str:
        return super().configuration(with_jetstream=with_jetstream) + f"{self._tls}\n"


@dataclass(frozen=True)
class SecureSeaweedFs(SeaweedFs):
    """S3 over https, for clients with a certificate of its authority."""

    server: KeyPair | None = None
    authority: Path | None = None
    client: KeyPair | None = None
    """Of the test that asks whether it is ready."""

    def program(self) -> ProcessSpec:
        assert self.server is not None
        spec = super().program()
        options = (
            f"-s3.cert.file={self.server.certificate}", f"-s3.key.file={self.server.key}",
            f"-s3.cacert.file={self.authority}", "-s3.tlsVerifyClientCert=true",
        )  # fmt: skip
        return replace(spec, command=(*spec.command, *options))

    def ready(self) -> bool:
        assert self.client is not None
        _, page = self._get(self.ports[2], "/")
        return f"{LOOPBACK}:{self.ports[4]}".encode() in page and self._answers(self.client)

    def _answers(self, client: KeyPair) -> bool:
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.load_cert_chain(client.certificate, client.key)
        connection = http.client.HTTPSConnection(LOOPBACK, self.ports[0], timeout=5, context=context)
        try:
            connection.request("GET", "/")
            return connection.getresponse().status == http.HTTPStatus.FORBIDDEN
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


@contextmanager
def running_nats(folder: Path, server: KeyPair, authority: Path) -> Generator[SecureNats]:
    nats = SecureNats(folder, server, authority)
    nats.start()
    yield nats
    nats.stop()


@contextmanager
def running_s3(folder: Path, server: KeyPair, authority: Path, client: KeyPair) -> Generator[SecureSeaweedFs]:
    weed = SecureSeaweedFs(
        folder / "data",
        free_ports(len(PORT_OPTIONS)),
        "millwright",
        PASSWORD,
        folder / "weed.log",
        server=server,
        authority=authority,
        client=client,
    )
    weed.prepare()
    supervisor = Supervisor()
    supervisor.launch([weed])
    supervisor.wait_until_ready()
    yield weed
    supervisor.stop()
