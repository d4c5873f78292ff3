"""Tests of model failures: outages are retried, refusals end the role's work with the provider's message."""

import pytest
from agent.model.failures import PROVIDER_UNAVAILABLE, ModelRefusedError
from agent.model.role_model import RoleModel
from agent.settings import ModelSettings
from chassis.testing import FakeBus
from contracts.events.conversation import ModelCalled
from contracts.events.dead_letters import WorkAbandoned
from contracts.models.conversation import Message
from pydantic import SecretStr

from tests.agent.echo_role import EchoRole
from tests.agent.role_harness import engineering_requested, threads_of
from tests.support.clusters.fake_provider import failing_provider

HELLO = [Message(author="user", text="hi")]
PROVIDERS = pytest.mark.parametrize("model", ["openai:fake", "anthropic:fake"])


def _models(base_url: str, monkeypatch: pytest.MonkeyPatch, timeout_s: float = 20) -> RoleModel:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", base_url)
    key = SecretStr("k")
    settings = ModelSettings(
        openai_api_key=key, openai_base_url=base_url, anthropic_api_key=key, model_timeout_s=timeout_s
    )
    return RoleModel.configured(settings)


@PROVIDERS
@pytest.mark.parametrize("status", [429, 500, 502, 503, 529])
async def test_transient_status_is_an_outage(model: str, status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with failing_provider(status, "busy") as url, pytest.raises(PROVIDER_UNAVAILABLE):
        await _models(url, monkeypatch).answer(model, HELLO, ())


@PROVIDERS
async def test_unreachable_provider_is_an_outage(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with failing_provider(500, "busy") as url:
        pass
    with pytest.raises(PROVIDER_UNAVAILABLE):
        await _models(url, monkeypatch).answer(model, HELLO, ())


@PROVIDERS
@pytest.mark.parametrize("status", [400, 401, 403, 404])
async def test_refusal_quotes_the_provider(model: str, status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        failing_provider(status, "the moon is too near") as url,
        pytest.raises(ModelRefusedError, match=f"{model}.*the moon is too near"),
    ):
        await _models(url, monkeypatch).answer(model, HELLO, ())


async def test_exhausted_quota_is_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        failing_provider(429, "you exceeded your quota", "insufficient_quota") as url,
        pytest.raises(ModelRefusedError, match="quota"),
    ):
        await _models(url, monkeypatch).answer("openai:fake", HELLO, ())


async def test_role_gives_up_when_its_model_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    bus, request = FakeBus(), engineering_requested(model="openai:fake")
    with failing_provider(401, "no such key") as url:
        threads = threads_of(EchoRole(), _models(url, monkeypatch), bus)
        (abandoned,) = await threads.advance(request)
        assert await threads.advance(request) == [abandoned]
    assert isinstance(abandoned, WorkAbandoned)
    assert abandoned.reason == "model_failed"
    assert "no such key" in abandoned.detail
    assert not [event for event in bus.events if isinstance(event, ModelCalled)]


async def test_role_without_a_key_gives_up_and_names_it() -> None:
    models = RoleModel.configured(ModelSettings(openai_api_key=None))
    (abandoned,) = await threads_of(EchoRole(), models, FakeBus()).advance(engineering_requested(model="openai:fake"))
    assert isinstance(abandoned, WorkAbandoned)
    assert "OPENAI_API_KEY" in abandoned.detail
