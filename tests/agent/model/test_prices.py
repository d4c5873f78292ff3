"""Tests of prices: from the list, from the settings, or unknown; never guessed."""

import json
import socket

import pytest
from agent.model.role_model import RoleModel, model_problem
from agent.settings import ModelSettings
from agent.token_prices import NOTHING_SPENT, PriceList, TokenPrice, add_usage
from chassis.testing import FakeBus
from contracts.envelope import deciding
from contracts.events.conversation import ModelCalled
from contracts.events.run import CancelRequested
from contracts.models.conversation import Message, Usage
from langchain_core.messages import AIMessage
from langchain_core.messages.ai import UsageMetadata
from pydantic import SecretStr, ValidationError

from tests.agent.echo_role import EchoRole
from tests.agent.role_harness import RoleHarness, engineering_requested
from tests.support.clusters.fake_provider import FakeProvider, expert_provider, streamed

MILLION = UsageMetadata(input_tokens=1_000_000, output_tokens=1_000_000, total_tokens=2_000_000)
OWN = {"openai:fake": TokenPrice(usd_per_million_input_tokens=2, usd_per_million_output_tokens=8)}


def test_offline_model_costs_nothing() -> None:
    assert PriceList().cost_usd("offline", None) == 0
    assert model_problem("offline", priced=True) is None


def test_list_prices_need_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a price was requested over the network")

    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    for model in ("openai:gpt-4o", "anthropic:claude-sonnet-4-5"):
        cost_usd = PriceList().cost_usd(model, MILLION)
        assert cost_usd is not None
        assert 1 < cost_usd < 200


def test_cached_input_is_cheaper() -> None:
    half = UsageMetadata(
        input_tokens=1_000_000,
        output_tokens=1_000_000,
        total_tokens=2_000_000,
        input_token_details={"cache_read": 500_000},
    )
    cheaper, full = (PriceList().cost_usd("openai:gpt-4o", counted) for counted in (half, MILLION))
    assert cheaper is not None
    assert full is not None
    assert cheaper < full


def test_configured_price_precedes_list_price() -> None:
    prices = PriceList(OWN)
    assert prices.cost_usd("openai:fake", MILLION) == 10
    assert prices.cost_usd("openai:fake", None) is None
    assert prices.cost_usd("openai:fake2", MILLION) is None


def test_configured_price_of_cached_input_counts_for_what_was_cached() -> None:
    own = TokenPrice(
        usd_per_million_input_tokens=2, usd_per_million_output_tokens=8, usd_per_million_cached_input_tokens=0.5
    )
    counted = UsageMetadata(
        input_tokens=1_000_000, output_tokens=0, total_tokens=1_000_000, input_token_details={"cache_read": 600_000}
    )
    assert PriceList({"openai:fake": own}).cost_usd("openai:fake", counted) == pytest.approx(0.4 * 2 + 0.6 * 0.5)
    assert PriceList(OWN).cost_usd("openai:fake", counted) == 2


async def test_price_of_a_profile_and_reported_cached_tokens_are_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    profile = {
        "usd_per_million_input_tokens": 2,
        "usd_per_million_output_tokens": 8,
        "usd_per_million_cached_input_tokens": 0.5,
    }
    monkeypatch.setenv("MODEL_PROFILES", json.dumps({"openai:fake": profile}))
    with FakeProvider(streamed({"content": "yes"}, cached_tokens=6)) as server:
        settings = ModelSettings(openai_api_key=SecretStr("k"), openai_base_url=server.base_url)
        model = RoleModel.configured(settings)
        answer = await model.answer("openai:fake", [Message(author="user", text="?")], ())
    assert model.problem("openai:fake", priced=True) is None
    assert answer.usage.cached_input_tokens == 6
    assert answer.usage.cost_usd == pytest.approx((4 * 2 + 6 * 0.5 + 5 * 8) / 1e6)


def test_half_a_price_of_a_profile_is_refused() -> None:
    with pytest.raises(ValidationError, match="usd_per_million_output_tokens"):
        ModelSettings.model_validate({"model_profiles": {"openai:fake": {"usd_per_million_input_tokens": 2}}})


def test_compatible_server_has_no_openai_prices() -> None:
    assert PriceList(openai_base_url="http://127.0.0.1:9/v1").cost_usd("openai:gpt-4o", MILLION) is None
    assert PriceList(openai_base_url="https://api.openai.com/v1").cost_usd("openai:gpt-4o", MILLION) is not None


def test_remedy_for_an_unknown_price_can_be_pasted(monkeypatch: pytest.MonkeyPatch) -> None:
    key = SecretStr("k")
    problem = model_problem("openai:fake", ModelSettings(openai_api_key=key), priced=True)
    assert problem is not None
    assert "\n" not in problem
    name, _, value = problem.partition("set ")[2].partition("=")
    monkeypatch.setenv(name, value.split("'")[1].replace("USD", "1.5"))
    assert model_problem("openai:fake", ModelSettings(openai_api_key=key), priced=True) is None


def test_sum_with_an_unknown_price_is_unknown() -> None:
    known, unknown = Usage(input_tokens=1, cost_usd=0.5), Usage(output_tokens=2)
    assert add_usage(add_usage(NOTHING_SPENT, known), known).cost_usd == 1
    cached = Usage(cached_input_tokens=3)
    assert add_usage(cached, cached).cached_input_tokens == 6
    both = add_usage(known, unknown)
    assert (both.input_tokens, both.output_tokens, both.cost_usd) == (1, 2, None)


async def test_call_records_its_cost() -> None:
    with expert_provider() as server:
        settings = ModelSettings(openai_api_key=SecretStr("k"), openai_base_url=server.base_url, model_prices=OWN)
        answer = await RoleModel.configured(settings).answer(
            "openai:fake",
            [Message(author="system", text="# Role: critic"), Message(author="user", text="# Plan\n\nnothing")],
            (),
        )
    assert answer.usage.cost_usd == pytest.approx((10 * 2 + 5 * 8) / 1e6)


async def test_call_records_the_running_total_after_a_lost_state() -> None:
    bus, request = FakeBus(), engineering_requested()
    used = UsageMetadata(input_tokens=7, output_tokens=3, total_tokens=10)
    first = RoleHarness(EchoRole(), [AIMessage("one", usage_metadata=used), AIMessage("?", usage_metadata=used)], bus)
    await first.consume(request)
    await first.consume(CancelRequested(**deciding(request, "planner", 900), reason="ask again"))
    second = RoleHarness(EchoRole(), [AIMessage("three", usage_metadata=used)], bus)
    await second.consume(CancelRequested(**deciding(request, "planner", 901), reason="ask again"))
    spent = [event.spent for event in bus.events if isinstance(event, ModelCalled)]
    assert [(each.input_tokens, each.output_tokens) for each in spent] == [(7, 3), (14, 6), (21, 9)]
