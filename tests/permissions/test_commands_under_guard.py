"""The command where services run elsewhere, as in containers: as itself, and as the admin."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from artifacts.settings import S3Settings
from cli.main import main
from doctor import Check, run_checks
from local_stack.settings import CliSettings, read_settings
from store.migrate import migrate
from store.settings import DatabaseSettings

from tests.permissions.guarded import Guarded

NEEDS_ADMIN = "docker compose -f deploy/compose.yaml run --rm migrate"


class Caller:
    """Calls the command with an environment as a container has it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys

    def has(self, **environment: str) -> CliSettings:
        """Take these variables."""
        for name, value in environment.items():
            self._monkeypatch.setenv(name, value)
        return read_settings()

    def told(self, *arguments: str) -> tuple[int | str | None, str]:
        """Run a command; return its exit code and all that it says."""
        self._monkeypatch.setattr("sys.argv", ["millwright", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code, "".join(self._capsys.readouterr())


@pytest.fixture
def stranger(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Caller:
    """Somebody with an environment of his own."""
    return Caller(monkeypatch, capsys)


@pytest.fixture
async def caller(
    stranger: Caller, guarded: Guarded, empty_database_url: str, s3_settings: S3Settings, tmp_path: Path
) -> Caller:
    """The command's own container, which has no key of any provider."""
    await migrate(DatabaseSettings(database_url=empty_database_url))
    stranger.has(
        MILLWRIGHT_SERVICES="elsewhere",
        MILLWRIGHT_DATA=str(tmp_path / "data"),
        NATS_URL=guarded.url("cli"),
        DATABASE_URL=empty_database_url,
        S3_ENDPOINT=s3_settings.s3_endpoint,
        S3_ACCESS_KEY=s3_settings.s3_access_key,
        S3_SECRET_KEY=s3_settings.s3_secret_key,
        ARTIFACTS_SPOOL=str(tmp_path / "spool"),
        OPENAI_API_KEY="",
        MILLWRIGHT_MODEL="openai:any",
    )
    return stranger


async def test_as_itself_the_doctor_says_what_it_may_not_see_and_asks_for_nothing_that_is_refused(
    caller: Caller, guarded: Guarded
) -> None:
    refused_before = guarded.violations()
    checks = await _looked_at(caller.has())
    assert _faults(checks) == []
    assert {check.name for check in checks if check.skipped} == {"machine", "consumers"}
    consumers = next(check for check in checks if check.name == "consumers")
    assert f"{NEEDS_ADMIN} doctor" in consumers.detail
    names = {check.name for check in checks}
    assert names >= {"NATS", "Postgres", "S3", "clocks", "tables", "stream", "bucket", "spool", "model"}
    assert not names & {"memory", "SeaweedFS", "data folder", "confined child", "drawing"}
    assert guarded.violations() == refused_before


async def test_as_the_admin_the_doctor_sees_everything(caller: Caller, guarded: Guarded) -> None:
    checks = await _looked_at(caller.has(NATS_URL=guarded.url("admin")))
    assert _faults(checks) == []
    assert {check.name for check in checks if check.skipped} == {"machine"}
    assert {check.name for check in checks} >= {"wiring"}


async def test_a_model_that_nobody_knows_is_a_fault_wherever_the_keys_are(caller: Caller) -> None:
    checks = [check async for check in run_checks(caller.has(), probe_model="hal:9000")]
    assert _faults(checks) == ["model 'hal:9000' is unknown"]


@pytest.mark.parametrize("command", ["migrate", "rebuild-stream"])
def test_what_changes_servers_is_refused_to_the_command_s_own_user_and_says_who_may(
    caller: Caller, command: str
) -> None:
    code, told = caller.told(command)
    assert code == 2
    assert told.startswith(
        f"millwright: `millwright {command}` needs the admin's rights, but the user in NATS_URL is cli"
    )
    assert NEEDS_ADMIN in told
    assert "secret-of" not in told


def test_services_that_are_elsewhere_want_servers_to_meet_at(caller: Caller) -> None:
    caller.has(NATS_URL="", DATABASE_URL="", S3_ENDPOINT="")
    code, told = caller.told("solve", "gravity-chute")
    assert code == 2
    assert "MILLWRIGHT_SERVICES=elsewhere needs external servers: set NATS_URL, DATABASE_URL" in told


async def _looked_at(surroundings: CliSettings) -> list[Check]:
    return [check async for check in run_checks(surroundings)]


def _faults(checks: Sequence[Check]) -> list[str]:
    return [finding.what for check in checks for finding in check.failures]
