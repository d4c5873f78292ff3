"""Skills: those learned from runs, and each time that one was offered to a role."""

from collections.abc import Iterator

from contracts.events.skill import SkillLearned, SkillsOffered
from sqlalchemy import Index

from store.read_models.columns import excerpt, id_column, short, table, text_column, time_column, whole_column
from store.read_models.row import Projections, Row

SKILLS = table(
    "skills",
    id_column(),
    id_column("run_id", required=True),
    whole_column("sequence", required=True),
    text_column("name", required=True),
    whole_column("version", required=True),
    *(text_column(name, required=True) for name in ("for_role", "description", "digest")),
    time_column("learned_at"),
    indexes=(Index(None, "run_id"), Index(None, "name", "version")),
)
SKILL_OFFERS = table(
    "skill_offers",
    id_column("offer_id"),
    whole_column("number"),
    id_column("run_id", required=True),
    text_column("role", required=True),
    text_column("name", required=True),
    whole_column("version", required=True),
    time_column("offered_at"),
    key=("offer_id", "number"),
    indexes=(Index(None, "run_id"), Index(None, "name", "version")),
)


def _learned(event: SkillLearned, sequence: int) -> Iterator[Row]:
    yield Row(
        SKILLS,
        {
            "id": event.id,
            "run_id": event.run_id,
            "sequence": sequence,
            "name": short(event.name),
            "version": event.version,
            "for_role": event.for_role,
            "description": excerpt(event.description),
            "digest": event.digest,
            "learned_at": event.occurred_at,
        },
    )


def _offered(event: SkillsOffered, _: int) -> Iterator[Row]:
    for number, skill in enumerate(event.skills, 1):
        yield Row(
            SKILL_OFFERS,
            {
                "offer_id": event.id,
                "number": number,
                "run_id": event.run_id,
                "role": event.role,
                "name": short(skill.name),
                "version": skill.version,
                "offered_at": event.occurred_at,
            },
        )


PROJECTIONS: Projections = {SkillLearned: _learned, SkillsOffered: _offered}
