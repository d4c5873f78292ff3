"""Recorded runs through the roles of today: after a deliberate change, `python -m tests.replay.record`."""

from collections.abc import Sequence
from typing import Any

import pytest
from agent.loop.role import Decision, Reaction, StepEvents
from agent.replay.role_replay import replay_role
from cli.role_replays import REPLAYED, replay_service
from contracts.envelope import Event, Role
from contracts.events.conversation import ModelCalled
from contracts.events.run import RunSucceeded
from contracts.events.session import CellCompleted, CellRequested
from contracts.models.conversation import Message
from engineer.app import CONSUMES
from engineer.notes import EngineerNotes
from engineer.policy import Engineer

from tests.support.event_logs.recorded_run import names, read

CHUTE = "offline-chute"


@pytest.mark.parametrize("role", REPLAYED)
@pytest.mark.parametrize("name", names())
async def test_recorded_run_is_decided_as_before(name: str, role: Role) -> None:
    recorded = await read(name)
    replayed = await replay_service(role, recorded.events, recorded.artifacts)
    assert replayed.divergence is None, replayed.divergence.diff
    assert replayed.steps > 0


@pytest.mark.parametrize("name", names())
async def test_recorded_run_is_solved(name: str) -> None:
    recorded = await read(name)
    assert any(isinstance(each, RunSucceeded) and each.result.is_proven for each in recorded.events)


class _Hasty(Engineer):
    """An engineer that gives each cell less time than the recorded one."""

    async def on_reply(self, reply: Message, notes: EngineerNotes, events: StepEvents) -> Decision[EngineerNotes]:
        decision = await super().on_reply(reply, notes, events)
        hasty = [
            each.model_copy(update={"timeout_s": 1.0}) if isinstance(each, CellRequested) else each
            for each in decision.decided
        ]
        return Decision(decision.notes, tuple(hasty))


class _Silent(Engineer):
    """An engineer that ignores what its cells print."""

    async def on_event(self, event: Event, notes: EngineerNotes, events: StepEvents) -> Reaction[EngineerNotes]:
        return Reaction(notes) if isinstance(event, CellCompleted) else await super().on_event(event, notes, events)


class _Chatty(Engineer):
    """An engineer whose prompts end with another sentence."""

    async def on_event(self, event: Event, notes: EngineerNotes, events: StepEvents) -> Reaction[EngineerNotes]:
        reaction = await super().on_event(event, notes, events)
        messages = [each.model_copy(update={"text": each.text + "\nPlease."}) for each in reaction.messages]
        return Reaction(reaction.notes, tuple(messages), reaction.model, reaction.decided, reaction.tools)


async def _replayed(engineer: Engineer, **options: Any) -> Any:
    recorded = await read(CHUTE)
    return (await replay_role(engineer, CONSUMES, recorded.events, **options)).divergence


async def test_changed_decision_is_found_at_its_event() -> None:
    divergence = await _replayed(_Hasty())
    assert divergence.what == "decision"
    events = (await read(CHUTE)).events
    assert divergence.event.id == _first(events, CellRequested).causation_id
    assert "+  timeout_s: 1.0" in divergence.diff


async def test_missing_decision_is_found_at_its_event() -> None:
    divergence = await _replayed(_Silent())
    assert divergence.what == "model call"
    assert divergence.event.id == _first((await read(CHUTE)).events, CellCompleted).id
    assert (divergence.recorded, divergence.replayed) == ("calls offline", "calls no model")


async def test_changed_prompt_is_found_unless_prompts_are_left_out() -> None:
    divergence = await _replayed(_Chatty())
    assert divergence.what == "prompt"
    assert "+Please." in divergence.diff
    assert await _replayed(_Chatty(), with_prompts=False) is None


async def test_decision_that_the_log_lacks_is_additional() -> None:
    recorded = await read(CHUTE)
    lost = _first(recorded.events, CellRequested)
    events = [each for each in recorded.events if each.id != lost.id]
    divergence = (await replay_role(Engineer(), CONSUMES, events)).divergence
    assert divergence is not None
    assert divergence.what == "additional decision"
    assert "CellRequested" in divergence.diff


async def test_reply_that_the_log_lacks_is_a_model_call() -> None:
    recorded = await read(CHUTE)
    calls = [each for each in recorded.events if isinstance(each, ModelCalled) and each.role == "engineer"]
    events = [each for each in recorded.events if each.id != calls[-1].id]
    divergence = (await replay_role(Engineer(), CONSUMES, events)).divergence
    assert divergence is not None
    assert (divergence.what, divergence.recorded) == ("model call", "calls no model")


def _first(events: Sequence[Event], event_class: type[Event]) -> Event:
    return next(each for each in events if isinstance(each, event_class) and each.role == "engineer")
