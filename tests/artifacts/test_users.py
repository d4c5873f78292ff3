"""MinIO users: their provisioning on a fake admin API, and their rights on a real policy engine."""

import json
import subprocess
from collections.abc import Callable, Iterator
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from uuid import uuid4

import pytest
from artifacts.admin_api import UsersUnavailableError, admin_api
from artifacts.bucket import S3OutageError
from artifacts.client import Artifacts
from artifacts.settings import S3Settings
from artifacts.users import USERS, policy, provision_users
from local_stack.servers.binaries import script
from local_stack.servers.ports import LOOPBACK
from local_stack.servers.seaweedfs import SeaweedFs
from minio.error import S3Error
from minio.minioadmin import MinioAdmin

from tests.artifacts.minio_admin import ROOT, SECRET, MinioAdminServer, minio_admin
from tests.artifacts.support import bare_client, noise

PASSWORDS = {user: f"password-of-{user}" for user in (*USERS, "recorder")}
TWO = {user: PASSWORDS[user] for user in ("planner", "engineer")}
PASSWORD = "password-of-tests"


@pytest.fixture(autouse=True)
def quick_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Derive the cipher's key by a plain hash, on both sides: with Argon2 a user costs half a second."""

    def derive(*, secret: bytes, salt: bytes, **_costs: object) -> bytes:
        return sha256(secret + salt).digest()

    monkeypatch.setattr("minio.crypto.hash_secret_raw", derive)


@pytest.fixture
def minio() -> Iterator[MinioAdminServer]:
    with minio_admin() as server:
        yield server


def settings_for(endpoint: str, root: str = ROOT) -> S3Settings:
    return S3Settings(
        s3_endpoint=endpoint, s3_access_key=root, s3_secret_key=SECRET, s3_timeout_s=20.0, s3_connect_timeout_s=0.5
    )


async def test_each_service_gets_a_user_with_a_policy(minio: MinioAdminServer):
    assert await provision_users(settings_for(minio.endpoint), PASSWORDS) == list(USERS)
    assert minio.secrets == {user: PASSWORDS[user] for user in USERS}
    assert minio.attached == {user: [f"millwright-{user}"] for user in USERS}
    assert json.dumps(minio.policies["millwright-planner"]).count("Delete") == 0


async def test_provisioning_again_changes_nothing(minio: MinioAdminServer):
    await provision_users(settings_for(minio.endpoint), TWO)
    minio.calls.clear()
    await provision_users(settings_for(minio.endpoint), TWO)
    assert not {"add-user", "remove-user"} & set(minio.calls)
    assert minio.attached == {user: [f"millwright-{user}"] for user in TWO}


async def test_existing_user_without_policy_gets_one(minio: MinioAdminServer):
    minio.secrets["planner"] = PASSWORD
    await provision_users(settings_for(minio.endpoint), {"planner": PASSWORD})
    assert minio.attached == {"planner": ["millwright-planner"]}


async def test_new_password_revokes_keys_of_the_old_one(minio: MinioAdminServer):
    await provision_users(settings_for(minio.endpoint), TWO)
    minio.further_keys = ["planner", "engineer"]
    await provision_users(settings_for(minio.endpoint), TWO | {"planner": "another-password"})
    assert minio.secrets == TWO | {"planner": "another-password"}
    assert minio.attached == {user: [f"millwright-{user}"] for user in TWO}
    assert minio.further_keys == ["engineer"]


def change_password(admin: MinioAdmin) -> str:
    return admin.user_add("planner", "chosen-by-attacker")


def create_key(admin: MinioAdmin) -> str:
    return admin.add_service_account(access_key="of-attacker", secret_key="chosen-by-attacker")  # pyright: ignore[reportUnknownMemberType]


@pytest.mark.parametrize("attempt", [change_password, create_key])
async def test_service_cannot_create_own_credentials(minio: MinioAdminServer, attempt: Callable[[MinioAdmin], str]):
    await provision_users(settings_for(minio.endpoint), {"planner": PASSWORD})
    own = settings_for(minio.endpoint).model_copy(update={"s3_access_key": "planner", "s3_secret_key": PASSWORD})
    with admin_api(own) as api, pytest.raises(UsersUnavailableError, match="AccessDenied"):
        api.call(attempt)
    minio.policies["millwright-planner"]["Statement"].pop()
    with admin_api(own) as api:
        assert api.call(attempt) is not None, "without the policy the server allows it"


async def test_starting_server_is_waited_for(minio: MinioAdminServer):
    minio.unready_calls = 2
    assert await provision_users(settings_for(minio.endpoint), {"planner": PASSWORD}) == ["planner"]


