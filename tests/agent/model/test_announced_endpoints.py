"""Announced servers of a model, on a real registry: found, kept by a run, left when they die; our keys stay ours."""

from pathlib import Path
from uuid import uuid4

import pytest
from agent.model.failures import ProviderOutageError
from agent.model.role_model import RoleModel, model_problem
from agent.settings import ModelSettings
from chassis.servers.registry import AnnouncedServer
from contracts.models.conversation import Message

from tests.support.clusters.fake_provider import FakeProvider, completion
from tests.support.clusters.server_registry import registry_in

HELLO = [Message(author="user", text="hi")]
MODEL = "openai:fake"


def entry(server: FakeProvider, **fields: object) -> AnnouncedServer:
    given = {"kind": "model", "url": server.base_url, "model": MODEL, "ttl_s": 600, **fields}
    return AnnouncedServer.model_validate(given)


def settings(**fields: object) -> ModelSettings:
    return ModelSettings.model_validate({"openai_api_key": None, "model_servers_key": "servers-key", **fields})


async def test_run_keeps_its_announced_server_and_moves_when_it_dies(tmp_path: Path) -> None:
    run = uuid4()
    with FakeProvider(completion("first")) as first, FakeProvider(completion("second")) as second:
        async with registry_in(tmp_path, "model") as (registry, announced):
            models = RoleModel.configured(settings(), announced=announced)
            with pytest.raises(ProviderOutageError, match="no server of this model is announced"):
                await models.answer(MODEL, HELLO, (), run)
            await registry.announce(entry(first))
            replies = [(await models.answer(MODEL, HELLO, (), run)).reply.text]
            await registry.announce(entry(first, busy=4))
            await registry.announce(entry(second))
            replies += [(await models.answer(MODEL, HELLO, (), each)).reply.text for each in (run, uuid4())]
            first.stop()
            with pytest.raises(ProviderOutageError):
                await models.answer(MODEL, HELLO, (), run)
            replies += [(await models.answer(MODEL, HELLO, (), run)).reply.text for _ in range(2)]
    assert replies == ["first", "first", "second", "second", "second"]
    assert {*first.authorizations, *second.authorizations} == {"Bearer servers-key"}


async def test_announced_server_takes_the_place_of_the_default_address_alone(tmp_path: Path) -> None:
    with FakeProvider(completion("default")) as default, FakeProvider(completion("announced")) as other:
        own = settings(openai_api_key="provider-key", openai_base_url=default.base_url)
        async with registry_in(tmp_path, "model") as (registry, announced):
            models = RoleModel.configured(own, announced=announced)
            replies = [(await models.answer(MODEL, HELLO, ())).reply.text]
            await registry.announce(entry(other))
            replies += [(await models.answer(MODEL, HELLO, ())).reply.text for _ in range(2)]
            await registry.withdraw(entry(other))
            replies.append((await models.answer(MODEL, HELLO, ())).reply.text)
    assert replies == ["default", "announced", "announced", "default"]
    assert {*default.authorizations} == {"Bearer provider-key"}
    assert {*other.authorizations} == {"Bearer servers-key"}


async def test_without_a_key_for_them_announced_servers_are_not_used(tmp_path: Path) -> None:
    with FakeProvider(completion("default")) as default, FakeProvider(completion("announced")) as other:
        own = settings(openai_api_key="k", openai_base_url=default.base_url, model_servers_key=None)
        async with registry_in(tmp_path, "model") as (registry, announced):
            await registry.announce(entry(other))
            models = RoleModel.configured(own, announced=announced)
            assert (await models.answer(MODEL, HELLO, ())).reply.text == "default"


def test_client_accepts_a_model_whose_servers_are_announced() -> None:
    assert model_problem(MODEL, settings()) is None
    assert "needs a key" in str(model_problem(MODEL, settings(model_servers_key=None)))
