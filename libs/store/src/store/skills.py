"""Learned skills and their versions."""

from datetime import datetime
from uuid import UUID

from contracts.envelope import Role
from contracts.model import Model
from contracts.models.artifact import ArtifactRef, Sha256
from pydantic import PositiveInt
from sqlalchemy import RowMapping, func, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from store.outages import open_connection, open_transaction
from store.tables import SkillRow


class NewSkill(Model):
    """A skill that has no version yet."""

    name: str
    """Folder name, in kebab-case."""
    for_role: Role
    description: str
    digest: Sha256
    """Digest of SKILL.md."""
    artifact: ArtifactRef
    """SKILL.md."""
    learned_from: UUID
    """The run from which it was learned."""


class LearnedSkill(NewSkill):
    """One version of a skill."""

    version: PositiveInt
    learned_at: datetime


class Skills:
    """Reads and writes the learned skills."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def learn(self, skill: NewSkill) -> LearnedSkill:
        """Store `skill` as the next version of its name and return it, or return the version with the same digest."""
        async with open_transaction(self._engine) as connection:
            # Serializes writers of one name until the transaction ends.
            await connection.execute(text("SELECT pg_advisory_xact_lock(hashtext(:name))"), {"name": skill.name})
            newest = await connection.scalar(select(func.max(SkillRow.version)).where(SkillRow.name == skill.name))
            row = _row(skill) | {"version": (newest or 0) + 1}
            await connection.execute(insert(SkillRow).values(row).on_conflict_do_nothing())
            same = select(SkillRow).where(SkillRow.name == skill.name, SkillRow.digest == skill.digest)
            return _learned((await connection.execute(same)).mappings().one())

    async def newest(self, for_role: Role) -> list[LearnedSkill]:
        """Return the newest version of each skill of a role, by name."""
        query = select(SkillRow).where(SkillRow.for_role == for_role).order_by(SkillRow.name, SkillRow.version)
        async with open_connection(self._engine) as connection:
            versions = [_learned(row) for row in (await connection.execute(query)).mappings()]
        return list({skill.name: skill for skill in versions}.values())


def _row(skill: NewSkill) -> dict[str, object]:
    row: dict[str, object] = skill.model_dump(exclude={"artifact"})
    row["artifact"] = skill.artifact.model_dump_json()
    return row


def _learned(row: RowMapping) -> LearnedSkill:
    return LearnedSkill.model_validate({**row, "artifact": ArtifactRef.model_validate_json(row["artifact"])})
