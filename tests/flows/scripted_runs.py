"""Complete runs whose models are scripted for each role; everything else is real."""

import asyncio
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from agent.context.recorded_prompt import prompt_of_call
from agent.model.providers import offline_chat
from benchmarks.loader import CODE_TYPE, load
from chassis.bus import Bus
from chassis.stream.large_fields import LargeFields
from contracts.envelope import Event, Role
from contracts.events.conversation import ModelCalled
from contracts.events.run import EngineeringRequested
from contracts.events.session import SessionClosed, SessionOpened
from contracts.models.benchmark import Budget, Limits
from contracts.models.conversation import Message
from run_requests.request import RunOptions, engineering_request

from tests.flows.complete_runs import until_learned, until_recorded
from tests.support.clusters.cancellation import cancel_when_submitted
from tests.support.clusters.cluster import Client, Endpoints, in_process
from tests.support.clusters.fake_provider import FakeProvider, HttpReply, completion, read_messages, reply_of

BENCHMARK, SEED = "gravity-chute", 1
ROLES: tuple[Role, ...] = ("planner", "critic", "engineer", "skill-learner")
SUMMARY = "summary"
"""Stands for the conversation in which a role summarises its oldest steps; it names no role."""
CONVERSATIONS = (*ROLES, SUMMARY)
RUN_S = 600.0
"""The time limit of a run."""
MODEL_TIMEOUT_S = 10.0

Script = Sequence[HttpReply | Literal["expert"]]
"""Replies to a role, call by call, the last one again and again; "expert": the reply of the offline expert."""
EXPERT: Script = ("expert",)
SUMMARISED: Script = (completion("The first idea failed. Then script.py was written, in full."),)


@dataclass(frozen=True)
class Case:
    """The behaviour of one model, and the budget of its run."""

    scripts: Mapping[str, Script] = field(default_factory=dict[str, Script])
    """By role; a role without a script gets the expert's replies."""
    budget: Budget = field(default_factory=lambda: Budget(deadline_s=RUN_S))
    is_whole: bool = True
    """Or cancelled when its first design is submitted."""


@dataclass(frozen=True)
class Exchange:
    """One request and its reply."""

    messages: list[dict[str, Any]]
    reply: HttpReply


class ScriptedModels:
    """Replies of all models by their scripts; keeps all exchanges."""

    def __init__(self, cases: Mapping[str, Case]) -> None:
        self._cases = cases
        self._expert = offline_chat()
        self._lock = threading.Lock()
        self._exchanges: dict[tuple[str, str], list[Exchange]] = {}

    def __call__(self, request: dict[str, Any]) -> HttpReply:
        """Return the next reply of the script for this model and role."""
        name, messages = request["model"], request["messages"]
        role = _role_of(messages)
        script = self._cases[name].scripts.get(role, SUMMARISED if role == SUMMARY else EXPERT)
        with self._lock:
            earlier = self._exchanges.setdefault((name, role), [])
            line = script[min(len(earlier), len(script) - 1)]
            reply = reply_of(self._expert.reply_to(read_messages(messages))) if line == "expert" else line
            earlier.append(Exchange(messages, reply))
        return reply

    def exchanges(self, name: str, role: str) -> list[Exchange]:
        """Return the exchanges of a model in a role, in order."""
        return self._exchanges.get((name, role), [])


def _role_of(messages: list[dict[str, Any]]) -> str:
    first = str(messages[0]["content"]).partition("\n")[0]
    return first.removeprefix("# Role: ").strip() if messages[0]["role"] == "system" else SUMMARY


@dataclass(frozen=True)
class ScriptedEndpoints(Endpoints):
    """Real servers, and a fake provider."""

    provider_url: str

    def settings(self, service: str = "") -> dict[str, Any]:
        """Return the fields of a service's settings."""
        key = {"openai_api_key": "of-no-value", "openai_base_url": self.provider_url}
        return super().settings(service) | key | {"model_timeout_s": MODEL_TIMEOUT_S}


