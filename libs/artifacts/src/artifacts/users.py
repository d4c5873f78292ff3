"""MinIO users: one for each service that uses blobs, which may read and add blobs but not delete them.

A user's access key is the name of the service, its secret key the password.
"""

import asyncio
from collections.abc import Mapping
from typing import Literal

from contracts.envelope import SERVICES
from pydantic import BaseModel, ConfigDict, TypeAdapter
from pydantic.alias_generators import to_camel, to_pascal

from artifacts.admin_api import AdminApi, UsersUnavailableError, admin_api
from artifacts.retry import retry_within
from artifacts.settings import S3Settings

USERS = tuple(service for service in SERVICES if service != "recorder")
"""The services that use blobs."""
INSPECTS = "cli"
"""Its `doctor` stores a small blob, reads it back and deletes it."""
ALREADY_ATTACHED = frozenset({"XMinioAdminPolicyChangeAlreadyApplied"})
NO_SUCH_USER = frozenset({"XMinioAdminNoSuchUser"})
LOGIN_REFUSED = frozenset({"InvalidAccessKeyId", "SignatureDoesNotMatch", "AccessDenied"})
"""Error codes for an unknown user, a wrong password, and a user without any rights."""


class Statement(BaseModel):
    """A statement of an S3 policy: allowed or denied actions on resources."""

    model_config = ConfigDict(alias_generator=to_pascal, populate_by_name=True)

    effect: Literal["Allow", "Deny"] = "Allow"
    action: tuple[str, ...]
    resource: tuple[str, ...]


class Policy(BaseModel):
    """An S3 policy: all rights of a user."""

    model_config = ConfigDict(alias_generator=to_pascal, populate_by_name=True)

    version: Literal["2012-10-17"] = "2012-10-17"
    statement: tuple[Statement, ...]


class _User(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel)

    policy_name: str = ""
    status: str = ""


DENY_NEW_KEYS = Statement(
    effect="Deny",
    action=("admin:CreateUser", "admin:CreateServiceAccount"),
    # MinIO ignores this resource; SeaweedFS denies everything to users with a statement without one
    resource=("arn:aws:s3:::*",),
)
"""Unless denied, MinIO lets users change their own password and create further keys that outlive it. No policy can deny
temporary keys (AssumeRole); they are signed with the root user's password and become invalid with it."""


def policy(service: str, bucket: str) -> Policy:
    """Return the policy of a service. Without `ListBucket`, S3 reports a missing blob as forbidden."""
    bucket_arn = f"arn:aws:s3:::{bucket}"
    read_and_add = ("s3:GetObject", "s3:PutObject", "s3:AbortMultipartUpload")
    statements = [
        Statement(action=("s3:ListBucket",), resource=(bucket_arn,)),
        Statement(action=read_and_add, resource=(f"{bucket_arn}/sha256/*",)),
    ]
    if service == INSPECTS:
        test_blob = ("s3:GetObject", "s3:PutObject", "s3:DeleteObject")
        statements.append(Statement(action=test_blob, resource=(f"{bucket_arn}/doctor/*",)))
    return Policy(statement=(*statements, DENY_NEW_KEYS))


async def provision_users(settings: S3Settings, passwords: Mapping[str, str]) -> list[str]:
    """Create or update the users of the services in `passwords`, with their rights, and return their names.

    Raises `UsersUnavailableError`, or `S3OutageError` if the server is not able to within `s3_connect_timeout_s`: MinIO
    reports that it is ready some time before it has loaded its users.
    """
    chosen = {user: passwords[user] for user in USERS if user in passwords}
    await retry_within(settings.s3_connect_timeout_s, lambda: asyncio.to_thread(_provision_all, settings, chosen))
    return list(chosen)


def _provision_all(settings: S3Settings, passwords: Mapping[str, str]) -> None:
    with admin_api(settings) as root:
        # This query comes first because another server may accept the following calls as creations of buckets.
        root.query(TypeAdapter(dict[str, object]), lambda admin: admin.policy_list())
        for user, password in passwords.items():
            _provision(settings, root, user, password)


def _provision(settings: S3Settings, root: AdminApi, user: str, password: str) -> None:
    name = f"millwright-{user}"
    rights = policy(user, settings.s3_bucket).model_dump(mode="json", by_alias=True)
    root.call(lambda admin: admin.policy_add(name, policy=rights))  # pyright: ignore[reportUnknownMemberType]
    if not _can_log_in(settings, user, password):
        # Removing the user, unlike changing its password, also removes further keys that it has created.
        root.call(lambda admin: admin.user_remove(user), ignored_codes=NO_SUCH_USER)
        root.call(lambda admin: admin.user_add(user, password))
    root.call(lambda admin: admin.attach_policy([name], user=user), ignored_codes=ALREADY_ATTACHED)
    state = root.query(TypeAdapter(_User), lambda admin: admin.user_info(user))
    if state.status != "enabled" or name not in state.policy_name.split(","):
        raise UsersUnavailableError(
            settings.s3_endpoint, f"user {user} is {state.status} with {state.policy_name or 'no policy'}"
        )


def _can_log_in(settings: S3Settings, user: str, password: str) -> bool:
    keys = {"s3_access_key": user, "s3_secret_key": password}
    with admin_api(settings.model_copy(update=keys)) as api:
        return api.call(lambda admin: admin.user_info(user), ignored_codes=LOGIN_REFUSED) is not None
