"""Skills: those learned from runs, each time that one was offered to a role, pinned by a run, or opened."""

import re
from collections.abc import Iterator

from contracts.envelope import Event
from contracts.events.conversation import ToolAnswered
from contracts.events.run import EngineeringRequested
from contracts.events.session import CellRequested, FileViewed
from contracts.events.skill import SkillLearned, SkillsOffered
from sqlalchemy import Index

from store.read_models.columns import (
    event_columns,
    excerpt,
    id_column,
    short,
    table,
    text_column,
    time_column,
    whole_column,
)
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

PINNED_SKILLS = table(
    "pinned_skills",
    id_column("run_id"),
    *(text_column(name) for name in ("for_role", "name")),
    whole_column("version", required=True),
    key=("run_id", "for_role", "name"),
    indexes=(Index(None, "name"),),
)
SKILL_OPENINGS = table(
    "skill_openings", *event_columns(), text_column("name"), key=("id", "name"), indexes=(Index(None, "name"),)
)
"""`id`: of the view, the answered call or the cell that read a file of the skill."""
_SKILL_FILE = re.compile(r"\bskills/(?P<name>[a-z0-9-]{1,64})/")


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


def _pinned(event: EngineeringRequested, _: int) -> Iterator[Row]:
    for skill in event.skills or ():
        own = {"run_id": event.run_id, "for_role": skill.for_role, "name": short(skill.name)}
        yield Row(PINNED_SKILLS, {**own, "version": skill.version})


def _viewed(event: FileViewed, _: int) -> Iterator[Row]:
    return _opened(event, event.path)


def _read_by_cell(event: CellRequested, _: int) -> Iterator[Row]:
    return _opened(event, event.code)


def _answered(event: ToolAnswered, _: int) -> Iterator[Row]:
    return iter(()) if event.has_failed or event.tool != "view_file" else _opened(event, event.arguments_json)


def _opened(event: Event, text: str) -> Iterator[Row]:
    for name in dict.fromkeys(_SKILL_FILE.findall(text)):
        yield Row(SKILL_OPENINGS, {"id": event.id, "run_id": event.run_id, "role": event.role, "name": name})


PROJECTIONS: Projections = {
    SkillLearned: _learned,
    SkillsOffered: _offered,
    EngineeringRequested: _pinned,
    FileViewed: _viewed,
    CellRequested: _read_by_cell,
    ToolAnswered: _answered,
}
