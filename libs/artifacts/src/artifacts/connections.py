"""Pools of connections to S3, with TLS as the settings ask for it."""

import ssl
from typing import Any

from urllib3 import PoolManager

from artifacts.port import ArtifactsUnavailableError
from artifacts.settings import S3Settings


def make_pool(settings: S3Settings, **options: Any) -> PoolManager:  # noqa: ANN401 - options of urllib3
    """Return a pool that has not connected yet; raise `ArtifactsUnavailableError` for unusable files of TLS."""
    if not settings.s3_secure:
        return PoolManager(**options)
    try:
        context = ssl.create_default_context(cafile=settings.s3_tls_ca)
        if settings.s3_tls_cert is not None:
            context.load_cert_chain(settings.s3_tls_cert, settings.s3_tls_key)
    except OSError as error:  # ssl.SSLError is one
        raise CertificateFileError(settings.s3_endpoint, error.strerror or str(error)) from error
    return PoolManager(ssl_context=context, **options)


class CertificateFileError(ArtifactsUnavailableError):
    """A file of TLS cannot be used."""

    fix = (
        "the files of S3_TLS_CA, S3_TLS_CERT and S3_TLS_KEY must be readable and in PEM format, and the key that of "
        "the certificate"
    )


class CertificateRefusedError(ArtifactsUnavailableError):
    """One side does not accept the other's certificate."""

    fix = "renew the certificate, or set S3_TLS_CA to that of its authority; S3_TLS_CERT and S3_TLS_KEY are our own"


class EncryptionRequiredError(ArtifactsUnavailableError):
    """The server accepts encrypted connections only, as far as its answer shows."""

    fix = "if it accepts https only, set S3_SECURE=true, and S3_TLS_CA if its authority is a private one"
