"""`millwright backup` and `up`: where backups go, which failures end a command, and which do not."""

import asyncio
import os
from collections.abc import Callable
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from uuid import uuid4

import pytest
from artifacts.settings import S3Settings
from cli.administration import create_backup_bucket
from cli.backup_access import file_system_of
from cli.commands.backup import serve_next
from cli.commands.machine.up import backups_made
from local_stack.errors import UserError
from local_stack.servers.binaries import postgres_installation
from local_stack.settings import CliSettings
from rich.console import Console
from store.backup_requests import BackupRequests

from tests.backups.conftest import Recorded
from tests.backups.test_rotten_files import flip, spoil
from tests.cli.conftest import RunCommand, run_command

__all__ = ["run_command"]

QUIET = Console(quiet=True)
SECOND = {
    "millwright_backups_s3_endpoint": "vault.example:9000",
    "millwright_backups_s3_access_key": "theirs",
    "millwright_backups_s3_secret_key": "secret",
}


@pytest.fixture
async def environment(recorded: Recorded, s3_settings: S3Settings, tmp_path: Path) -> dict[str, str]:
    """Variables of external servers with the recorded run, to which nothing is connected."""
    await recorded.backups.database.engine.dispose()
    return {
        "DATABASE_URL": recorded.backups.tools.database_url,
        "S3_ENDPOINT": s3_settings.s3_endpoint,
        "S3_ACCESS_KEY": s3_settings.s3_access_key,
        "S3_SECRET_KEY": s3_settings.s3_secret_key,
        "S3_BUCKET": recorded.backups.bucket.location.split()[1],
        "ARTIFACTS_SPOOL": str(tmp_path / "spool"),
        "PATH": f"{postgres_installation() / 'bin'}:{os.environ['PATH']}",  # this machine's may be too old
    }


def called(run_command: RunCommand, *arguments: str, **environment: str) -> tuple[int, str]:
    """Run a command; return its code and all that it printed."""
    result = run_command(*arguments, **environment)
    return result.code, " ".join((result.output + result.errors).split())


def test_backup_of_external_servers_needs_a_place_that_lasts(run_command: RunCommand) -> None:
    result = run_command("backup", "create", DATABASE_URL="postgresql://admin:p@127.0.0.1:1/m", MILLWRIGHT_BACKUPS="")
    assert result.code == 2
    assert "Set MILLWRIGHT_BACKUPS or --where" in result.errors


@pytest.mark.parametrize(("mount", "kind"), [("/", "overlay"), ("/mnt/back ups", "ext4"), ("/run", "tmpfs")])
def test_file_system_of_a_folder_is_that_of_its_mount(
    mount: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        "22 1 0:20 / / rw - overlay overlay rw\n"
        "23 22 8:1 / /mnt/back\\040ups rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
        "24 22 0:21 / /run rw - tmpfs tmpfs rw\n"
    )
    monkeypatch.setattr("cli.backup_access.MOUNTS", mounts)
    assert file_system_of(Path(mount) / "not" / "there") == kind


def test_commands_name_what_is_rotten_and_go_on(
    recorded: Recorded, environment: dict[str, str], run_command: RunCommand, tmp_path: Path
) -> None:
    environment["MILLWRIGHT_BACKUPS"] = str(tmp_path / "kept")
    rotten = min(recorded.stored)
    asyncio.run(spoil(recorded, rotten))
    code, printed = called(run_command, "backup", "create", **environment)
    assert code == 1, printed
    assert f"artifact {rotten} is corrupt" in printed
    assert "S3_ACCESS_KEY" not in printed
    (manifest,) = (tmp_path / "kept" / "manifests").iterdir()
    (manifest.parent / "2020-01-01T00-00-00Z.json").write_text("{")
    for command in ("list", "verify"):
        code, printed = called(run_command, "backup", command, **environment)
        assert code == 0, printed
        assert "2020-01-01T00-00-00Z.json" in printed
        assert manifest.stem in printed
    code, printed = called(run_command, "backup", "restore", "--replace", **environment)
    assert code == 1, printed
    assert f"restored {manifest.stem}" in printed
    assert rotten in printed
    assert printed.index("millwright rebuild-stream") < printed.index("millwright migrate")


def test_bucket_for_backups_is_created_by_migrate_and_by_create(
    environment: dict[str, str], run_command: RunCommand
) -> None:
    by_migrate, by_create = f"backups-{uuid4().hex}", f"backups-{uuid4().hex}"
    code, printed = called(run_command, "backup", "list", "--where", f"s3:{by_migrate}", **environment)
    assert (code, "there is no bucket" in printed) == (2, True), printed
    settings = CliSettings.model_validate({**_lower(environment), "millwright_backups": f"s3:{by_migrate}"})
    (line,) = asyncio.run(create_backup_bucket(settings))
    assert by_migrate in line
    code, printed = called(run_command, "backup", "list", "--where", f"s3:{by_migrate}", **environment)
    assert (code, "no backups yet" in printed) == (0, True), printed
    code, printed = called(run_command, "backup", "create", "--where", f"s3:{by_create}", **environment)
    assert f"in bucket {by_create}" in printed, printed


