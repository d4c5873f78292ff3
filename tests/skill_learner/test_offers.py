"""Tests of offered skills."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from artifacts.port import reference
from contracts.envelope import Role
from contracts.events.skill import SkillsOffered, SkillsRequested
from pydantic import ValidationError
from skill_learner.settings import Settings
from skill_learner.skills import Access, SkillOffers
from store.skills import LearnedSkill

from tests.agent.role_harness import engineering_requested
from tests.contracts import example_values as values

SERVERS: dict[str, Any] = {
    "nats_url": "nats://n",
    "database_url": "postgresql://d",
    "s3_endpoint": "s",
    "s3_access_key": "a",
    "s3_secret_key": "k",
}


def learned(name: str, for_role: Role, version: int = 1, day: int = 0) -> LearnedSkill:
    ref = reference(f"{name} {version}".encode(), "text/markdown")
    return LearnedSkill(
        name=name,
        for_role=for_role,
        description=f"what {for_role} knows of {name}",
        digest=ref.sha256,
        artifact=ref,
        learned_from=values.RUN,
        version=version,
        learned_at=datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=day),
    )


class Learned:
    """The newest versions, as the database gives them."""

    def __init__(self, *skills: LearnedSkill) -> None:
        self._skills = skills

    async def newest(self, for_role: Role) -> list[LearnedSkill]:
        return [skill for skill in self._skills if skill.for_role == for_role]


ALL = Learned(
    learned("legs", "engineer", 3, day=2), learned("walls", "engineer", day=9), learned("walls", "critic", 4, day=1)
)


async def offered(role: Role, access: Access, at_most: int = 50) -> SkillsOffered:
    request = SkillsRequested.deciding(engineering_requested(), role, 1)
    return await SkillOffers(ALL, access, at_most).answer(request)


async def test_role_is_offered_its_own_skills() -> None:
    offer = await offered("engineer", {})
    assert [(skill.name, skill.version) for skill in offer.skills] == [("legs", 3), ("walls", 1)]
    assert [skill.version for skill in (await offered("critic", {})).skills] == [4]
    assert (await offered("planner", {})).skills == ()
    assert offer.role == "engineer"


async def test_own_skill_precedes_another_roles_of_its_name() -> None:
    offer = await offered("critic", {"critic": ("engineer",)})
    assert [(skill.name, skill.description) for skill in offer.skills] == [
        ("legs", "what engineer knows of legs"),
        ("walls", "what critic knows of walls"),
    ]


async def test_latest_learned_skills_are_offered_first() -> None:
    assert [skill.name for skill in (await offered("engineer", {}, at_most=1)).skills] == ["walls"]


def test_access_is_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLS_ACCESS", "critic=engineer+planner, planner=engineer")
    assert _settings().skills_access == {"critic": ("engineer", "planner"), "planner": ("engineer",)}


@pytest.mark.parametrize("text", ["critic", "critic=", "critic=painter", "painter=engineer", "=engineer"])
def test_invalid_access_is_rejected(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLS_ACCESS", text)
    with pytest.raises(ValidationError, match="skills_access"):
        _settings()


def _settings() -> Settings:
    return Settings(**SERVERS)
