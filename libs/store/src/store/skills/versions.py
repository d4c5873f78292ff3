"""Learned skills: their versions, which of them are offered, and what runs were offered."""

from datetime import datetime
from uuid import UUID

from contracts.envelope import Role
from contracts.events.skill import SkillsOffered
from contracts.model import Model
from contracts.models.artifact import ArtifactRef, Sha256
from contracts.skills import SkillStatus
from pydantic import PositiveInt
from sqlalchemy import RowMapping, Select, delete, func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from store.outages import open_connection, open_transaction
from store.tables import OfferRow, SkillRow


class NewSkill(Model):
    """A skill that has no version yet."""

    name: str
    """Folder name, in kebab-case."""
    for_role: Role
    description: str
    digest: Sha256
    """Digest of SKILL.md, or of the whole folder if it has other files."""
    artifact: ArtifactRef
    """SKILL.md."""
    learned_from: UUID
    """The run from which it was learned, or in which a user imported it."""
    status: SkillStatus = "adopted"
    base_version: PositiveInt | None = None
    """The version that was changed; None: the skill is new."""
    files: ArtifactRef | None = None
    """Zip of the folder's other files."""
    diff: str = ""
    """The change of SKILL.md."""


class LearnedSkill(NewSkill):
    """One version of a skill."""

    version: PositiveInt
    learned_at: datetime
    adopted_at: datetime | None = None


class Skills:
    """Reads and writes the learned skills."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def learn(self, skill: NewSkill) -> LearnedSkill:
        """Store `skill` as the next version of its name and return it, or return the version with the same digest."""
        async with open_transaction(self._engine) as connection:
            # Serializes writers of one name until the transaction ends.
            await _lock(connection, skill.name)
            newest = await connection.scalar(select(func.max(SkillRow.version)).where(SkillRow.name == skill.name))
            row = _row(skill) | {"version": (newest or 0) + 1}
            if skill.status == "adopted":
                row["adopted_at"] = func.clock_timestamp()
            await connection.execute(insert(SkillRow).values(row).on_conflict_do_nothing())
            same = select(SkillRow).where(SkillRow.name == skill.name, SkillRow.digest == skill.digest)
            return _learned((await connection.execute(same)).mappings().one())

    async def newest(self, for_role: Role) -> list[LearnedSkill]:
        """Return of each skill of a role the version that is offered, by name: of the adopted ones the last adopted."""
        return list({skill.name: skill for skill in await self._adopted(for_role)}.values())

    async def versions(self, name: str = "", for_role: Role | None = None) -> list[LearnedSkill]:
        """Return all versions by name and number, of one skill or of all, of one role or of all."""
        query = select(SkillRow).order_by(SkillRow.name, SkillRow.version)
        if name:
            query = query.where(SkillRow.name == name)
        if for_role is not None:
            query = query.where(SkillRow.for_role == for_role)
        return await self._read(self._engine, query)

    async def version(self, name: str, version: int) -> LearnedSkill | None:
        """Return one version."""
        found = [each for each in await self.versions(name) if each.version == version]
        return found[0] if found else None

    async def set_status(self, name: str, version: int, status: SkillStatus) -> None:
        """Change the status of a version; one that is adopted is offered from now on."""
        async with open_transaction(self._engine) as connection:
            await _lock(connection, name)
            await change_status(connection, name, version, status)

    async def keep_offer(self, offered: SkillsOffered) -> SkillsOffered:
        """Store what a role of a run is offered, and return what it was offered first."""
        row = {"run_id": offered.run_id, "role": offered.role, "skills": offered.model_dump_json()}
        first = select(OfferRow.skills).where(OfferRow.run_id == offered.run_id, OfferRow.role == offered.role)
        async with open_transaction(self._engine) as connection:
            await connection.execute(insert(OfferRow).values(row).on_conflict_do_nothing())
            return SkillsOffered.model_validate_json(str(await connection.scalar(first)))

    async def offers_of(self, name: str) -> list[SkillsOffered]:
        """Return the offers of all runs in work that have this skill."""
        query = select(OfferRow.skills).where(OfferRow.skills.contains(f'"name":"{name}"', autoescape=True))
        async with open_connection(self._engine) as connection:
            return [SkillsOffered.model_validate_json(each) for each in await connection.scalars(query)]

    async def forget_offers(self, run_id: UUID) -> None:
        """Delete the offers of a run that has ended."""
        async with open_transaction(self._engine) as connection:
            await connection.execute(delete(OfferRow).where(OfferRow.run_id == run_id))

    async def _adopted(self, for_role: Role) -> list[LearnedSkill]:
        query = (
            select(SkillRow)
            .where(SkillRow.for_role == for_role, SkillRow.status == "adopted")
            .order_by(SkillRow.name, SkillRow.adopted_at, SkillRow.version)
        )
        return await self._read(self._engine, query)

    @staticmethod
    async def _read(engine: AsyncEngine, query: Select[SkillRow]) -> list[LearnedSkill]:
        async with open_connection(engine) as connection:
            return [_learned(row) for row in (await connection.execute(query)).mappings()]


async def change_status(connection: AsyncConnection, name: str, version: int, status: SkillStatus) -> None:
    """Change the status of a version within a transaction."""
    changes: dict[str, object] = {"status": status}
    if status == "adopted":
        changes["adopted_at"] = func.clock_timestamp()
    where = (SkillRow.name == name, SkillRow.version == version)
    await connection.execute(update(SkillRow).where(*where).values(changes))


async def _lock(connection: AsyncConnection, name: str) -> None:
    await connection.execute(text("SELECT pg_advisory_xact_lock(hashtext(:name))"), {"name": name})


def _row(skill: NewSkill) -> dict[str, object]:
    row: dict[str, object] = skill.model_dump(exclude={"artifact", "files"})
    row["artifact"] = skill.artifact.model_dump_json()
    row["files"] = None if skill.files is None else skill.files.model_dump_json()
    return row


def _learned(row: RowMapping) -> LearnedSkill:
    files = None if row["files"] is None else ArtifactRef.model_validate_json(row["files"])
    artifact = ArtifactRef.model_validate_json(row["artifact"])
    return LearnedSkill.model_validate({**row, "artifact": artifact, "files": files})
