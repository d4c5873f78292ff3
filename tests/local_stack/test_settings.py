"""Settings: empty variables count as unset, as compose files pass them, and the data folder follows the checkout."""

import shutil
from pathlib import Path

import pytest
from agent.model.role_model import model_problem
from agent.settings import ModelSettings, RoleSettings
from artifacts.settings import S3Settings
from chassis.settings import BusSettings
from local_stack import settings as settings_module
from local_stack.service_apps import build_detached_apps
from local_stack.settings import CliSettings, find_checkout, passwords_of, read_settings
from pydantic import SecretStr
from pydantic_settings import BaseSettings
from store.settings import DatabaseSettings

from tests.architecture.repository import ROOT


def all_settings(parent: type[BaseSettings] = BaseSettings) -> set[type[BaseSettings]]:
    """Return all our settings classes that are loaded."""
    children = set(parent.__subclasses__())
    ours = {each for each in children if each.__module__.endswith("settings")}
    return ours | {each for child in children for each in all_settings(child)}


def test_settings_ignore_empty_variables() -> None:
    assert len(build_detached_apps()) == 12  # all services are loaded
    known = all_settings()
    assert known >= {BusSettings, DatabaseSettings, ModelSettings, RoleSettings, S3Settings, CliSettings}
    assert {"planner.settings", "sim_worker.settings"} <= {each.__module__ for each in known}
    assert [each for each in known if not each.model_config.get("env_ignore_empty")] == []


def test_empty_key_and_address_count_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "")
    settings = ModelSettings()
    assert (settings.openai_api_key, settings.openai_base_url, settings.anthropic_api_key) == (None, None, None)
    assert "OPENAI_API_KEY (in containers: in deploy/.env" in str(model_problem("openai:any"))
    assert "ANTHROPIC_API_KEY (in containers: in deploy/.env" in str(model_problem("anthropic:any"))


@pytest.mark.parametrize("model", ["openai:any", "anthropic:any", "azure_openai:any"])
def test_model_with_an_empty_key_is_refused(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    problem = model_problem(model, ModelSettings(openai_api_key=SecretStr(""), anthropic_api_key=SecretStr("")))
    assert "API_KEY" in str(problem)


def test_empty_password_makes_no_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MILLWRIGHT_PLANNER_PASSWORD", "")
    monkeypatch.setenv("MILLWRIGHT_CRITIC_PASSWORD", "given")
    assert passwords_of(("critic", "planner")) == {"critic": "given"}


def test_checkout_is_found_from_code_inside_it_only(tmp_path: Path) -> None:
    assert find_checkout() == ROOT
    package = tmp_path / ".venv" / "lib" / "site-packages" / "local_stack" / "settings.py"
    assert find_checkout(package) is None
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "another"\n')
    (tmp_path / "uv.lock").touch()
    assert find_checkout(package) is None
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    assert find_checkout(package) == tmp_path


def test_data_folder_defaults_to_the_checkout_else_the_users_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MILLWRIGHT_DATA", raising=False)
    assert read_settings().millwright_data == ROOT / ".millwright" / "data"
    monkeypatch.setattr(settings_module, "find_checkout", lambda: None)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert read_settings().millwright_data == tmp_path / ".local" / "share" / "millwright"
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert read_settings().millwright_data == tmp_path / "data" / "millwright"
    monkeypatch.setenv("MILLWRIGHT_DATA", str(tmp_path / "mine"))
    assert read_settings().millwright_data == tmp_path / "mine"
