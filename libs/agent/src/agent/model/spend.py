"""What the model calls of a run cost so far: each call says its role's running total, so the newest ones are enough."""

from collections.abc import Mapping
from functools import reduce
from typing import Protocol, TypeVar, get_args
from uuid import UUID

from contracts.envelope import Event, Role
from contracts.events.conversation import ModelCalled
from contracts.models.conversation import Usage

from agent.model.prices import NOTHING_SPENT, add_usage

E = TypeVar("E", bound=Event)


class Log(Protocol):
    """The log, as far as spending shows in it."""

    async def latest(self, event_class: type[E], run_id: UUID, role: Role | None = None) -> E | None:
        """Return the newest event of a class in a run, on one role's thread or on any."""
        ...


async def spent_by_role(log: Log, run_id: UUID) -> dict[Role, Usage]:
    """Return the running total of every role that called its model in this run."""
    roles: tuple[Role, ...] = get_args(Role)
    latest = [await log.latest(ModelCalled, run_id, role) for role in roles]
    return {call.role: call.spent for call in latest if call is not None}


def total_of(spent: Mapping[Role, Usage]) -> Usage:
    """Return what all roles spent together."""
    return reduce(add_usage, spent.values(), NOTHING_SPENT)


def tokens_of(usage: Usage) -> int:
    """Return input and output tokens together."""
    return usage.input_tokens + usage.output_tokens
