"""Client of MinIO's admin API, which manages users; S3 itself has no such API. Calls are not retried."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TypeVar

from minio.credentials.providers import StaticProvider
from minio.error import MinioAdminException
from minio.minioadmin import MinioAdmin
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic.alias_generators import to_pascal
from urllib3 import Timeout
from urllib3.exceptions import HTTPError

from artifacts.bucket import S3OutageError, is_transient
from artifacts.connections import make_pool
from artifacts.port import ArtifactsUnavailableError
from artifacts.settings import S3Settings

T = TypeVar("T")


class UsersUnavailableError(ArtifactsUnavailableError):
    """The server's users cannot be managed."""

    fix = (
        "S3_ENDPOINT must be MinIO, S3_ACCESS_KEY and S3_SECRET_KEY those of its root user, and a password needs 8 "
        "characters; for another server, create the users yourself and set MILLWRIGHT_S3_USERS=theirs"
    )


class _ErrorReply(BaseModel):
    model_config = ConfigDict(alias_generator=to_pascal)

    code: str
    message: str = ""


class AdminApi:
    """Calls raise `S3OutageError` if a retry may succeed, or `UsersUnavailableError`."""

    def __init__(self, endpoint: str, admin: MinioAdmin) -> None:
        self._endpoint = endpoint
        self._admin = admin

    def call(self, function: Callable[[MinioAdmin], str], ignored_codes: frozenset[str] = frozenset()) -> str | None:
        """Return the reply to a call, or None if it fails with one of `ignored_codes`."""
        try:
            return function(self._admin)
        except (HTTPError, OSError) as error:
            raise S3OutageError(self._endpoint, f"{type(error).__name__}: {error}") from error
        except MinioAdminException as error:
            status, body = int(error._code), error._body  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - not public
            reply = _error_reply(body)
            if reply is not None and reply.code in ignored_codes:
                return None
            raise self._error(status, reply) from error

    def query(self, kind: "TypeAdapter[T]", function: Callable[[MinioAdmin], str]) -> T:
        """Return the parsed reply to a call."""
        reply = self.call(function)
        try:
            return kind.validate_json(reply or "")
        except ValidationError as error:
            cause = f"it does not speak MinIO's admin API ({(reply or '')[:80]!r})"
            raise UsersUnavailableError(self._endpoint, cause) from error

    def _error(self, status: int, reply: _ErrorReply | None) -> ArtifactsUnavailableError:
        """Return an outage for transient errors, such as 503 `XMinioServerNotInitialized` of a starting server."""
        if is_transient(status):
            cause = f"status {status}" if reply is None else f"{reply.code} ({reply.message})"
            return S3OutageError(self._endpoint, cause)
        if reply is None:
            return UsersUnavailableError(self._endpoint, f"it does not speak MinIO's admin API (status {status})")
        return UsersUnavailableError(self._endpoint, f"{reply.code} ({reply.message})")


@contextmanager
def admin_api(settings: S3Settings) -> Generator[AdminApi]:
    """Connect as the user with the keys in `settings`, and disconnect at the end."""
    pool = make_pool(settings, timeout=Timeout(settings.s3_timeout_s), retries=False)
    admin = MinioAdmin(
        endpoint=settings.s3_endpoint,
        credentials=StaticProvider(settings.s3_access_key, settings.s3_secret_key),
        region=settings.s3_region,
        secure=settings.s3_secure,
        http_client=pool,
    )
    try:
        yield AdminApi(settings.s3_endpoint, admin)
    finally:
        pool.clear()


def _error_reply(body: str) -> _ErrorReply | None:
    """Return MinIO's error reply; None if it is not from MinIO."""
    try:
        return _ErrorReply.model_validate_json(body)
    except ValidationError:
        return None