@dataclass(frozen=True)
class ScriptedRun:
    """A run that has ended."""

    end: Event
    events: list[Event]
    """As Postgres has them, with their large fields."""
    models: ScriptedModels
    model: str

    def of(self, event_class: type[Event], role: Role | None = None) -> list[Event]:
        """Return the events of one class, in order."""
        return [each for each in _of(event_class, self.events) if role in (None, each.role)]

    def calls(self, conversation: str) -> list[ModelCalled]:
        """Return the calls of a role, or of all summaries, in order."""
        calls = [each for each in self.events if isinstance(each, ModelCalled)]
        return [each for each in calls if (SUMMARY if each.purpose == "memory" else each.role) == conversation]

    def recorded(self, conversation: str) -> list[list[Any]]:
        """Return each prompt and its reply, as the log has them."""
        calls = self.calls(conversation)
        return [[*map(_from_log, prompt_of_call(call, self.events)), _from_log(call.reply)] for call in calls]

    def exchanged(self, conversation: str) -> list[list[Any]]:
        """Return each prompt and its reply, as the provider had them, without replies that did not arrive."""
        arrived = [each for each in self.models.exchanges(self.model, conversation) if each.reply.arrives]
        replies = [json.loads(each.reply.body)["choices"][0]["message"] for each in arrived]
        return [
            [*map(_from_http, each.messages), _from_http(reply)] for each, reply in zip(arrived, replies, strict=True)
        ]


def run_all(endpoints: Endpoints, cases: Mapping[str, Case]) -> dict[str, ScriptedRun]:
    """Run all cases at once, each with a model of its name."""
    models = ScriptedModels(cases)
    with FakeProvider(respond=models) as provider:
        scripted = ScriptedEndpoints(endpoints.nats_url, endpoints.database_url, endpoints.s3, provider.base_url)
        return asyncio.run(_run_all(scripted, cases, models))


async def _run_all(endpoints: Endpoints, cases: Mapping[str, Case], models: ScriptedModels) -> dict[str, ScriptedRun]:
    loaded = load(BENCHMARK, SEED)
    async with in_process(endpoints) as client:
        await client.artifacts.put(loaded.environment_code, CODE_TYPE)
        orders = [
            RunOptions(BENCHMARK, SEED, model=f"openai:{name}", quantity=100, limits=Limits(), budget=case.budget)
            for name, case in cases.items()
        ]
        requests = [engineering_request(order, loaded) for order in orders]
        runs = [
            _run(client, requested, models, is_whole=case.is_whole)
            for requested, case in zip(requests, cases.values(), strict=True)
        ]
        return dict(zip(cases, await asyncio.gather(*runs), strict=True))


async def _run(
    client: Client, requested: EngineeringRequested, models: ScriptedModels, *, is_whole: bool
) -> ScriptedRun:
    async with asyncio.timeout(RUN_S):
        await client.bus.publish(requested)
        if not is_whole:
            await cancel_when_submitted(client.bus, requested)
        end = await client.bus.wait_for_end(requested.run_id)
        await until_learned(client.bus, end)
        recorded = await until_recorded(client.log, await _until_closed(client.bus, end))
    fields = LargeFields(client.artifacts)
    events = [await fields.restore(each) for each in recorded]
    return ScriptedRun(end, events, models, requested.model.removeprefix("openai:"))


async def _until_closed(bus: Bus, end: Event) -> list[Event]:
    """Wait until all sessions of the run are closed, and return all its events."""
    while True:
        events = await bus.history(end.run_id)
        if {each.role for each in _of(SessionOpened, events)} == {each.role for each in _of(SessionClosed, events)}:
            return events
        await asyncio.sleep(0.1)


def _of(event_class: type[Event], events: Sequence[Event]) -> list[Event]:
    return [each for each in events if isinstance(each, event_class)]


def _from_log(message: Message) -> dict[str, Any]:
    calls = [(call.call_id, call.name, _read(call.arguments_json)) for call in message.tool_calls]
    return _line(message.author, message.text, calls, message.tool_call_id)


def _from_http(message: Mapping[str, Any]) -> dict[str, Any]:
    written: Sequence[Mapping[str, Any]] = message.get("tool_calls") or ()
    calls = [(call["id"], call["function"]["name"], _read(call["function"]["arguments"])) for call in written]
    text = message.get("content") or message.get("refusal") or ""
    return _line(message["role"], text, calls, message.get("tool_call_id"))


def _line(author: str, text: str, calls: Sequence[Any], answers: str | None) -> dict[str, Any]:
    return {"author": author, "text": text, "calls": calls, "answers": answers}


def _read(arguments: str) -> object:
    """Return the arguments of a call without their white space; unchanged if they are not JSON."""
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments
