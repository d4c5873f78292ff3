"""Full runs on real servers with a scripted model server: their ends and their exchanges."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agent.context.recorded_prompt import prompt_of_call
from artifacts.client import Artifacts
from benchmarks.loader import CODE_TYPE, LoadedBenchmark, load
from chassis.bus import Bus
from chassis.stream.large_fields import LargeFields
from cli.runs.request import RunOptions, engineering_request
from contracts.envelope import Event, Role
from contracts.events.conversation import ModelCalled
from contracts.events.run import EngineeringRequested
from contracts.events.session import SessionClosed, SessionOpened
from contracts.models.benchmark import Budget, Limits
from contracts.models.conversation import Message
from opentelemetry.sdk.trace import TracerProvider
from store.log import EventLog

from tests.fakes.scripted_cast import MEMORY, Cast, Part
from tests.fakes.scripted_openai import ScriptedOpenAI
from tests.flows.full_run import Servers, all_services, wait_until_learned, wait_until_recorded

BENCHMARK, SEED = "gravity-chute", 1
ROLES: tuple[Role, ...] = ("planner", "critic", "engineer", "skill-learner")
VOICES = (*ROLES, MEMORY)
LONGEST_S = 600.0
"""A run that takes longer hangs."""
TIMEOUT_S = 10.0
"""How long roles wait for an answer."""


@dataclass(frozen=True)
class Case:
    """What one model does to a run."""

    parts: Mapping[str, Part] = field(default_factory=dict[str, Part])
    budget: Budget = field(default_factory=lambda: Budget(deadline_s=LONGEST_S))


@dataclass(frozen=True)
class WiredServers(Servers):
    """Real servers, and a provider."""

    provider: str = ""

    def fields(self, service: str = "") -> dict[str, Any]:
        """Return what a service's settings ask for."""
        models = {"openai_api_key": "of-no-value", "openai_base_url": self.provider, "model_timeout_s": TIMEOUT_S}
        return super().fields(service) | models


@dataclass(frozen=True)
class FinishedCase:
    """A run that is over."""

    end: Event
    events: list[Event]
    """As Postgres has them, whole."""
    cast: Cast
    model: str

    def of(self, event_class: type[Event], role: Role | None = None) -> list[Event]:
        """Return the events of one class, in order."""
        return [each for each in _of(event_class, self.events) if role in (None, each.role)]

    def calls(self, voice: str) -> list[ModelCalled]:
        """Return the calls of a role, or all for anybody's memory, in order."""
        calls = [each for each in self.events if isinstance(each, ModelCalled)]
        return [each for each in calls if (MEMORY if each.purpose == "memory" else each.role) == voice]

    def recorded_exchanges(self, voice: str) -> list[list[Any]]:
        """Return each prompt and its reply, as restored from the log."""
        return [[*map(_told, prompt_of_call(call, self.events)), _told(call.reply)] for call in self.calls(voice)]

    def sent_exchanges(self, voice: str) -> list[list[Any]]:
        """Return each prompt and its reply, as the server sent and got them, without answers that never arrived."""
        whole = [each for each in self.cast.exchanges(self.model, voice) if each.wire.arrives]
        return [
            [*map(_sent, each.messages), _sent(json.loads(each.wire.body)["choices"][0]["message"])] for each in whole
        ]


def run_cases(servers: Servers, cases: Mapping[str, Case]) -> dict[str, FinishedCase]:
    """Play all cases side by side, each with a model of its name."""
    cast = Cast({name: case.parts for name, case in cases.items()})
    with ScriptedOpenAI(cast=cast) as provider:
        wired = WiredServers(servers.nats_url, servers.database_url, servers.s3, provider.base_url)
        return asyncio.run(_play_all(wired, cases, cast))


async def _play_all(servers: Servers, cases: Mapping[str, Case], cast: Cast) -> dict[str, FinishedCase]:
    loaded = load(BENCHMARK, SEED)
    async with all_services(servers, TracerProvider()) as (bus, artifacts, log):
        await artifacts.put(loaded.environment_code, CODE_TYPE)
        playing = [_play_one(bus, artifacts, log, _ordered(name, case, loaded), cast) for name, case in cases.items()]
        return dict(zip(cases, await asyncio.gather(*playing), strict=True))


def _ordered(name: str, case: Case, loaded: LoadedBenchmark) -> EngineeringRequested:
    order = RunOptions(BENCHMARK, SEED, model=f"openai:{name}", quantity=100, limits=Limits(), budget=case.budget)
    return engineering_request(order, loaded)


async def _play_one(
    bus: Bus, artifacts: Artifacts, log: EventLog, requested: EngineeringRequested, cast: Cast
) -> FinishedCase:
    async with asyncio.timeout(LONGEST_S):
        await bus.publish(requested)
        end = await bus.wait_for_end(requested.run_id)
        await wait_until_learned(bus, end)
        recorded = await wait_until_recorded(log, await _until_closed(bus, end))
    fields = LargeFields(artifacts)
    return FinishedCase(
        end, [await fields.restore(each) for each in recorded], cast, requested.model.removeprefix("openai:")
    )


async def _until_closed(bus: Bus, end: Event) -> list[Event]:
    """Wait until no kernel of the run lives any more, and return all of it."""
    while True:
        events = await bus.history(end.run_id)
        if {each.role for each in _of(SessionOpened, events)} == {each.role for each in _of(SessionClosed, events)}:
            return events
        await asyncio.sleep(0.1)


def _of(event_class: type[Event], events: Sequence[Event]) -> list[Event]:
    return [each for each in events if isinstance(each, event_class)]


def _told(message: Message) -> dict[str, Any]:
    calls = [(call.call_id, call.name, _read(call.arguments_json)) for call in message.tool_calls]
    return _line(message.author, message.text, calls, message.tool_call_id)


def _sent(message: Mapping[str, Any]) -> dict[str, Any]:
    written: Sequence[Mapping[str, Any]] = message.get("tool_calls") or ()
    calls = [(call["id"], call["function"]["name"], _read(call["function"]["arguments"])) for call in written]
    text = message.get("content") or message.get("refusal") or ""
    return _line(message["role"], text, calls, message.get("tool_call_id"))


def _line(author: str, text: str, calls: Sequence[Any], answers: str | None) -> dict[str, Any]:
    return {"author": author, "text": text, "calls": calls, "answers": answers}


def _read(arguments: str) -> object:
    """Return the arguments of a call, whatever blanks they were written with; as they are if they are no JSON."""
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments
