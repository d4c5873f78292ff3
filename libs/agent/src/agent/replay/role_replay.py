"""Feeds the recorded events of a run to a role's policy, with the recorded replies of its model."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import UUID

from contracts.envelope import Event, Role, request_id
from contracts.events.conversation import ModelCalled, ReplyLost
from contracts.events.run import EngineeringQueued, EngineeringStarted
from contracts.models.conversation import Message
from contracts.registry import ENDINGS
from pydantic import BaseModel

from agent.loop.checkpoints import MemoryCheckpoints
from agent.loop.role import Decision, Reaction, RolePolicy, StepEvents
from agent.loop.thread import Consumes, RoleGraph, ThreadMovedError
from agent.loop.thread_state import step_ids
from agent.model.failures import ModelUnavailableError
from agent.model.local_chat import PolicyChat
from agent.model.role_model import RoleModel
from agent.replay.divergence import Divergence, DivergenceError, lines_of_messages
from agent.replay.recorded_bus import RecordedBus

_NOT_DECIDED = (ModelCalled, ReplyLost, EngineeringQueued, EngineeringStarted)
"""What a role publishes beside its policy's decisions."""


@dataclass(frozen=True)
class RoleReplay:
    """What came of a replay."""

    role: Role
    events: int
    """Number of consumed events up to the end, or to the divergence."""
    steps: int
    """Number of steps that the role made in the recording."""
    divergence: Divergence | None = None


@dataclass(frozen=True)
class _Recording:
    """The events of a run as one role sees them."""

    role: Role
    events: Sequence[Event]
    consumes: Consumes

    @cached_property
    def calls(self) -> dict[UUID, ModelCalled]:
        """The role's model calls by their cause."""
        own = (each for each in self.events if isinstance(each, ModelCalled) and each.role == self.role)
        return {each.causation_id: each for each in own if each.purpose == "act" and each.causation_id is not None}

    @cached_property
    def decisions(self) -> list[Event]:
        """All that the role's policy decided."""
        return [each for each in self.events if each.producer == self.role and not isinstance(each, _NOT_DECIDED)]

    def causes(self) -> list[Event]:
        """Return the events that made steps, in the order of the steps."""
        by_id = {event.id: event for event in self.events}
        own = {event.id: event for event in self.events if event.role == self.role}
        causes: list[Event] = []
        while True:
            ids = step_ids(self.events[0].run_id, self.role, len(causes))
            made = next((own[each] for each in ids if each in own), None)
            if made is None or made.causation_id is None:
                return causes
            causes.append(by_id[made.causation_id])

    def consumed(self) -> Iterator[Event]:
        """Yield what the role consumed: causes of steps in their order, and what led to none by its place in the log.

        Of what follows the end of the run the role consumed nothing.
        """
        causes = self.causes()
        made_step = {cause.id for cause in causes}
        others = iter([each for each in self._until_end() if self._is_consumed(each) and each.id not in made_step])
        places = {event.id: place for place, event in enumerate(self.events)}
        other = next(others, None)
        for cause in causes:
            while other is not None and places[other.id] < places[cause.id]:
                yield other
                other = next(others, None)
            yield cause
        while other is not None:
            yield other
            other = next(others, None)

    def decided_in_step(self, cause: Event, step: int) -> list[Event]:
        """Return what the role's policy decided in the step that an event made, outcomes apart."""
        decided = [each for each in self.decisions if each.causation_id == cause.id]
        ids = {request_id(cause.run_id, self.role, step, ordinal) for ordinal in range(1, 1 + len(decided))}
        return [each for each in decided if each.id in ids]

    def _until_end(self) -> Iterator[Event]:
        for event in self.events:
            if isinstance(event, ENDINGS):
                return
            yield event

    def _is_consumed(self, event: Event) -> bool:
        role = self.consumes.get(type(event), "none")
        return role in {None, event.role}


class _RecordedPolicy:
    """A policy whose prompts are compared with the recorded ones."""

    def __init__(self, policy: RolePolicy[Any], recording: _Recording, *, with_prompts: bool) -> None:
        self._policy = policy
        self._recording = recording
        self._with_prompts = with_prompts
        self.role: Role = policy.role
        self.tools: Sequence[type[BaseModel]] = policy.tools
        self.notes_class: type[Any] = policy.notes_class
        self.prompt_digest = policy.prompt_digest

    async def on_event(self, event: Event, notes: Any, events: StepEvents) -> Reaction[Any]:  # noqa: ANN401 - any policy's
        """Return the policy's reaction; raise `DivergenceError` if its prompt is another one."""
        reaction = await self._policy.on_event(event, notes, events)
        call = self._recording.calls.get(event.id)
        if bool(reaction.model) != (call is not None):
            recorded = "calls no model" if call is None else f"calls {call.model}"
            replayed = f"calls {reaction.model}" if reaction.model else "calls no model"
            raise DivergenceError(Divergence("model call", event, recorded, replayed))
        if call is not None and self._with_prompts:
            _require_equal_prompt(event, call.new_messages, reaction.messages)
        return reaction

    async def on_reply(self, reply: Message, notes: Any, events: StepEvents) -> Decision[Any]:  # noqa: ANN401 - as above
        """Return the policy's decision."""
        return await self._policy.on_reply(reply, notes, events)

    def give_up(self, problem: str, notes: Any, events: StepEvents) -> Decision[Any]:  # noqa: ANN401 - as above
        """Return the policy's decision."""
        return self._policy.give_up(problem, notes, events)


async def replay_role(
    policy: RolePolicy[Any], consumes: Consumes, events: Sequence[Event], *, with_prompts: bool = True
) -> RoleReplay:
    """Replay a role's part of a run, whose events are in the order of the log with their long texts restored.

    The replay ends at the first divergence: everything after it would differ, too.
    """
    recording = _Recording(policy.role, events, consumes)
    bus, checkpoints = RecordedBus(events), MemoryCheckpoints()
    checked = _RecordedPolicy(policy, recording, with_prompts=with_prompts)
    graph = RoleGraph(checked, RoleModel(lambda _: PolicyChat(policy=_never_called)), bus, checkpoints)
    steps, number = len(recording.causes()), 0
    for number, event in enumerate(recording.consumed(), start=1):
        step = (await graph.state(event.run_id)).step
        try:
            await graph.enter(event, step)
            bus.require_published(recording.decided_in_step(event, step))
        except DivergenceError as error:
            return RoleReplay(policy.role, number, steps, error.divergence)
        except ThreadMovedError:
            divergence = Divergence("model call", event, "calls no model", "calls the model of the next step")
            return RoleReplay(policy.role, number, steps, divergence)
    try:
        bus.require_published(recording.decisions)
    except DivergenceError as error:
        return RoleReplay(policy.role, number, steps, error.divergence)
    return RoleReplay(policy.role, number, steps)


def _never_called(_messages: Sequence[Any]) -> Any:  # noqa: ANN401 - never returns
    raise ModelUnavailableError("a replay calls no model")


def _require_equal_prompt(event: Event, recorded: tuple[Message, ...], replayed: tuple[Message, ...]) -> None:
    """Compare the end of the recorded messages: what precedes it are replies that could not be used."""
    newest = recorded[len(recorded) - len(replayed) :] if replayed else ()
    if newest != replayed:
        raise DivergenceError(Divergence("prompt", event, lines_of_messages(newest), lines_of_messages(replayed)))
