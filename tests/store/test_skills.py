"""Versions of learned skills."""

import asyncio
from uuid import uuid4

import pytest
from contracts.envelope import Role
from sqlalchemy import text
from store.database import Database
from store.skills.versions import NewSkill, Skills

from tests.contracts.example_values import blob, digest


@pytest.fixture
def skills(database: Database) -> Skills:
    return Skills(database.engine)


async def versions(database: Database, name: str) -> list[tuple[int, str]]:
    """Return version and digest of every stored version of a skill."""
    query = text("SELECT version, digest FROM skills.skill WHERE name = :name ORDER BY version")
    async with database.engine.connect() as connection:
        return [(version, digest) for version, digest in await connection.execute(query, {"name": name})]


def new_name() -> str:
    return f"skill-{uuid4().hex}"


def skill(name: str, content: str, for_role: Role = "engineer") -> NewSkill:
    return NewSkill(
        name=name,
        for_role=for_role,
        description=f"About {content}.",
        digest=digest(content),
        artifact=blob(content, "text/markdown", len(content)),
        learned_from=uuid4(),
    )


async def test_each_new_text_is_the_next_version(skills: Skills, database: Database):
    name = new_name()
    learned = [await skills.learn(skill(name, content)) for content in ("a", "b", "c")]
    assert [one.version for one in learned] == [1, 2, 3]
    assert await versions(database, name) == [(one.version, one.digest) for one in learned]


async def test_same_text_is_the_same_version(skills: Skills, database: Database):
    name = new_name()
    first = await skills.learn(skill(name, "a"))
    await skills.learn(skill(name, "b"))
    again = await skills.learn(skill(name, "a"))
    assert again == first
    assert [version for version, _ in await versions(database, name)] == [1, 2]


async def test_concurrent_learning_gives_consecutive_versions(skills: Skills):
    name = new_name()
    contents = [f"text {number % 6}" for number in range(12)]
    learned = await asyncio.gather(*(skills.learn(skill(name, content)) for content in contents))
    assert {one.version for one in learned} == {1, 2, 3, 4, 5, 6}
    assert len({(one.digest, one.version) for one in learned}) == 6


async def test_newest_returns_newest_versions_of_own_role(skills: Skills):
    mine, theirs = new_name(), new_name()
    await skills.learn(skill(mine, "old"))
    newest = await skills.learn(skill(mine, "new"))
    await skills.learn(skill(theirs, "other", for_role="critic"))
    seen = {one.name: one for one in await skills.newest("engineer")}
    assert seen[mine] == newest
    assert theirs not in seen


async def test_nul_in_description_is_escaped(skills: Skills):
    learned = await skills.learn(skill(new_name(), "a\0b"))
    assert learned.description == "About a\\0b."
