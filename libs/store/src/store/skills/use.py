"""What the read models know about the use of skills: who could read one, opened it, failed, and what trials cost."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple
from uuid import UUID

from contracts.envelope import Role
from sqlalchemy import Table, func, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from store.outages import open_connection
from store.read_models.projections.conversations import CONVERSATIONS
from store.read_models.projections.failures import FAILURES
from store.read_models.projections.runs import RUNS
from store.read_models.projections.skills import SKILL_OFFERS, SKILL_OPENINGS
from store.read_models.projections.trials import TRIAL_RUNS

Work = tuple[UUID, Role]
"""The part of one role in one run."""


class FailedWork(NamedTuple):
    """Something that failed in a role's part of a run."""

    work: Work
    reason: str
    detail: str


class TrialCost(NamedTuple):
    """What the runs of one arm of a trial took."""

    runs: int
    tokens: int
    cost_usd: Decimal
    unpriced_calls: int


class SkillUse(NamedTuple):
    """The use of all skills."""

    work: frozenset[Work]
    """In which a model was called."""
    offered: Mapping[str, frozenset[Work]]
    """Learned skills by name."""
    opened: Mapping[str, frozenset[Work]]
    failures: Sequence[FailedWork]
    trials: Mapping[tuple[UUID, str], TrialCost]
    """By trial and arm."""


async def read_use(engine: AsyncEngine) -> SkillUse:
    """Return what the read models know."""
    async with open_connection(engine) as connection:
        work = await connection.execute(select(CONVERSATIONS.c.run_id, CONVERSATIONS.c.role))
        columns = (FAILURES.c.run_id, FAILURES.c.role, FAILURES.c.reason, FAILURES.c.detail)
        failed = await connection.execute(select(*columns).where(FAILURES.c.role.is_not(None)).distinct())
        return SkillUse(
            frozenset((run_id, role) for run_id, role in work),
            await _by_name(connection, SKILL_OFFERS),
            await _by_name(connection, SKILL_OPENINGS),
            [FailedWork((run_id, role), reason or "", detail or "") for run_id, role, reason, detail in failed],
            await _trial_costs(connection),
        )


async def _by_name(connection: AsyncConnection, table: Table) -> dict[str, frozenset[Work]]:
    query = select(table.c.name, table.c.run_id, table.c.role).distinct()
    found: defaultdict[str, set[Work]] = defaultdict(set)
    for name, run_id, role in await connection.execute(query):
        found[name].add((run_id, role))
    return {name: frozenset(work) for name, work in found.items()}


async def _trial_costs(connection: AsyncConnection) -> dict[tuple[UUID, str], TrialCost]:
    query = (
        select(
            TRIAL_RUNS.c.trial_id,
            TRIAL_RUNS.c.arm,
            func.count(),
            func.sum(RUNS.c.input_tokens + RUNS.c.output_tokens),
            func.sum(RUNS.c.cost_usd),
            func.sum(RUNS.c.unpriced_calls),
        )
        .join(RUNS, RUNS.c.run_id == TRIAL_RUNS.c.run_id)
        .group_by(TRIAL_RUNS.c.trial_id, TRIAL_RUNS.c.arm)
    )
    rows = await connection.execute(query)
    return {
        (trial, arm): TrialCost(runs, int(tokens), cost, int(calls)) for trial, arm, runs, tokens, cost, calls in rows
    }
