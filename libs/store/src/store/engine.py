"""Engines of a database: asyncpg, with TLS as the URL asks for it in psql's parameters."""

import ssl
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from store.errors import DatabaseCertificateError
from store.settings import DatabaseSettings

VERIFYING = ("verify-ca", "verify-full")


def make_engine(
    settings: DatabaseSettings,
    connect: dict[str, Any] | None = None,
    **options: Any,  # noqa: ANN401 - options of SQLAlchemy
) -> AsyncEngine:
    """Return an engine that has not connected yet; `connect` are options of asyncpg, `options` those of SQLAlchemy.

    Raises `DatabaseCertificateError`.
    """
    return create_async_engine(settings.asyncpg_url, connect_args={**_tls(settings), **(connect or {})}, **options)


def _tls(settings: DatabaseSettings) -> dict[str, Any]:
    """Return asyncpg's option: psql's mode as it is, or what to verify and to show if the URL names files."""
    given = settings.tls_parameters
    mode, authority = given.get("sslmode"), given.get("sslrootcert")
    if not given.keys() - {"sslmode"}:
        return {} if mode is None else {"ssl": mode}
    try:
        context = ssl.create_default_context(cafile=authority)
        if "sslcert" in given:
            context.load_cert_chain(given["sslcert"], given.get("sslkey"))
    except OSError as error:  # ssl.SSLError is one
        raise DatabaseCertificateError(error) from error
    context.check_hostname = mode == "verify-full"
    if mode not in VERIFYING and authority is None:
        context.verify_mode = ssl.CERT_NONE  # as psql does for `require`
    return {"ssl": context}
