"""Replays of recorded runs through the roles as they are today."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agent.loop.role import RolePolicy
from agent.loop.thread import Consumes
from agent.replay.role_replay import RoleReplay, replay_role
from artifacts.port import ArtifactStore
from contracts.envelope import Event, Role
from contracts.events.run import EngineeringRequested
from contracts.events.simulation import FilmRequested
from critic.app import CONSUMES as CRITIC_CONSUMES
from critic.policy import Critic
from engineer.app import CONSUMES as ENGINEER_CONSUMES
from engineer.policy import Engineer
from planner.app import CONSUMES as PLANNER_CONSUMES
from planner.policy import Planner


@dataclass(frozen=True)
class _Replayed:
    """How a role's policy is made for a replay, and what it consumes."""

    make: Callable[[Sequence[Event], ArtifactStore], RolePolicy[Any]]
    consumes: Consumes


def _planner(_events: Sequence[Event], artifacts: ArtifactStore) -> Planner:
    return Planner(_usable, artifacts)


def _engineer(_events: Sequence[Event], _artifacts: ArtifactStore) -> Engineer:
    return Engineer()


def _critic(events: Sequence[Event], artifacts: ArtifactStore) -> Critic:
    """Return a critic whose model sees pictures if it saw them in the recording."""
    saw_pictures = any(isinstance(each, FilmRequested) and each.role == "critic" for each in events)
    return Critic(artifacts, lambda _model: saw_pictures)


def _usable(_model: str, /, *, priced: bool = False) -> str | None:
    """Return no problem of any model: a replay calls none."""


REPLAYED: Mapping[Role, _Replayed] = {
    "planner": _Replayed(_planner, {**PLANNER_CONSUMES, EngineeringRequested: None}),
    "engineer": _Replayed(_engineer, ENGINEER_CONSUMES),
    "critic": _Replayed(_critic, CRITIC_CONSUMES),
}
"""The roles that can be replayed: what the others decide depends on tables besides the run's events."""


async def replay_service(
    role: Role, events: Sequence[Event], artifacts: ArtifactStore, *, with_prompts: bool = True
) -> RoleReplay:
    """Replay one of `REPLAYED`. `events` are a run's, in the order of the log, with their long texts restored."""
    replayed = REPLAYED[role]
    return await replay_role(replayed.make(events, artifacts), replayed.consumes, events, with_prompts=with_prompts)
