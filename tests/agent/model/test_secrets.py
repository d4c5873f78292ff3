"""Tests that no key reaches an event, an error or a log, even if the provider repeats it."""

import logging
import traceback

import pytest
from agent.model.failures import ProviderOutageError, UnreadableAnswerError
from agent.model.role_model import RoleModel
from agent.settings import ModelSettings
from chassis.testing import FakeBus
from contracts.events.dead_letters import WorkAbandoned

from tests.agent.echo_role import EchoRole
from tests.agent.role_harness import engineering_requested, threads_of
from tests.support.clusters.fake_provider import FakeProvider, HttpReply, completion, error

PLANTED = "sk-planted-0123456789abcdef"
MODEL = "openai:fake"


def _models(server: FakeProvider) -> RoleModel:
    endpoints = {MODEL: [{"base_url": server.base_url, "api_key": PLANTED}]}
    return RoleModel.configured(ModelSettings.model_validate({"model_endpoints": endpoints}))


async def test_key_repeated_by_the_provider_is_not_published(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    bus = FakeBus()
    with FakeProvider(error(401, f"Incorrect API key provided: {PLANTED}")) as server:
        (abandoned,) = await threads_of(EchoRole(), _models(server), bus).advance(engineering_requested(model=MODEL))
    assert server.authorizations == [f"Bearer {PLANTED}"]
    assert isinstance(abandoned, WorkAbandoned)
    assert "Incorrect API key provided: …" in abandoned.detail
    assert PLANTED not in "".join(event.model_dump_json() for event in bus.events)
    assert PLANTED not in caplog.text


@pytest.mark.parametrize("wire", [error(500, PLANTED), HttpReply(f"<p>{PLANTED}</p>".encode(), media_type="text/html")])
async def test_traceback_has_no_key(wire: HttpReply, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with FakeProvider(wire) as server:
        threads = threads_of(EchoRole(), _models(server), FakeBus())
        with pytest.raises((ProviderOutageError, UnreadableAnswerError)) as raised:
            await threads.advance(engineering_requested(model=MODEL))
    text = "".join(traceback.format_exception(raised.value))
    assert "openai:fake at 127.0.0.1" in text
    assert PLANTED not in text
    assert PLANTED not in caplog.text


async def test_successful_call_logs_no_key(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    bus = FakeBus()
    with FakeProvider(completion("go")) as server:
        models = _models(server)
        await threads_of(EchoRole(), models, bus).advance(engineering_requested(model=MODEL))
    assert PLANTED not in "".join(event.model_dump_json() for event in bus.events)
    assert PLANTED not in caplog.text
    assert PLANTED not in repr(vars(models))


def test_settings_hide_keys() -> None:
    fields = {"openai_api_key": PLANTED, "model_endpoints": {MODEL: [{"base_url": "http://x/v1", "api_key": PLANTED}]}}
    settings = ModelSettings.model_validate(fields)
    assert PLANTED not in repr(settings)
    assert PLANTED not in settings.model_dump_json()
    with pytest.raises(ValueError, match="model_endpoints") as wrong:
        ModelSettings.model_validate({"model_endpoints": {MODEL: [{"api_key": PLANTED}]}})
    assert PLANTED not in str(wrong.value)


async def test_key_repeated_in_an_answer_is_not_published(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    bus = FakeBus()
    with FakeProvider(completion(f"your key is {PLANTED}, I say")) as server:
        await threads_of(EchoRole(), _models(server), bus).advance(engineering_requested(model=MODEL))
    published = "".join(event.model_dump_json() for event in bus.events)
    assert "your key is …, I say" in published
    assert PLANTED not in published
    assert PLANTED not in caplog.text
