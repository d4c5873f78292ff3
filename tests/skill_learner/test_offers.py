"""Tests of offered skills."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from artifacts.port import reference
from chassis.testing import FakeBus
from contracts.envelope import Role, deciding, outcome_id
from contracts.events.skill import SkillsOffered, SkillsRequested
from contracts.skills import PinnedSkill
from pydantic import ValidationError
from skill_learner.offers import Access, SkillOffers
from skill_learner.settings import Settings
from store.skills.versions import LearnedSkill

from tests.agent.role_harness import engineering_requested
from tests.contracts import example_values as values
from tests.skill_learner.learner_harness import FakeVersions

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


ALL = (
    learned("legs", "engineer", 3, day=2),
    learned("walls", "engineer", day=9),
    learned("walls", "critic", 4, day=1),
    learned("paths", "planner", day=3),
)


async def offered(role: Role, access: Access, at_most: int = 50, **opening: Any) -> SkillsOffered:
    bus, requested = FakeBus(), engineering_requested(**opening)
    await bus.publish(requested)
    request = SkillsRequested(**deciding(requested, role, 1))
    return await SkillOffers(FakeVersions(*ALL), access, at_most, bus).answer(request)


async def test_role_is_offered_its_own_skills() -> None:
    offer = await offered("engineer", {})
    assert [(skill.name, skill.version) for skill in offer.skills] == [("legs", 3), ("walls", 1)]
    assert [skill.version for skill in (await offered("critic", {})).skills] == [4]
    assert [skill.name for skill in (await offered("planner", {})).skills] == ["paths"]
    assert offer.role == "engineer"


async def test_own_skill_precedes_another_roles_of_its_name() -> None:
    offer = await offered("critic", {"critic": ("engineer",)})
    assert [(skill.name, skill.description) for skill in offer.skills] == [
        ("legs", "what engineer knows of legs"),
        ("walls", "what critic knows of walls"),
    ]


@pytest.mark.parametrize("role", ["planner", "engineer", "critic"])
async def test_access_is_effective_for_every_role_that_reads_skills(role: Role) -> None:
    others: dict[Role, tuple[Role, ...]] = {
        "planner": ("engineer",),
        "engineer": ("planner",),
        "critic": ("planner", "engineer"),
    }
    own = {skill.name for skill in (await offered(role, {})).skills}
    shared = {skill.name for skill in (await offered(role, others)).skills}
    expected = {skill.name for skill in ALL if skill.for_role in {role, *others[role]}}
    assert shared == expected > own


async def test_run_with_pinned_skills_is_offered_exactly_these() -> None:
    pinned = (PinnedSkill(for_role="engineer", name="legs", version=3),)
    assert [skill.name for skill in (await offered("engineer", {}, skills=pinned)).skills] == ["legs"]
    assert (await offered("engineer", {}, skills=())).skills == ()


async def test_run_keeps_what_it_was_offered_first() -> None:
    bus, requested = FakeBus(), engineering_requested()
    versions = FakeVersions(*ALL)
    offers = SkillOffers(versions, {}, 50, bus)
    first = await offers.answer(SkillsRequested(**deciding(requested, "engineer", 1)))
    versions.stored.append(learned("legs", "engineer", 4, day=20))
    again = SkillsRequested(**deciding(requested, "engineer", 2))
    second = await offers.answer(again)
    assert second.skills == first.skills
    assert second.id == outcome_id(again.id), "each request has an answer of its own: a critic asks before each review"


async def test_latest_learned_skills_are_offered_first() -> None:
    assert [skill.name for skill in (await offered("engineer", {}, at_most=1)).skills] == ["walls"]


def test_access_is_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLS_ACCESS", "critic=engineer+planner, planner=engineer")
    assert _settings().skills_access == {"critic": ("engineer", "planner"), "planner": ("engineer",)}


@pytest.mark.parametrize(
    "text",
    ["critic", "critic=", "critic=painter", "painter=engineer", "=engineer", "catalog=engineer", "critic=catalog"],
)
def test_invalid_access_is_rejected(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLS_ACCESS", text)
    with pytest.raises(ValidationError, match="skills_access"):
        _settings()


def _settings() -> Settings:
    return Settings(**SERVERS)
