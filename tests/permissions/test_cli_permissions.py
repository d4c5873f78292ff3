"""The cli where services run elsewhere, as in containers: as its own user and as admin."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from artifacts.client import Artifacts
from artifacts.settings import S3Settings
from cli.main import main
from doctor import Check, run_checks
from local_stack.settings import CliSettings, read_settings
from store.migrate import migrate
from store.settings import DatabaseSettings

from tests.support.guarded_server import GuardedServer

NEEDS_ADMIN = "docker compose -f deploy/compose.yaml run --rm migrate"


class Cli:
    """Runs the cli in an environment like that of a container."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys

    def set_environment(self, **environment: str) -> CliSettings:
        """Set environment variables, and return the settings."""
        for name, value in environment.items():
            self._monkeypatch.setenv(name, value)
        return read_settings()

    def run(self, *arguments: str) -> tuple[int | str | None, str]:
        """Run a command; return its exit code and its output."""
        self._monkeypatch.setattr("sys.argv", ["millwright", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code, "".join(self._capsys.readouterr())


@pytest.fixture
def cli_without_servers(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """The cli without settings of servers."""
    return Cli(monkeypatch, capsys)


@pytest.fixture
async def cli(
    cli_without_servers: Cli,
    guarded_server: GuardedServer,
    empty_database_url: str,
    s3_settings: S3Settings,
    tmp_path: Path,
) -> Cli:
    """The cli as its own user, without keys of providers."""
    await migrate(DatabaseSettings(database_url=empty_database_url))
    artifacts = Artifacts(s3_settings)
    await artifacts.start()  # creates the bucket: the stream may hold events of other tests
    await artifacts.stop()
    cli_without_servers.set_environment(
        MILLWRIGHT_SERVICES="elsewhere",
        MILLWRIGHT_DATA=str(tmp_path / "data"),
        NATS_URL=guarded_server.url("cli"),
        DATABASE_URL=empty_database_url,
        S3_ENDPOINT=s3_settings.s3_endpoint,
        S3_ACCESS_KEY=s3_settings.s3_access_key,
        S3_SECRET_KEY=s3_settings.s3_secret_key,
        ARTIFACTS_SPOOL=str(tmp_path / "spool"),
        OPENAI_API_KEY="",
        MILLWRIGHT_MODEL="openai:any",
    )
    return cli_without_servers


async def test_doctor_as_cli_skips_checks_it_may_not_make(cli: Cli, guarded_server: GuardedServer) -> None:
    refused_before = guarded_server.violations()
    checks = await _checks(cli.set_environment())
    assert _faults(checks) == []
    assert {check.name for check in checks if check.skipped} == {"machine", "consumers"}
    consumers = next(check for check in checks if check.name == "consumers")
    assert f"{NEEDS_ADMIN} doctor" in consumers.detail
    names = {check.name for check in checks}
    assert names >= {"NATS", "Postgres", "S3", "clocks", "tables", "stream", "bucket", "spool", "model"}
    assert not names & {"memory", "SeaweedFS", "data folder", "confined child", "drawing"}
    assert guarded_server.violations() == refused_before


async def test_doctor_as_admin_makes_every_check(cli: Cli, guarded_server: GuardedServer) -> None:
    checks = await _checks(cli.set_environment(NATS_URL=guarded_server.url("admin")))
    assert _faults(checks) == []
    assert {check.name for check in checks if check.skipped} == {"machine"}
    assert {check.name for check in checks} >= {"wiring"}


async def test_doctor_reports_unknown_model(cli: Cli) -> None:
    checks = [check async for check in run_checks(cli.set_environment(), probe_model="hal:9000")]
    (fault,) = _faults(checks)
    assert "'hal:9000'" in fault


@pytest.mark.parametrize("command", ["migrate", "rebuild-stream"])
def test_cli_user_cannot_run_admin_commands(cli: Cli, command: str) -> None:
    code, output = cli.run(command)
    assert code == 2
    assert output.startswith(f"millwright: `millwright {command}`")
    assert "NATS_URL" in output
    assert NEEDS_ADMIN in output
    assert "secret-of" not in output


def test_services_elsewhere_require_server_settings(cli: Cli) -> None:
    cli.set_environment(NATS_URL="", DATABASE_URL="", S3_ENDPOINT="")
    code, output = cli.run("solve", "gravity-chute")
    assert code == 2
    assert "MILLWRIGHT_SERVICES=elsewhere" in output
    assert "NATS_URL, DATABASE_URL" in output


async def _checks(settings: CliSettings) -> list[Check]:
    return [check async for check in run_checks(settings)]


def _faults(checks: Sequence[Check]) -> list[str]:
    return [finding.what for check in checks for finding in check.failures]
