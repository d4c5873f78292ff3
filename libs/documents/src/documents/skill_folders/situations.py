"""Situations in which a role should open a shipped skill, and those in which it should not."""

from collections.abc import Mapping, Sequence
from importlib import resources

from contracts.envelope import Role
from contracts.model import Model
from pydantic import Field, TypeAdapter


class Situation(Model):
    """Where a role is in its work."""

    role: Role
    text: str = Field(min_length=1)
    opens: frozenset[str]
    """Skills that it should open now; it should open no other one."""


class Firing(Model):
    """How often one skill was opened by roles that can read it."""

    name: str
    wanted: int
    """Situations in which it should be opened."""
    opened: int
    """Of these, those in which it was."""
    unwanted: int
    opened_in_vain: int
    """Of the unwanted ones, those in which it was opened."""


def situations() -> tuple[Situation, ...]:
    """Return all situations."""
    text = (resources.files("documents") / "skills/situations.json").read_bytes()
    return TypeAdapter(tuple[Situation, ...]).validate_json(text)


def firings(readers: Mapping[str, Sequence[Role]], opened: Sequence[tuple[Situation, frozenset[str]]]) -> list[Firing]:
    """Count for each skill, by its readers, what was opened in these situations."""
    found: list[Firing] = []
    for name, roles in readers.items():
        read = [(name in situation.opens, name in names) for situation, names in opened if situation.role in roles]
        wanted = [is_open for is_wanted, is_open in read if is_wanted]
        in_vain = [is_open for is_wanted, is_open in read if not is_wanted]
        counts = {
            "wanted": len(wanted),
            "opened": sum(wanted),
            "unwanted": len(in_vain),
            "opened_in_vain": sum(in_vain),
        }
        found.append(Firing(name=name, **counts))
    return found
