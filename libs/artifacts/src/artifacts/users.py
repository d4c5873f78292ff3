"""A key of its own in MinIO for each service, which reads and adds blobs and deletes none.

A service's access key is its name, its secret key its password.
"""

import asyncio
from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter
from pydantic.alias_generators import to_camel, to_pascal

from artifacts.admin_api import AdminApi, UsersUnavailableError, admin_api
from artifacts.retry import wait_within
from artifacts.settings import S3Settings

USERS = ("cli", "planner", "engineer", "critic", "skill-learner", "catalog", "cad-worker", "sim-worker")
"""Who works with blobs; the others have no business there."""
TRIES_OUT = "cli"
"""Its `doctor` stores a small blob, reads it back and removes it."""
ALREADY = frozenset({"XMinioAdminPolicyChangeAlreadyApplied"})
UNKNOWN = frozenset({"XMinioAdminNoSuchUser"})
NOT_LET_IN = frozenset({"InvalidAccessKeyId", "SignatureDoesNotMatch", "AccessDenied"})
"""What MinIO says to a stranger, to a wrong password, and to a user who has no rights at all."""


class Statement(BaseModel):
    """Things that may be done, or may not, and to what, in the language of S3's policies."""

    model_config = ConfigDict(alias_generator=to_pascal, populate_by_name=True)

    effect: Literal["Allow", "Deny"] = "Allow"
    action: tuple[str, ...]
    resource: tuple[str, ...]


class Policy(BaseModel):
    """All that a user may do."""

    model_config = ConfigDict(alias_generator=to_pascal, populate_by_name=True)

    version: Literal["2012-10-17"] = "2012-10-17"
    statement: tuple[Statement, ...]


class _User(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel)

    policy_name: str = ""
    status: str = ""


NO_SECOND_KEY = Statement(
    effect="Deny",
    action=("admin:CreateUser", "admin:CreateServiceAccount"),
    # MinIO ignores what it says here; SeaweedFS refuses everything to whoever has a statement without it
    resource=("arn:aws:s3:::*",),
)
"""Unless it is denied, MinIO lets users change their own password, and make themselves keys that outlive it. Temporary
keys (AssumeRole) no policy denies; they are signed with the root user's password, and end with that one."""


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
    return Policy(statement=(*statements, NO_SECOND_KEY))


async def provision_users(settings: S3Settings, passwords: Mapping[str, str]) -> list[str]:
    """Make the users of these services, or give them these passwords and rights; return their names.

    Raises `UsersUnavailableError`, or `AwayError` when the server is not able to for `s3_connect_timeout_s`: MinIO
    says that it is ready some time before it has read who its users are.
    """
    chosen = {user: passwords[user] for user in USERS if user in passwords}
    await wait_within(settings.s3_connect_timeout_s, lambda: asyncio.to_thread(_provide_all, settings, chosen))
    return list(chosen)


def _provide_all(settings: S3Settings, passwords: Mapping[str, str]) -> None:
    with admin_api(settings) as root:
        # First, since a server that is not MinIO may take what follows for buckets to be made and say yes.
        root.answer(TypeAdapter(dict[str, object]), lambda admin: admin.policy_list())
        for user, password in passwords.items():
            _provide(settings, root, user, password)


def _provide(settings: S3Settings, root: AdminApi, user: str, password: str) -> None:
    name = f"millwright-{user}"
    rights = policy(user, settings.s3_bucket).model_dump(mode="json", by_alias=True)
    root.tell(lambda admin: admin.policy_add(name, policy=rights))  # pyright: ignore[reportUnknownMemberType]
    if not _is_let_in(settings, user, password):
        # Not just another password: further keys that the user made itself go with it.
        root.tell(lambda admin: admin.user_remove(user), bearing=UNKNOWN)
        root.tell(lambda admin: admin.user_add(user, password))
    root.tell(lambda admin: admin.attach_policy([name], user=user), bearing=ALREADY)
    seen = root.answer(TypeAdapter(_User), lambda admin: admin.user_info(user))
    if seen.status != "enabled" or name not in seen.policy_name.split(","):
        raise UsersUnavailableError(
            settings.s3_endpoint, f"user {user} is {seen.status} with {seen.policy_name or 'no policy'}"
        )


def _is_let_in(settings: S3Settings, user: str, password: str) -> bool:
    keys = {"s3_access_key": user, "s3_secret_key": password}
    with admin_api(settings.model_copy(update=keys)) as api:
        return api.tell(lambda admin: admin.user_info(user), bearing=NOT_LET_IN) is not None
