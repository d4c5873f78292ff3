"""A variable that is set to nothing, as compose files do with what a user left out, is not set at all."""

import pytest
from agent.model.role_model import check
from agent.settings import ModelSettings, RoleSettings
from artifacts.settings import S3Settings
from chassis.settings import BusSettings
from local_stack.service_apps import build_detached_apps
from local_stack.settings import CliSettings, service_passwords
from pydantic import SecretStr
from pydantic_settings import BaseSettings
from store.settings import DatabaseSettings


def every_settings(parent: type[BaseSettings] = BaseSettings) -> set[type[BaseSettings]]:
    """Return all settings classes of ours that are loaded."""
    children = set(parent.__subclasses__())
    ours = {each for each in children if each.__module__.endswith("settings")}
    return ours | {each for child in children for each in every_settings(child)}


def test_no_settings_take_an_empty_variable_for_a_value() -> None:
    assert len(build_detached_apps()) == 8  # all services are loaded
    known = every_settings()
    assert known >= {BusSettings, DatabaseSettings, ModelSettings, RoleSettings, S3Settings, CliSettings}
    assert {"planner.settings", "sim_worker.settings"} <= {each.__module__ for each in known}
    assert [each for each in known if not each.model_config.get("env_ignore_empty")] == []


def test_an_empty_key_is_no_key_and_an_empty_address_the_provider_s_own(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "")
    settings = ModelSettings()
    assert (settings.openai_api_key, settings.openai_base_url, settings.anthropic_api_key) == (None, None, None)
    assert "OPENAI_API_KEY (in containers: in deploy/.env" in str(check("openai:any"))
    assert "ANTHROPIC_API_KEY (in containers: in deploy/.env" in str(check("anthropic:any"))


@pytest.mark.parametrize("model", ["openai:any", "anthropic:any", "azure_openai:any"])
def test_a_key_that_is_empty_is_said_to_be_missing(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    told = check(model, ModelSettings(openai_api_key=SecretStr(""), anthropic_api_key=SecretStr("")))
    assert "API_KEY" in str(told)


def test_an_empty_password_makes_no_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MILLWRIGHT_PLANNER_PASSWORD", "")
    monkeypatch.setenv("MILLWRIGHT_CRITIC_PASSWORD", "given")
    assert service_passwords().get("critic") == "given"
    assert "planner" not in service_passwords()
