"""Tests of settings for single roles: another model, other limits."""

import pytest
from agent.model.role_model import RoleModel, model_problem
from agent.settings import ModelSettings
from chassis.testing import FakeBus
from contracts.events.conversation import ModelCalled
from contracts.models.conversation import Message
from pydantic import ValidationError

from tests.agent.echo_role import EchoRole
from tests.agent.role_harness import engineering_requested, threads_of
from tests.support.clusters.fake_provider import FakeProvider, completion

HELLO = [Message(author="user", text="hi")]
CHOICE = {"model": "openai:strong", "temperature": 0.2, "max_output_tokens": 700, "prompt_budget_tokens": 900}


def _settings(base_url: str = "http://127.0.0.1:9/v1", **more: object) -> ModelSettings:
    fields = {"openai_api_key": "a-key-of-no-value", "openai_base_url": base_url, "model_roles": {"engineer": CHOICE}}
    return ModelSettings.model_validate(fields | more)


async def test_role_with_its_own_model_calls_and_records_it() -> None:
    bus = FakeBus()
    with FakeProvider(completion("go")) as server:
        models = RoleModel.configured(_settings(server.base_url), role="engineer")
        await threads_of(EchoRole(), models, bus).advance(engineering_requested(model="offline"))
    (called,) = [event for event in bus.events if isinstance(event, ModelCalled)]
    assert called.model == "openai:strong"
    (request,) = server.requests
    assert request["model"] == "strong"
    assert request["temperature"] == 0.2
    assert request["max_completion_tokens"] == 700


async def test_other_roles_use_the_runs_model() -> None:
    with FakeProvider(completion("go")) as server:
        models = RoleModel.configured(_settings(server.base_url, model_temperature=1.5), role="critic")
        await models.answer(models.resolve_name("openai:plain"), HELLO, ())
    (request,) = server.requests
    assert (request["model"], request["temperature"]) == ("plain", 1.5)
    assert "max_completion_tokens" not in request


def test_role_has_its_own_prompt_budget() -> None:
    engineer = RoleModel.configured(_settings(), role="engineer")
    critic = RoleModel.configured(_settings(), role="critic")
    assert engineer.prompt_budget_tokens("openai:strong") == 900
    assert critic.prompt_budget_tokens("openai:strong") == 60_000


def test_run_needs_a_usable_model_for_every_role() -> None:
    keyless = _settings(openai_api_key=None)
    problem = model_problem("offline", keyless)
    assert problem is not None
    assert "openai:strong" in problem
    assert "OPENAI_API_KEY" in problem
    assert "openai:strong" in str(model_problem("offline", _settings(), priced=True))


@pytest.mark.parametrize(
    "choices", [{"poet": {}}, {"critic": {"temperatur": 1}}, {"critic": {"temperature": 3}}, {"critic": {"model": ""}}]
)
def test_invalid_role_settings_are_rejected(choices: object) -> None:
    with pytest.raises(ValidationError):
        ModelSettings.model_validate({"model_roles": choices})


def test_missing_provider_package_is_named() -> None:
    problem = model_problem("groq:llama", _settings(model_roles={}))
    assert problem is not None
    assert "langchain-groq" in problem or "langchain_groq" in problem
    assert "missing:model" in str(model_problem("missing:model", _settings(model_roles={})))
