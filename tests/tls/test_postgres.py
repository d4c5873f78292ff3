"""TLS to Postgres, by asyncpg and by psycopg: both read psql's parameters in DATABASE_URL."""

import asyncio
from pathlib import Path
from urllib.parse import urlencode

import pytest
from agent.loop.checkpoints import set_up_checkpoints
from contracts.settings import ServerInspectionError
from store.database import Database
from store.errors import DatabaseCertificateError, DatabaseUnavailableError
from store.inspection import inspect
from store.migrate import migrate
from store.settings import DatabaseSettings

from tests.support.certificates.authority import KeyPair
from tests.tls.conftest import Certificates
from tests.tls.postgres_gate import PostgresGate


def settings(
    server: PostgresGate, ca: Path | None, client: KeyPair | None, mode: str = "verify-full"
) -> DatabaseSettings:
    given = {"sslmode": mode, "sslrootcert": ca} if ca else {"sslmode": mode}
    given |= {"sslcert": client.certificate, "sslkey": client.key} if client else {}
    return DatabaseSettings(database_url=f"{server.url}?{urlencode(given)}", database_connect_timeout_s=200.0)


async def refusal(given: DatabaseSettings) -> str:
    database = Database(given)
    with pytest.raises(DatabaseUnavailableError) as refused:
        async with asyncio.timeout(60):
            await database.start()
    await database.stop()
    return str(refused.value)


async def test_database_works_with_certificates_on_both_sides(
    postgres: PostgresGate, certificates: Certificates
) -> None:
    given = settings(postgres, certificates.authority.certificate, certificates.client)
    await migrate(given)
    await set_up_checkpoints(given.database_url)
    database = Database(given)
    await database.start()
    await database.stop()
    assert (await inspect(given, 20.0)).schema_version is not None


async def test_certificate_of_another_authority_is_not_accepted(
    postgres: PostgresGate, certificates: Certificates
) -> None:
    message = await refusal(settings(postgres, certificates.stranger.certificate, certificates.client))
    assert "its certificate is not accepted" in message
    assert "sslrootcert=FILE" in message


async def test_expired_certificate_of_the_server_is_not_accepted(
    expired_postgres: PostgresGate, certificates: Certificates
) -> None:
    given = settings(expired_postgres, certificates.authority.certificate, certificates.client)
    assert "certificate has expired" in await refusal(given)


async def test_plaintext_client_is_refused(postgres: PostgresGate) -> None:
    assert "no encryption" in await refusal(settings(postgres, None, None, "disable"))


@pytest.mark.parametrize("kind", ["none", "expired", "foreign"])
async def test_unacceptable_client_is_refused(postgres: PostgresGate, certificates: Certificates, kind: str) -> None:
    message = await refusal(settings(postgres, certificates.authority.certificate, certificates.unfit_clients[kind]))
    assert "certificate" in message
    assert "sslcert" in message


async def test_inspection_names_the_certificate(postgres: PostgresGate, certificates: Certificates) -> None:
    with pytest.raises(ServerInspectionError, match="CERTIFICATE_VERIFY_FAILED"):
        await inspect(settings(postgres, certificates.stranger.certificate, certificates.client), 20.0)


async def test_missing_file_is_named(postgres: PostgresGate, tmp_path: Path) -> None:
    with pytest.raises(DatabaseCertificateError, match="sslrootcert"):
        Database(settings(postgres, tmp_path / "missing.crt", None))
