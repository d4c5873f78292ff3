"""TLS to S3."""

from pathlib import Path

import pytest
from artifacts.client import Artifacts
from artifacts.connections import CertificateFileError
from artifacts.inspection import inspect
from artifacts.port import ArtifactsUnavailableError
from artifacts.settings import S3Settings
from contracts.settings import ServerInspectionError

from tests.support.certificates.authority import KeyPair
from tests.tls.conftest import Certificates
from tests.tls.servers import PASSWORD, SecureSeaweedFs


def settings(
    server: SecureSeaweedFs, spool: Path, ca: Path | None, client: KeyPair | None, *, secure: bool = True
) -> S3Settings:
    return S3Settings(
        s3_endpoint=server.endpoint,
        s3_access_key="millwright",
        s3_secret_key=PASSWORD,
        s3_secure=secure,
        s3_tls_ca=ca,
        s3_tls_cert=client and client.certificate,
        s3_tls_key=client and client.key,
        s3_connect_timeout_s=200.0,
        artifacts_spool=spool,
    )


async def refusal(given: S3Settings) -> str:
    artifacts = Artifacts(given)
    with pytest.raises(ArtifactsUnavailableError) as refused:
        await artifacts.start()
    await artifacts.stop()
    return str(refused.value)


async def test_artifacts_are_stored_with_certificates_on_both_sides(
    s3: SecureSeaweedFs, tmp_path: Path, certificates: Certificates
) -> None:
    given = settings(s3, tmp_path, certificates.authority.certificate, certificates.client)
    artifacts = Artifacts(given)
    await artifacts.start()
    ref = await artifacts.put(b"part", "text/plain")
    await artifacts.wait_until_uploaded([ref])
    await artifacts.stop()
    assert (await inspect(given, 20.0)).has_bucket


async def test_certificate_of_another_authority_is_not_accepted(
    s3: SecureSeaweedFs, tmp_path: Path, certificates: Certificates
) -> None:
    message = await refusal(settings(s3, tmp_path, certificates.stranger.certificate, certificates.client))
    assert "CERTIFICATE_VERIFY_FAILED" in message
    assert "S3_TLS_CA" in message


async def test_expired_certificate_of_the_server_is_not_accepted(
    expired_s3: SecureSeaweedFs, tmp_path: Path, certificates: Certificates
) -> None:
    given = settings(expired_s3, tmp_path, certificates.authority.certificate, certificates.client)
    assert "certificate has expired" in await refusal(given)


async def test_plaintext_client_is_refused(s3: SecureSeaweedFs, tmp_path: Path) -> None:
    assert "set S3_SECURE=true" in await refusal(settings(s3, tmp_path, None, None, secure=False))


@pytest.mark.parametrize("kind", ["none", "expired", "foreign"])
async def test_unacceptable_client_is_refused(
    s3: SecureSeaweedFs, tmp_path: Path, certificates: Certificates, kind: str
) -> None:
    message = await refusal(
        settings(s3, tmp_path, certificates.authority.certificate, certificates.unfit_clients[kind])
    )
    assert "certificate" in message.lower()
    assert "S3_TLS_CERT" in message


async def test_inspection_names_the_certificate(
    s3: SecureSeaweedFs, tmp_path: Path, certificates: Certificates
) -> None:
    with pytest.raises(ServerInspectionError, match="CERTIFICATE_VERIFY_FAILED"):
        await inspect(settings(s3, tmp_path, certificates.stranger.certificate, certificates.client), 20.0)


def test_missing_file_is_named_by_its_setting(s3: SecureSeaweedFs, tmp_path: Path) -> None:
    with pytest.raises(CertificateFileError, match="S3_TLS_CA"):
        Artifacts(settings(s3, tmp_path, tmp_path / "missing.crt", None))
