"""Trials of skills, the runs of each that have ended, and failures of a benchmark in a row."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from contracts.events.skill import TrialCompleted, TrialRequested
from contracts.model import Model
from contracts.skills import PinnedSkill, SkillStatus, TrialArm
from pydantic import NonNegativeInt, TypeAdapter
from sqlalchemy import ColumnElement, delete, func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from store.outages import open_connection, open_transaction
from store.skills.versions import change_status
from store.tables import FailedRunRow, TrialRow, TrialRunRow

_PINNED: TypeAdapter[tuple[PinnedSkill, ...]] = TypeAdapter(tuple[PinnedSkill, ...])


class StoredTrial(NamedTuple):
    """A trial and, once it is completed, its outcome."""

    request: TrialRequested
    pinned: tuple[PinnedSkill, ...]
    """The learned skills of all its runs, besides the one on trial."""
    outcome: TrialCompleted | None


class TrialRun(Model):
    """How one run of a trial ended."""

    run_id: UUID
    trial_id: UUID
    pair: NonNegativeInt
    arm: TrialArm
    is_solved: bool
    failures: NonNegativeInt
    target_failures: NonNegativeInt


class SkillTrials:
    """Reads and writes trials."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def begin(self, request: TrialRequested, pinned: Sequence[PinnedSkill]) -> StoredTrial:
        """Store a trial; of one that is stored already, the first skills that were pinned remain."""
        row = {
            "id": request.run_id,
            "name": request.name,
            "for_role": request.for_role,
            "version": request.version,
            "request": request.model_dump_json(),
            "pinned": _PINNED.dump_json(tuple(pinned)).decode(),
        }
        async with open_transaction(self._engine) as connection:
            await connection.execute(insert(TrialRow).values(row).on_conflict_do_nothing())
        stored = await self.find(request.run_id)
        assert stored is not None
        return stored

    async def find(self, trial_id: UUID) -> StoredTrial | None:
        """Return a trial."""
        found = await self._read(TrialRow.id == trial_id)
        return found[0] if found else None

    async def of_skill(self, name: str) -> list[StoredTrial]:
        """Return the trials of a skill, the oldest first; of an empty name, all."""
        return await self._read(TrialRow.name == name if name else TrialRow.name.is_not(None))

    async def add_run(self, run: TrialRun) -> None:
        """Store how a run ended; the first time counts."""
        async with open_transaction(self._engine) as connection:
            await connection.execute(insert(TrialRunRow).values(run.model_dump()).on_conflict_do_nothing())

    async def runs(self, trial_id: UUID) -> list[TrialRun]:
        """Return the runs of a trial that have ended, by pair."""
        query = select(TrialRunRow).where(TrialRunRow.trial_id == trial_id).order_by(TrialRunRow.pair, TrialRunRow.arm)
        async with open_connection(self._engine) as connection:
            return [TrialRun.model_validate(dict(row)) for row in (await connection.execute(query)).mappings()]

    async def complete(self, outcome: TrialCompleted, status: SkillStatus) -> TrialCompleted:
        """Store the outcome and the status of the version together; return the outcome that was stored first."""
        async with open_transaction(self._engine) as connection:
            await connection.execute(text("SELECT pg_advisory_xact_lock(hashtext(:id))"), {"id": str(outcome.run_id)})
            stored = await connection.scalar(select(TrialRow.outcome).where(TrialRow.id == outcome.run_id))
            if stored is not None:
                return TrialCompleted.model_validate_json(stored)
            await self._store(connection, outcome, status)
        return outcome

    async def count_failure(self, run_id: UUID, benchmark: str) -> int:
        """Return the place of a failed run among the failures of its benchmark since the last success, from 1."""
        count = select(func.count()).select_from(FailedRunRow).where(FailedRunRow.benchmark == benchmark)
        async with open_transaction(self._engine) as connection:
            await connection.execute(text("SELECT pg_advisory_xact_lock(hashtext(:name))"), {"name": benchmark})
            row = {"run_id": run_id, "benchmark": benchmark, "place": (await connection.scalar(count) or 0) + 1}
            await connection.execute(insert(FailedRunRow).values(row).on_conflict_do_nothing())
            return await connection.scalar(select(FailedRunRow.place).where(FailedRunRow.run_id == run_id)) or 1

    async def forget_failures(self, benchmark: str) -> None:
        """Begin to count again, after a success."""
        async with open_transaction(self._engine) as connection:
            await connection.execute(delete(FailedRunRow).where(FailedRunRow.benchmark == benchmark))

    @staticmethod
    async def _store(connection: AsyncConnection, outcome: TrialCompleted, status: SkillStatus) -> None:
        changes = {"verdict": outcome.verdict, "outcome": outcome.model_dump_json()}
        await connection.execute(update(TrialRow).where(TrialRow.id == outcome.run_id).values(changes))
        named = select(TrialRow.name, TrialRow.version).where(TrialRow.id == outcome.run_id)
        name, version = (await connection.execute(named)).one()
        await change_status(connection, name, version, status)

    async def _read(self, where: ColumnElement[bool]) -> list[StoredTrial]:
        query = select(TrialRow).where(where).order_by(TrialRow.requested_at)
        async with open_connection(self._engine) as connection:
            rows = (await connection.execute(query)).mappings().all()
        return [
            StoredTrial(
                TrialRequested.model_validate_json(row["request"]),
                _PINNED.validate_json(row["pinned"]),
                None if row["outcome"] is None else TrialCompleted.model_validate_json(row["outcome"]),
            )
            for row in rows
        ]
