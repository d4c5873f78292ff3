"""Complete runs with models of different manners, through the real client and on real servers: one design for all."""

import asyncio
import resource
from dataclasses import dataclass
from typing import Any

import pytest
from benchmarks.loader import CODE_TYPE, load
from cli.runs.request import RunOptions, engineering_request
from contracts.envelope import Event
from contracts.events.conversation import ModelCalled, ReplyRejected
from contracts.events.design import DesignSubmitted
from contracts.events.run import EngineeringRequested, RunSucceeded
from contracts.models.benchmark import Budget, Limits

from tests.flows.scripted_runs import BENCHMARK, RUN_S, SEED
from tests.support.clusters.cluster import Client, Endpoints, in_process
from tests.support.clusters.fake_provider import FakeProvider
from tests.support.clusters.manners import PROFILES, respond

MANNERS = ("parallel", "json-only")
"""Of the six, those that differ most from the other flow tests, which use tools one by one and Markdown."""
pytestmark = pytest.mark.timeout(700)


@dataclass(frozen=True)
class EndpointsOfManners(Endpoints):
    """Real servers, and a provider with a model of each manner."""

    provider_url: str

    def settings(self, service: str = "") -> dict[str, Any]:
        """Return the fields of a service's settings."""
        key = {"openai_api_key": "of-no-value", "openai_base_url": self.provider_url}
        profiles = {f"openai:{name}": profile for name, profile in PROFILES.items()}
        return super().settings(service) | key | {"model_profiles": profiles}


@pytest.fixture(scope="module")
def runs(real_servers: Endpoints) -> dict[str, list[Event]]:
    """Run every manner at once, in one stack."""
    with FakeProvider(respond=respond) as provider:
        urls = (real_servers.nats_url, real_servers.database_url, real_servers.s3)
        return asyncio.run(_run_all(EndpointsOfManners(*urls, provider.base_url)))


async def _run_all(endpoints: Endpoints) -> dict[str, list[Event]]:
    loaded = load(BENCHMARK, SEED)
    budget = Budget(deadline_s=RUN_S)
    async with in_process(endpoints) as client:
        await client.artifacts.put(loaded.environment_code, CODE_TYPE)
        orders = [
            RunOptions(BENCHMARK, SEED, model=f"openai:{name}", quantity=100, limits=Limits(), budget=budget)
            for name in ("offline", *MANNERS)
        ]
        orders = [order if order.model != "openai:offline" else _offline(order) for order in orders]
        requests = [engineering_request(order, loaded) for order in orders]
        ended = await asyncio.gather(*(_run(client, each) for each in requests))
    return dict(zip(("offline", *MANNERS), ended, strict=True))


def _offline(order: RunOptions) -> RunOptions:
    return RunOptions(order.benchmark, order.seed, model="offline", quantity=100, limits=Limits(), budget=order.budget)


async def _run(client: Client, requested: EngineeringRequested) -> list[Event]:
    async with asyncio.timeout(RUN_S):
        await client.bus.publish(requested)
        end = await client.bus.wait_for_end(requested.run_id)
    return [*await client.bus.history(requested.run_id), end]


def _digest(events: list[Event]) -> str:
    assert isinstance(events[-1], RunSucceeded), events[-1]
    return events[-1].delivery.digest


@pytest.mark.parametrize("model", MANNERS)
def test_model_of_each_manner_solves_the_benchmark_with_the_same_design(
    model: str, runs: dict[str, list[Event]]
) -> None:
    assert _digest(runs[model]) == _digest(runs["offline"])
    assert not [each for each in runs[model] if isinstance(each, ReplyRejected)]
    assert len([each for each in runs[model] if isinstance(each, DesignSubmitted)]) == 1


def test_manners_differ_in_what_is_recorded(runs: dict[str, list[Event]], capsys: pytest.CaptureFixture[str]) -> None:
    replies = {name: [each.reply for each in events if isinstance(each, ModelCalled)] for name, events in runs.items()}
    assert max(len(each.tool_calls) for each in replies["parallel"]) == 2
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    with capsys.disabled():
        print(f"\nCPU of all child processes so far: {used.ru_utime + used.ru_stime:.0f} s")  # noqa: T201 - measured
