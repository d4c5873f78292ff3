"""Passwords of the containers: random ones by deploy/make-env, and a refusal of the public ones. Needs no engine."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from cli.administration import require_own_passwords
from local_stack.errors import UserError
from local_stack.settings import CliSettings

from tests.architecture.repository import ROOT
from tests.deploy.containers.passwords import example_variables

VALID = re.compile(r"[A-Za-z][A-Za-z0-9-]{31,}")


@pytest.fixture
def deploy(tmp_path: Path) -> Path:
    for name in ("make-env", ".env.example"):
        shutil.copy2(ROOT / "deploy" / name, tmp_path / name)
    return tmp_path


def make_env(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run((str(folder / "make-env"), *options), capture_output=True, text=True, check=False)


def variables_of(file: Path) -> dict[str, str]:
    lines = file.read_text("utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def test_written_passwords_are_random_and_private(deploy: Path) -> None:
    assert make_env(deploy).returncode == 0
    example, written = example_variables(), variables_of(deploy / ".env")
    public = {name for name, value in example.items() if value.startswith("change-")}
    assert len(public) == 17
    assert {name for name in written if written[name] != example[name]} == public
    assert all(VALID.fullmatch(written[name]) for name in public)
    assert len({written[name] for name in public}) == len(public)
    assert (deploy / ".env").stat().st_mode & 0o777 == 0o600
    comments = [line for line in (deploy / ".env").read_text("utf-8").splitlines() if line.startswith("#")]
    assert comments == [line for line in (deploy / ".env.example").read_text("utf-8").splitlines() if line[:1] == "#"]


def test_file_that_exists_is_kept(deploy: Path) -> None:
    (deploy / ".env").write_text("MILLWRIGHT_MODEL=openai:mine\n")
    assert make_env(deploy).returncode == 2
    assert (deploy / ".env").read_text() == "MILLWRIGHT_MODEL=openai:mine\n"


@pytest.mark.parametrize("line", ["", "MILLWRIGHT_CRITIC_PASSWORD=\n", "MILLWRIGHT_CRITIC_PASSWORD='' # none\n"])
def test_update_adds_what_is_missing_and_changes_nothing_else(deploy: Path, line: str) -> None:
    make_env(deploy)
    whole = (deploy / ".env").read_text("utf-8")
    (given,) = (each for each in whole.splitlines(keepends=True) if each.startswith("MILLWRIGHT_CRITIC_PASSWORD="))
    lacking = whole.replace(given, line) + "MINE='kept as it is'"
    (deploy / ".env").write_text(lacking)
    refused = make_env(deploy)
    assert refused.returncode == 2
    assert "lacks MILLWRIGHT_CRITIC_PASSWORD: add them with deploy/make-env --update" in refused.stderr
    assert make_env(deploy, "--update").returncode == 0
    updated = (deploy / ".env").read_text("utf-8")
    assert updated.startswith(f"{lacking}\n")
    added = updated.removeprefix(f"{lacking}\n")
    assert VALID.fullmatch(added.removeprefix("MILLWRIGHT_CRITIC_PASSWORD=").strip())
    assert make_env(deploy, "--update").returncode == make_env(deploy).returncode == 0
    assert (deploy / ".env").read_text("utf-8") == updated


def test_variable_that_an_update_adds_is_named_with_its_remedy() -> None:
    """Compose stops with this text as its error."""
    required = re.findall(r"\$\{(\w+):\?([^}]*)\}", (ROOT / "deploy/compose.yaml").read_text("utf-8"))
    assert {name for name, _ in required} == {name for name in example_variables() if name != "MILLWRIGHT_MODEL"}
    assert {remedy for _, remedy in required} == {"run deploy/make-env --update"}


def settings(**variables: object) -> CliSettings:
    servers = {
        "nats_url": "nats://admin:change-admin@nats:4222",
        "database_url": "postgresql://admin:p0123456789@postgres:5432/millwright",
        "s3_secret_key": "change-millwright",
    }
    return CliSettings.model_validate({**servers, **variables})


def test_public_passwords_are_refused_by_name() -> None:
    with pytest.raises(UserError, match=r"^3 passwords .* \(NATS_URL, S3_SECRET_KEY, critic\)") as refusal:
        require_own_passwords({"critic": "change-critic", "planner": "p0123456789"}, settings())
    assert "change-critic" not in str(refusal.value)


def test_public_passwords_are_accepted_when_a_test_asks_for_it() -> None:
    require_own_passwords({"critic": "change-critic"}, settings(millwright_example_passwords=True))


def test_own_passwords_pass() -> None:
    own = settings(nats_url="nats://admin:p01@nats:4222", s3_secret_key="p02")
    require_own_passwords({"critic": "p03"}, own)
