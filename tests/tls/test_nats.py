"""TLS to NATS: a service works with the right certificates, and is refused with a clear error with any other."""

import asyncio
from pathlib import Path

import pytest
from chassis.administration.inspection import inspect
from chassis.administration.provisioning import provision
from chassis.app import App
from chassis.errors import BusUnavailableError
from chassis.settings import BusSettings
from chassis.stream.connection import connected
from contracts.settings import ServerInspectionError

from tests.support.certificates.authority import KeyPair
from tests.support.clusters.nats_server import NatsServer
from tests.tls.conftest import Certificates
from tests.tls.servers import SecureNats


def settings(server: NatsServer, ca: Path | None, client: KeyPair | None, scheme: str = "tls") -> BusSettings:
    return BusSettings(
        nats_url=f"{scheme}://127.0.0.1:{server.port}",
        nats_tls_ca=ca,
        nats_tls_cert=client and client.certificate,
        nats_tls_key=client and client.key,
        bus_connect_timeout_s=200.0,
    )


async def refusal(given: BusSettings) -> str:
    with pytest.raises(BusUnavailableError) as refused:
        async with asyncio.timeout(60), connected("cli", given):
            pass
    return str(refused.value)


async def test_service_works_with_certificates_on_both_sides(nats: SecureNats, certificates: Certificates) -> None:
    given = settings(nats, certificates.authority.certificate, certificates.client)
    assert await provision(given)
    app = App("sim-worker", given)
    await app.start()
    assert await app.health() == []
    await app.stop()
    assert (await inspect(given, 20.0)).has_stream


async def test_certificate_of_another_authority_is_not_accepted(nats: SecureNats, certificates: Certificates) -> None:
    message = await refusal(settings(nats, certificates.stranger.certificate, certificates.client))
    assert "certificate of the NATS server" in message
    assert "NATS_TLS_CA" in message


async def test_expired_certificate_of_the_server_is_not_accepted(
    expired_nats: SecureNats, certificates: Certificates
) -> None:
    message = await refusal(settings(expired_nats, certificates.authority.certificate, certificates.client))
    assert "certificate has expired" in message
    assert "renew it" in message


async def test_plaintext_client_is_refused(nats: SecureNats) -> None:
    assert "accepts encrypted connections only: begin NATS_URL with tls://" in await refusal(
        settings(nats, None, None, "nats")
    )


@pytest.mark.parametrize("kind", ["none", "expired", "foreign"])
async def test_unacceptable_client_is_refused(nats: SecureNats, certificates: Certificates, kind: str) -> None:
    client = certificates.unfit_clients[kind]
    message = await refusal(settings(nats, certificates.authority.certificate, client))
    assert "refuses our certificate" in message
    assert "NATS_TLS_CERT" in message


async def test_password_is_not_sent_to_a_server_without_tls(tmp_path: Path, certificates: Certificates) -> None:
    server = NatsServer(tmp_path / "plain")
    server.start()
    given = settings(server, certificates.authority.certificate, certificates.client)
    message = await refusal(given)
    with pytest.raises(ServerInspectionError, match="does not offer TLS"):
        await inspect(given, 20.0)
    server.stop()
    assert "does not offer TLS, so no password was sent" in message


async def test_missing_file_is_named_by_its_setting(nats: SecureNats, tmp_path: Path) -> None:
    assert "NATS_TLS_CA" in await refusal(settings(nats, tmp_path / "missing.crt", None))
