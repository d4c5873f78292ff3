"""Skills shipped with Millwright, in the form of learned ones: `skills/NAME/SKILL.md`."""

from collections.abc import Iterable, Iterator, Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from typing import NamedTuple

from contracts.envelope import Role
from contracts.skills import OfferedSkill

from documents.skill_folders.frontmatter import split_skill

ROLES_OF_SKILLS: Mapping[str, tuple[Role, ...]] = {
    "benchmark-authoring": ("benchmark-generator",),
    "bought-parts": ("planner", "engineer"),
    "build123d": ("engineer", "critic", "benchmark-generator"),
    "mechanisms": ("planner", "engineer", "critic", "benchmark-generator"),
    "planning": ("planner",),
    "reviewing": ("critic",),
    "simulation-evidence": ("engineer", "critic"),
    "skill-creator": ("skill-learner",),
    "workbenches": ("planner", "engineer", "critic"),
}
"""Who reads each skill."""


class ShippedSkill(NamedTuple):
    """A skill with its description for prompts and the files of its folder."""

    name: str
    description: str
    roles: tuple[Role, ...]
    trial: str
    """What a trial has measured: runs with and without the skill; or that it has no figure."""
    files: Mapping[str, bytes]
    """By path in the workspace: `skills/NAME/SKILL.md` and the files in `skills/NAME/references/`."""


def skills_of(role: Role) -> Mapping[str, ShippedSkill]:
    """Return the shipped skills of a role by name."""
    return {name: skill for name, skill in ALL_SKILLS.items() if role in skill.roles}


def shipped_files(role: Role) -> dict[str, bytes]:
    """Return the files of a role's shipped skills by path in its workspace."""
    return {path: data for skill in skills_of(role).values() for path, data in skill.files.items()}


def skill_lines(role: Role, offered: Iterable[OfferedSkill]) -> str:
    """List the shipped skills of a role and those that it was offered, by name and description."""
    lines = [f"- `{each.name}`: {' '.join(each.description.split())}" for each in skills_of(role).values()]
    lines += [f"- `{each.name}` (learned, v{each.version}): {' '.join(each.description.split())}" for each in offered]
    return "\n".join(lines)


def _read_skills() -> dict[str, ShippedSkill]:
    folder = resources.files("documents") / "skills"
    return {name: _read_skill(folder / name, roles) for name, roles in ROLES_OF_SKILLS.items()}


def _read_skill(folder: Traversable, roles: tuple[Role, ...]) -> ShippedSkill:
    matter, _ = split_skill((folder / "SKILL.md").read_text(encoding="utf-8"))
    files = dict(_read_files(folder, f"skills/{folder.name}"))
    return ShippedSkill(folder.name, matter.description, roles, matter.metadata["trial"], files)


def _read_files(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        entry_path = f"{path}/{entry.name}"
        if entry.is_dir():
            yield from _read_files(entry, entry_path)
        else:
            yield entry_path, entry.read_bytes()


ALL_SKILLS: Mapping[str, ShippedSkill] = _read_skills()
"""By name."""
