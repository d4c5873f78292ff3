"""MinIO's admin API, as one user of it, each call one try. S3 knows no users: this is its makers' own."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TypeVar

from minio.credentials.providers import StaticProvider
from minio.error import MinioAdminException
from minio.minioadmin import MinioAdmin
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic.alias_generators import to_pascal
from urllib3 import PoolManager, Timeout
from urllib3.exceptions import HTTPError

from artifacts.bucket import S3OutageError, is_transient
from artifacts.port import ArtifactsUnavailableError
from artifacts.settings import S3Settings

T = TypeVar("T")


class UsersUnavailableError(ArtifactsUnavailableError):
    """The server cannot be told who its users are."""

    mend = (
        "S3_ENDPOINT must be MinIO, S3_ACCESS_KEY and S3_SECRET_KEY its root user's, and a password needs 8 letters; "
        "where users are made in another way, do so and set MILLWRIGHT_S3_USERS=theirs"
    )


class _Complaint(BaseModel):
    model_config = ConfigDict(alias_generator=to_pascal)

    code: str
    message: str = ""


class AdminApi:
    """Calls raise `AwayError` if a later try may do, or `UsersUnavailableError`."""

    def __init__(self, place: str, admin: MinioAdmin) -> None:
        self._place = place
        self._admin = admin

    def tell(self, call: Callable[[MinioAdmin], str], bearing: frozenset[str] = frozenset()) -> str | None:
        """Return what the server says to a call, or None when it complains with one of the codes `bearing`."""
        try:
            return call(self._admin)
        except (HTTPError, OSError) as error:
            raise S3OutageError(self._place, f"{type(error).__name__}: {error}") from error
        except MinioAdminException as error:
            status, body = int(error._code), error._body  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - said nowhere else
            complaint = _complaint(body)
            if complaint is not None and complaint.code in bearing:
                return None
            raise self._error(status, complaint) from error

    def answer(self, kind: "TypeAdapter[T]", ask: Callable[[MinioAdmin], str]) -> T:
        """Return what the server answers to a question."""
        said = self.tell(ask)
        try:
            return kind.validate_json(said or "")
        except ValidationError as error:
            cause = f"it does not speak MinIO's admin API ({(said or '')[:80]!r})"
            raise UsersUnavailableError(self._place, cause) from error

    def _error(self, status: int, complaint: _Complaint | None) -> ArtifactsUnavailableError:
        """Tell a server that still reads its users (503, `XMinioServerNotInitialized` and the like) from the rest."""
        if is_transient(status):
            cause = f"status {status}" if complaint is None else f"{complaint.code} ({complaint.message})"
            return S3OutageError(self._place, cause)
        if complaint is None:
            return UsersUnavailableError(self._place, f"it does not speak MinIO's admin API (status {status})")
        return UsersUnavailableError(self._place, f"{complaint.code} ({complaint.message})")


@contextmanager
def admin_api(settings: S3Settings) -> Generator[AdminApi]:
    """Talk to the server as the user whose keys `settings` names; hang up at the end."""
    pool = PoolManager(timeout=Timeout(settings.s3_timeout_s), retries=False)
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


def _complaint(body: str) -> _Complaint | None:
    """Return what MinIO says in JSON; None if it is not MinIO who speaks."""
    try:
        return _Complaint.model_validate_json(body)
    except ValidationError:
        return None
