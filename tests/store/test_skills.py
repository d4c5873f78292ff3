"""Versions of learned skills."""

import asyncio
from uuid import uuid4

import pytest
from contracts.envelope import Role
from store.database import Database
from store.skills import NewSkill, Skills

from tests.contracts.example_values import blob, digest


@pytest.fixture
def skills(database: Database) -> Skills:
    return Skills(database.engine)


def new_name() -> str:
    return f"skill-{uuid4().hex}"


def skill(name: str, text: str, for_role: Role = "engineer") -> NewSkill:
    return NewSkill(
        name=name,
        for_role=for_role,
        description=f"About {text}.",
        digest=digest(text),
        artifact=blob(text, "text/markdown", len(text)),
        learned_from=uuid4(),
    )


async def test_each_new_text_is_the_next_version(skills: Skills):
    name = new_name()
    learned = [await skills.learn(skill(name, text)) for text in ("a", "b", "c")]
    assert [one.version for one in learned] == [1, 2, 3]
    assert await skills.versions_of(name) == learned


async def test_same_text_is_the_same_version(skills: Skills):
    name = new_name()
    first = await skills.learn(skill(name, "a"))
    await skills.learn(skill(name, "b"))
    again = await skills.learn(skill(name, "a"))
    assert again == first
    assert [one.version for one in await skills.versions_of(name)] == [1, 2]


async def test_concurrent_learning_gives_consecutive_versions(skills: Skills):
    name = new_name()
    texts = [f"text {number % 6}" for number in range(12)]
    learned = await asyncio.gather(*(skills.learn(skill(name, text)) for text in texts))
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
