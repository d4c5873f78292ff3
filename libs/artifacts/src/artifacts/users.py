"""A key of its own in MinIO for each service, which reads and adds blobs and deletes none.

S3 knows no users: this is MinIO's admin API, by its makers' client. A service's access key is its name, its secret key
its password.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Literal, TypeVar

from minio.credentials.providers import StaticProvider
from minio.error import MinioAdminException
from minio.minioadmin import MinioAdmin
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel, to_pascal
from urllib3 import PoolManager, Timeout
from urllib3.exceptions import HTTPError

from artifacts.bucket import AwayError
from artifacts.port import ArtifactsUnavailableError
from artifacts.settings import S3Settings

USERS = ("cli", "planner", "engineer", "critic", "skill-learner", "catalog", "cad-worker", "sim-worker")
"""Who works with blobs; the others have no business there."""
TRIES_OUT = "cli"
"""Its `doctor` stores a small blob, reads it back and removes it."""
ALREADY = "XMinioAdminPolicyChangeAlreadyApplied"

T = TypeVar("T")


class UsersUnavailableError(ArtifactsUnavailableError):
    """The server cannot be told who its users are."""

    mend = (
        "S3_ENDPOINT must be MinIO, S3_ACCESS_KEY and S3_SECRET_KEY its root user's, and a password needs 8 letters; "
        "where users are made in another way, do so and set MILLWRIGHT_S3_USERS=theirs"
    )


class Statement(BaseModel):
    """Things that may be done, and to what, in the language of S3's policies."""

    model_config = ConfigDict(alias_generator=to_pascal, populate_by_name=True)

    effect: Literal["Allow"] = "Allow"
    action: tuple[str, ...]
    resource: tuple[str, ...]


class Policy(BaseModel):
    """All that a user may do."""

    model_config = ConfigDict(alias_generator=to_pascal, populate_by_name=True)

    version: Literal["2012-10-17"] = "2012-10-17"
    statement: tuple[Statement, ...]


class _Complaint(BaseModel):
    model_config = ConfigDict(alias_generator=to_pascal)

    code: str
    message: str = ""


class _User(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel)

    policy_name: str = ""
    status: str = ""


def policy(service: str, bucket: str) -> Policy:
    """Return what a service may do: without `ListBucket`, S3 would call a missing blob a forbidden one."""
    place = f"arn:aws:s3:::{bucket}"
    statements = [
        Statement(action=("s3:ListBucket",), resource=(place,)),
        Statement(action=("s3:GetObject", "s3:PutObject", "s3:AbortMultipartUpload"), resource=(f"{place}/sha256/*",)),
    ]
    if service == TRIES_OUT:
        trial = ("s3:GetObject", "s3:PutObject", "s3:DeleteObject")
        statements.append(Statement(action=trial, resource=(f"{place}/doctor/*",)))
    return Policy(statement=tuple(statements))


async def provide_users(settings: S3Settings, passwords: Mapping[str, str]) -> list[str]:
    """Make the users of these services, or give them these passwords and rights; return their names.

    Raises `UsersUnavailableError`, or `AwayError` when nobody answers.
    """
    users = [each for each in USERS if each in passwords]
    await asyncio.to_thread(_provide_all, settings, {user: passwords[user] for user in users})
    return users


def _provide_all(settings: S3Settings, passwords: Mapping[str, str]) -> None:
    pool = PoolManager(timeout=Timeout(settings.s3_timeout_s), retries=False)
    admin = MinioAdmin(
        endpoint=settings.s3_endpoint,
        credentials=StaticProvider(settings.s3_access_key, settings.s3_secret_key),
        region=settings.s3_region,
        secure=settings.s3_secure,
        http_client=pool,
    )
    try:
        # First, since a server that is not MinIO may take what follows for buckets to be made and say yes.
        _answer(settings, TypeAdapter(dict[str, object]), admin.policy_list)
        for user, password in passwords.items():
            _provide(settings, admin, user, password)
    finally:
        pool.clear()


def _provide(settings: S3Settings, admin: MinioAdmin, user: str, password: str) -> None:
    name = f"millwright-{user}"
    rights = policy(user, settings.s3_bucket).model_dump(mode="json", by_alias=True)
    _tell(settings, lambda: admin.policy_add(name, policy=rights))  # pyright: ignore[reportUnknownMemberType]
    _tell(settings, lambda: admin.user_add(user, password))
    _tell(settings, lambda: admin.attach_policy([name], user=user), bearing=ALREADY)
    seen = _answer(settings, TypeAdapter(_User), lambda: admin.user_info(user))
    if seen.status != "enabled" or name not in seen.policy_name.split(","):
        raise UsersUnavailableError(
            settings.s3_endpoint, f"user {user} is {seen.status} with {seen.policy_name or 'no policy'}"
        )


def _answer(settings: S3Settings, kind: "TypeAdapter[T]", ask: Callable[[], str]) -> T:
    said = _tell(settings, ask)
    try:
        return kind.validate_json(said)
    except ValidationError as error:
        raise UsersUnavailableError(
            settings.s3_endpoint, f"it does not speak MinIO's admin API ({said[:80]!r})"
        ) from error


def _tell(settings: S3Settings, call: Callable[[], str], bearing: str | None = None) -> str:
    """Call; a complaint of the code `bearing` is none."""
    try:
        return call()
    except (HTTPError, OSError) as error:
        raise AwayError(settings.s3_endpoint, f"{type(error).__name__}: {error}") from error
    except MinioAdminException as error:
        status, body = error._code, error._body  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - said nowhere else
        complaint = _complaint(body)
        if complaint is None:
            cause = f"it does not speak MinIO's admin API (status {status})"
            raise UsersUnavailableError(settings.s3_endpoint, cause) from error
        if complaint.code != bearing:
            raise UsersUnavailableError(settings.s3_endpoint, f"{complaint.code} ({complaint.message})") from error
        return ""


def _complaint(body: str) -> _Complaint | None:
    """Return what MinIO says in JSON; None if it is not MinIO who speaks."""
    try:
        return _Complaint.model_validate_json(body)
    except ValidationError:
        return None
