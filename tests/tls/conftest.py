"""A private authority, a foreign one, and servers with certificates of the private one."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.support.certificates.authority import Authority, KeyPair
from tests.tls.postgres_gate import PostgresGate, running_gate
from tests.tls.servers import SecureNats, SecureSeaweedFs, running_nats, running_s3


@dataclass(frozen=True)
class Certificates:
    """What the tests choose from."""

    authority: Authority
    stranger: Authority
    """An authority that no server here trusts."""
    server: KeyPair
    expired_server: KeyPair
    client: KeyPair
    expired_client: KeyPair
    foreign_client: KeyPair

    @property
    def unfit_clients(self) -> dict[str, KeyPair | None]:
        """By what is wrong with them."""
        return {"none": None, "expired": self.expired_client, "foreign": self.foreign_client}


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    folder = tmp_path_factory.mktemp("certificates")
    ours, theirs = Authority(folder / "ours", "millwright"), Authority(folder / "theirs", "stranger")
    return Certificates(
        ours,
        theirs,
        ours.issue("server"),
        ours.issue("expired-server", expired=True),
        ours.issue("client"),
        ours.issue("expired-client", expired=True),
        theirs.issue("client"),
    )


@pytest.fixture(scope="module")
def nats(tmp_path_factory: pytest.TempPathFactory, certificates: Certificates) -> Iterator[SecureNats]:
    with running_nats(
        tmp_path_factory.mktemp("nats"), certificates.server, certificates.authority.certificate
    ) as server:
        yield server


@pytest.fixture(scope="module")
def expired_nats(tmp_path_factory: pytest.TempPathFactory, certificates: Certificates) -> Iterator[SecureNats]:
    folder = tmp_path_factory.mktemp("nats")
    with running_nats(folder, certificates.expired_server, certificates.authority.certificate) as server:
        yield server


@pytest.fixture(scope="module")
def postgres(database_url: str, certificates: Certificates) -> Iterator[PostgresGate]:
    with running_gate(database_url, certificates.server, certificates.authority.certificate) as gate:
        yield gate


@pytest.fixture(scope="module")
def expired_postgres(database_url: str, certificates: Certificates) -> Iterator[PostgresGate]:
    with running_gate(database_url, certificates.expired_server, certificates.authority.certificate) as gate:
        yield gate


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory, certificates: Certificates) -> Iterator[SecureSeaweedFs]:
    folder = tmp_path_factory.mktemp("s3")
    with running_s3(folder, certificates.server, certificates.authority.certificate, certificates.client) as server:
        yield server


@pytest.fixture(scope="module")
def expired_s3(tmp_path_factory: pytest.TempPathFactory, certificates: Certificates) -> Iterator[SecureSeaweedFs]:
    folder = tmp_path_factory.mktemp("s3")
    given = (certificates.expired_server, certificates.authority.certificate, certificates.client)
    with running_s3(folder, *given) as server:
        yield server