async def test_server_that_never_loads_its_users_is_an_outage(minio: MinioAdminServer):
    minio.unready_calls = 1000
    with pytest.raises(S3OutageError, match=r"XMinioServerNotInitialized.*check S3_ENDPOINT"):
        await provision_users(settings_for(minio.endpoint), {"planner": PASSWORD})
    assert len(minio.calls) > 1


async def test_password_refused_by_minio_is_reported(minio: MinioAdminServer):
    with pytest.raises(UsersUnavailableError, match=r"XMinioAdminInvalidSecretKey.*password needs 8"):
        await provision_users(settings_for(minio.endpoint), {"planner": "short"})


async def test_other_user_than_root_is_refused(minio: MinioAdminServer):
    with pytest.raises(UsersUnavailableError, match=r"InvalidAccessKeyId.*root user"):
        await provision_users(settings_for(minio.endpoint, root="another"), PASSWORDS)


async def test_other_server_is_left_unchanged(weed: SeaweedFs):
    """SeaweedFS would interpret the command to create a user as the creation of a bucket."""
    with pytest.raises(UsersUnavailableError, match=r"MinIO's admin API.*MILLWRIGHT_S3_USERS=theirs"):
        await provision_users(settings_for(weed.endpoint), PASSWORDS)


async def test_unavailable_server_is_an_outage():
    with pytest.raises(S3OutageError, match="refused"):
        await provision_users(settings_for("127.0.0.1:1"), PASSWORDS)


@pytest.fixture
def as_user(weed: SeaweedFs, tmp_path: Path) -> Callable[[str], S3Settings]:
    """Return a function that creates a user with a service's policy and returns its settings."""
    root = settings_for(weed.endpoint)

    def create(service: str) -> S3Settings:
        name = f"{service}-{uuid4().hex[:8]}"
        policy_file = tmp_path / f"{name}.json"
        policy_file.write_text(policy(service, root.s3_bucket).model_dump_json(by_alias=True), "utf-8")
        _run_in_shell(
            weed,
            f"s3.policy -put -name={name} -file={policy_file}",
            f"s3.user.create -name {name} -access_key {name} -secret_key {PASSWORD}",
            f"s3.policy.attach -policy {name} -user {name}",
        )
        new = {"s3_access_key": name, "s3_secret_key": PASSWORD, "artifacts_spool": tmp_path / name}
        return root.model_copy(update=new)

    return create


def _run_in_shell(weed: SeaweedFs, *commands: str) -> None:
    _, _, master, master_grpc, _, _, filer, filer_grpc = weed.ports
    at_master, at_filer = f"-master={LOOPBACK}:{master}.{master_grpc}", f"-filer={LOOPBACK}:{filer}.{filer_grpc}"
    shell = (str(script("weed")), "shell", at_master, at_filer)
    subprocess.run(
        shell,
        input="\n".join(commands),
        text=True,
        check=True,
        capture_output=True,
        timeout=60,
        cwd=weed.folder,  # its certificate is there
    )


async def test_user_may_only_store_and_read_blobs(as_user: Callable[[str], S3Settings]):
    settings = as_user("cad-worker")
    artifacts = Artifacts(settings)
    await artifacts.start()
    ref = await artifacts.put(noise(7, 6_000_000), "model/step")  # more than one part
    await artifacts.wait_until_uploaded([ref])
    await artifacts.stop()
    own, bucket = bare_client(settings), settings.s3_bucket
    [blob] = [each.object_name for each in own.list_objects(bucket, f"sha256/{ref.sha256[:2]}/{ref.sha256}")]
    assert blob is not None
    refused = {
        "delete": lambda: own.remove_object(bucket, blob),
        "elsewhere": lambda: own.put_object(bucket, "elsewhere", BytesIO(b"x"), 1),
        "doctor": lambda: own.put_object(bucket, "doctor/x", BytesIO(b"x"), 1),
        "bucket": lambda: own.make_bucket(f"other-{uuid4().hex}"),
        "forget": lambda: own.remove_bucket(bucket),
    }
    for name, attempt in refused.items():
        with pytest.raises(S3Error, match="AccessDenied") as error:
            attempt()
        assert error.value.code == "AccessDenied", name


def test_cli_may_delete_only_test_blobs(as_user: Callable[[str], S3Settings]):
    settings = as_user("cli")
    own, bucket = bare_client(settings), settings.s3_bucket
    own.put_object(bucket, "doctor/x", BytesIO(b"x"), 1)
    own.remove_object(bucket, "doctor/x")
    with pytest.raises(S3Error, match="AccessDenied"):
        own.remove_object(bucket, "sha256/00/x")
