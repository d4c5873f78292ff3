"""Runs whose model is a recording: its replies, in their order, through the real client on real servers.

A reply that today's product has made unnecessary is left out, see `tests.support.replies.recorded_model`.
"""

import asyncio
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.loader import CODE_TYPE, load
from chassis.observability.model_conventions import OFFLINE
from contracts.envelope import Event
from contracts.events.run import RunFailed, RunSucceeded
from contracts.events.skill import SkillLearned, SkillRejected
from run_requests.request import RunOptions, engineering_request

from tests.support.clusters.cluster import Client, Endpoints, in_process
from tests.support.clusters.fake_provider import FakeProvider, HttpReply, completion, error
from tests.support.replies.recorded_model import RecordedReply, RecordedRun

RUN_S = 3000.0
LEARNING_S = 60.0
_ROLE = re.compile(r"\A(?:.*\n)?# Role: (?P<role>[a-z-]+)")


@dataclass(frozen=True)
class ReplayedRun:
    """A replay that has ended."""

    run: RecordedRun
    end: Event
    events: Sequence[Event]
    exchanges: Sequence[tuple[str, dict[str, Any], str]]
    """Role, body and reply of each request that the server answered."""
    unused: Sequence[RecordedReply]

    @property
    def is_solved(self) -> bool:
        """Whether physics proved a design that the critic approved."""
        return isinstance(self.end, RunSucceeded) and self.end.result.is_proven


@dataclass(frozen=True)
class _RecordedEndpoints(Endpoints):
    provider_url: str

    def settings(self, service: str = "") -> dict[str, Any]:
        return super().settings(service) | {"openai_api_key": "of-no-value", "openai_base_url": self.provider_url}


@dataclass
class _Server:
    """Responder of a fake provider: the model's name is that of a recorded run."""

    replies: Mapping[str, list[RecordedReply]]
    """By run, in order; what was answered is removed."""
    exchanges: dict[str, list[tuple[str, dict[str, Any], str]]] = field(default_factory=dict[str, Any])
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, request: dict[str, Any]) -> HttpReply:
        found = _ROLE.match(request["messages"][0]["content"])
        assert found is not None, request["messages"][0]["content"][:200]
        role, name = found["role"], request["model"]
        with self.lock:
            reply = next((each for each in self.replies[name] if each.role == role), None)
            if reply is None:
                return error(400, f"the recording of {name} has no further reply of the {role}")
            self.replies[name].remove(reply)
            self.exchanges.setdefault(name, []).append((role, request, reply.words))
        if not reply.calls:
            return completion(reply.text)
        return completion(reply.text or None, "tool_calls", tool_calls=[_as_sent(call) for call in reply.calls])


def _as_sent(call: Mapping[str, str]) -> dict[str, Any]:
    function = {"name": call["name"], "arguments": call["arguments_json"]}
    return {"id": call["call_id"], "type": "function", "function": function}


async def replay(
    endpoints: Endpoints, runs: Mapping[RecordedRun, Sequence[RecordedReply]], at_once: int = 2
) -> list[ReplayedRun]:
    """Replay these runs, each with these replies; of one that was not recorded the model is the expert."""
    server = _Server({run.name: list(replies) for run, replies in runs.items()})
    turns = asyncio.Semaphore(at_once)
    with FakeProvider(respond=server) as provider:
        recorded = _RecordedEndpoints(endpoints.nats_url, endpoints.database_url, endpoints.s3, provider.base_url)
        async with in_process(recorded) as client:
            return await asyncio.gather(*(_replay(client, run, server, turns) for run in runs))


async def _replay(client: Client, run: RecordedRun, server: _Server, turns: asyncio.Semaphore) -> ReplayedRun:
    loaded = load(run.benchmark, run.seed)
    model = f"openai:{run.name}" if run.recorded else OFFLINE
    options = RunOptions(run.benchmark, run.seed, model=model, quantity=100, limits=run.limits, executor=run.executor)
    requested = engineering_request(options, loaded)
    async with turns, asyncio.timeout(RUN_S):
        await client.artifacts.put(loaded.environment_code, CODE_TYPE)
        await client.bus.publish(requested)
        async for event in client.bus.follow(requested.run_id, linger_s=LEARNING_S):
            if isinstance(event, RunFailed | SkillLearned | SkillRejected):
                break
        events = await client.bus.history(requested.run_id)
    end = next(event for event in events if isinstance(event, RunSucceeded | RunFailed))
    return ReplayedRun(run, end, events, server.exchanges.get(run.name, []), server.replies[run.name])
