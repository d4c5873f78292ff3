"""Skills shipped with Millwright, in the form of learned ones: `skills/NAME/SKILL.md`."""

from collections.abc import Iterator, Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from typing import NamedTuple

from contracts.envelope import Role

from documents.skill_folders.frontmatter import split_skill

ROLES_OF_SKILLS: Mapping[str, tuple[Role, ...]] = {
    "build123d": ("engineer", "critic"),
    "planning": ("planner",),
    "skill-creator": ("skill-learner",),
}
"""Who reads each skill."""


class ShippedSkill(NamedTuple):
    """A skill with its description for prompts and the files of its folder."""

    name: str
    description: str
    roles: tuple[Role, ...]
    files: Mapping[str, bytes]
    """By path in the workspace: `skills/NAME/SKILL.md` and the files in `skills/NAME/references/`."""


def skills_of(role: Role) -> Mapping[str, ShippedSkill]:
    """Return the shipped skills of a role by name."""
    return {name: skill for name, skill in ALL_SKILLS.items() if role in skill.roles}


def _read_skills() -> dict[str, ShippedSkill]:
    folder = resources.files("documents") / "skills"
    return {name: _read_skill(folder / name, roles) for name, roles in ROLES_OF_SKILLS.items()}


def _read_skill(folder: Traversable, roles: tuple[Role, ...]) -> ShippedSkill:
    matter, _ = split_skill((folder / "SKILL.md").read_text(encoding="utf-8"))
    return ShippedSkill(folder.name, matter.description, roles, dict(_read_files(folder, f"skills/{folder.name}")))


def _read_files(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        entry_path = f"{path}/{entry.name}"
        if entry.is_dir():
            yield from _read_files(entry, entry_path)
        else:
            yield entry_path, entry.read_bytes()


ALL_SKILLS: Mapping[str, ShippedSkill] = _read_skills()
"""By name."""
SHIPPED_SKILLS: Mapping[str, ShippedSkill] = {**skills_of("engineer"), **skills_of("critic")}
"""Those of every kernel, by name."""
PLANNER_SKILLS: Mapping[str, ShippedSkill] = skills_of("planner")
"""Those of the planner, which has no kernel, by name."""
