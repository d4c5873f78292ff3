"""Notices to runs in work that a newer version of a skill was adopted; they keep their own."""

from uuid import uuid5

from contracts.envelope import Event
from contracts.events.skill import SkillUpdated
from store.skills.versions import LearnedSkill, Skills

from skill_learner.offers import offered


async def notices(skills: Skills, adopted: LearnedSkill, cause: Event) -> list[SkillUpdated]:
    """Return a notice for each role of a run in work that was offered an older version."""
    found: list[SkillUpdated] = []
    for offer in await skills.offers_of(adopted.name):
        older = [each for each in offer.skills if each.name == adopted.name and each.version != adopted.version]
        if not older or offer.kind == "trial":
            continue
        found.append(
            SkillUpdated(
                id=uuid5(offer.id, f"{adopted.name} v{adopted.version}"),
                run_id=offer.run_id,
                kind=offer.kind,
                role="skill-learner",
                causation_id=cause.id,
                producer="skill-learner",
                for_role=offer.role,
                skills=(offered(adopted),),
            )
        )
    return found
