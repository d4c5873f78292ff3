"""Runs of one benchmark with models of several reply modes, through the real client on real servers."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.loader import CODE_TYPE, load
from contracts.envelope import Event
from contracts.events.conversation import ModelCalled, ReplyRejected
from contracts.events.design import DesignSubmitted
from contracts.events.run import RunSucceeded
from contracts.models.benchmark import Limits
from run_requests.request import RunOptions, engineering_request

from tests.support.clusters.cancellation import cancel_when_submitted
from tests.support.clusters.cluster import Client, Endpoints, in_process
from tests.support.clusters.fake_provider import FakeProvider
from tests.support.clusters.reply_modes import REPLY_MODES, ReplyModeServer, tokens_of

BENCHMARK, SEED = "gravity-chute", 1
OFFLINE = "offline"
"""The expert itself, in place of a mode."""
RUN_S = 1200.0


@dataclass(frozen=True)
class ReplyModeRun:
    """A run that has ended."""

    name: str
    end: Event
    calls: Sequence[ModelCalled]
    refused: Sequence[ReplyRejected]
    request_tokens: Sequence[int]
    """Of each request that the server answered, by estimate."""
    submitted: str
    """Digest of the last design that was submitted; empty without one."""

    @property
    def digest(self) -> str:
        """Digest of the design; empty if physics did not prove one."""
        if not isinstance(self.end, RunSucceeded) or not self.end.result.is_proven:
            return ""
        return self.end.delivery.digest


@dataclass(frozen=True)
class ReplyModeEndpoints(Endpoints):
    """Real servers, and one server of models of all reply modes."""

    provider_url: str

    def settings(self, service: str = "") -> dict[str, Any]:
        """Return the fields of a service's settings."""
        profiles = {f"openai:{mode.name}": mode.profile for mode in REPLY_MODES}
        key = {"openai_api_key": "of-no-value", "openai_base_url": self.provider_url}
        return super().settings(service) | key | {"model_profiles": profiles}


async def run_reply_modes(
    endpoints: Endpoints, names: Sequence[str], at_once: int = 2, to_submission: Sequence[str] = ()
) -> list[ReplyModeRun]:
    """Run the benchmark with each of these reply modes; those in `to_submission` are cancelled when they submit."""
    server, turns = ReplyModeServer(), asyncio.Semaphore(at_once)
    with FakeProvider(respond=server) as provider:
        scripted = ReplyModeEndpoints(endpoints.nats_url, endpoints.database_url, endpoints.s3, provider.base_url)
        async with in_process(scripted) as client:
            await client.artifacts.put(load(BENCHMARK, SEED).environment_code, CODE_TYPE)
            return await asyncio.gather(
                *(_run(client, name, server, turns, is_whole=name not in to_submission) for name in names)
            )


async def _run(
    client: Client, name: str, server: ReplyModeServer, turns: asyncio.Semaphore, *, is_whole: bool
) -> ReplyModeRun:
    model = name if name == OFFLINE else f"openai:{name}"
    requested = engineering_request(
        RunOptions(BENCHMARK, SEED, model=model, quantity=100, limits=Limits()), load(BENCHMARK, SEED)
    )
    async with turns, asyncio.timeout(RUN_S):
        await client.bus.publish(requested)
        if not is_whole:
            await cancel_when_submitted(client.bus, requested)
        end = await client.bus.wait_for_end(requested.run_id)
        events = await client.bus.history(requested.run_id)
    calls = [each for each in events if isinstance(each, ModelCalled)]
    refused = [each for each in events if isinstance(each, ReplyRejected)]
    tokens = [tokens_of(request) for request in server.requests.get(name, ())]
    submissions = [each.submission.digest for each in events if isinstance(each, DesignSubmitted)]
    return ReplyModeRun(name, end, calls, refused, tokens, submissions[-1] if submissions else "")