def _lower(environment: dict[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in environment.items()}


def test_second_server_for_backups_has_its_own_address_and_keys(
    environment: dict[str, str], run_command: RunCommand
) -> None:
    """The endpoint of the artifacts is that of the backups under another name; its keys are given apart."""
    host, _, port = environment["S3_ENDPOINT"].partition(":")
    second = {
        "MILLWRIGHT_BACKUPS": f"s3:backups-{uuid4().hex}",
        "MILLWRIGHT_BACKUPS_S3_ENDPOINT": f"{'localhost' if host == '127.0.0.1' else host}:{port}",
        "MILLWRIGHT_BACKUPS_S3_ACCESS_KEY": environment["S3_ACCESS_KEY"],
        "MILLWRIGHT_BACKUPS_S3_SECRET_KEY": environment["S3_SECRET_KEY"],
    }
    _, printed = called(run_command, "backup", "create", **environment, **second)
    assert second["MILLWRIGHT_BACKUPS_S3_ENDPOINT"] in printed
    code, printed = called(run_command, "backup", "verify", **environment, **second)
    assert (code, "is complete" in printed) == (0, True), printed
    wrong = second | {"MILLWRIGHT_BACKUPS_S3_SECRET_KEY": "wrong"}
    code, printed = called(run_command, "backup", "verify", **environment, **wrong)
    assert (code, second["MILLWRIGHT_BACKUPS_S3_ENDPOINT"] in printed) == (2, True), printed


def test_second_server_is_used_with_nothing_of_the_first(s3_settings: S3Settings) -> None:
    first = s3_settings.model_copy(update={"s3_tls_cert": Path("/first.pem"), "s3_secure": True})
    found = CliSettings(**SECOND).backup_s3("s3:millwright", first)  # pyright: ignore[reportArgumentType]
    assert found is not None
    assert (found.s3_endpoint, found.s3_access_key, found.s3_secret_key) == tuple(SECOND.values())
    assert (found.s3_bucket, found.s3_secure, found.s3_tls_cert) == ("millwright", False, None)


@pytest.mark.parametrize(
    ("settings", "place", "problem"),
    [
        ({}, "s3:millwright", "has the artifacts themselves"),
        ({}, "s3:No_Bucket", "S3_BUCKET"),
        (dict(list(SECOND.items())[:2]), "s3:backups", "MILLWRIGHT_BACKUPS_S3_SECRET_KEY is not"),
        ({**SECOND, "millwright_backups_s3_endpoint": "https://vault"}, "s3:backups", "host:port"),
    ],
)
def test_place_that_cannot_have_backups_is_refused(
    settings: dict[str, str], place: str, problem: str, s3_settings: S3Settings
) -> None:
    with pytest.raises(UserError, match=problem):
        CliSettings(**settings).backup_s3(place, s3_settings)  # pyright: ignore[reportArgumentType]


@pytest.mark.sample(1)
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), ValueError("a truncated manifest")])
async def test_failed_backup_is_a_failed_request_and_the_next_one_is_made(
    recorded: Recorded, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = BackupRequests(recorded.backups.database.engine)
    asked = await requests.request(uuid4())
    with monkeypatch.context() as patch:
        patch.setattr("backups.backup.PostgresTools.dump", _raising(error))
        assert await serve_next(requests, recorded.backups, 7, QUIET)
    failed = await requests.find(asked.id)
    assert failed is not None
    assert (failed.state, str(error.args[-1]) in (failed.problem or "")) == ("failed", True)
    again = await requests.request(uuid4())
    assert await serve_next(requests, recorded.backups, 7, QUIET)
    made = await requests.find(again.id)
    assert made is not None
    assert made.state == "made"


async def test_requested_backup_says_what_it_lacks(recorded: Recorded, tmp_path: Path) -> None:
    requests, rotten = BackupRequests(recorded.backups.database.engine), min(recorded.stored)
    await recorded.backups.create(datetime(2026, 11, 24, tzinfo=UTC))
    flip(next((tmp_path / "kept" / "artifacts").rglob(rotten)))
    await spoil(recorded, rotten)
    asked = await requests.request(uuid4())
    await serve_next(requests, recorded.backups, 7, QUIET)
    made = await requests.find(asked.id)
    assert made is not None
    assert (made.state, rotten in (made.problem or "")) == ("made", True)


def _raising(error: Exception) -> Callable[..., object]:
    async def fail(*_: object) -> None:
        raise error

    return fail


async def test_up_goes_on_when_backups_cannot_be_made_and_tries_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []
    again, printed = asyncio.Event(), StringIO()

    async def fail(*_: object) -> int:
        tried.append("")
        if len(tried) > 1:
            again.set()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("cli.commands.machine.up.serve_requests", fail)
    monkeypatch.setattr("cli.commands.machine.up.RETRY_S", 0.0)
    async with backups_made(CliSettings(database_url=None, nats_url=None), Console(file=printed)):
        await again.wait()
    assert "No space left on device" in printed.getvalue()
