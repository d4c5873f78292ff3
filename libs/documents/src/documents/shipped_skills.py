"""Skills shipped with Millwright, in the form of learned ones: `skills/NAME/SKILL.md`."""

from collections.abc import Iterator, Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from typing import NamedTuple


class ShippedSkill(NamedTuple):
    """A skill with its description for prompts and the files of its folder."""

    name: str
    description: str
    files: Mapping[str, bytes]
    """By path in the workspace: `skills/NAME/SKILL.md` and the files in `skills/NAME/references/`."""


def _read_skills(package_folder: str) -> dict[str, ShippedSkill]:
    folders = sorted((resources.files("documents") / package_folder).iterdir(), key=lambda folder: folder.name)
    return {folder.name: _read_skill(folder) for folder in folders}


def _read_skill(folder: Traversable) -> ShippedSkill:
    text = (folder / "SKILL.md").read_text(encoding="utf-8")
    front_matter: dict[str, str] = {}
    for line in text.split("---\n")[1].splitlines():
        name, _, value = line.partition(": ")
        front_matter[name] = value
    files = dict(_read_files(folder, f"skills/{folder.name}"))
    return ShippedSkill(folder.name, front_matter["description"], files)


def _read_files(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        entry_path = f"{path}/{entry.name}"
        if entry.is_dir():
            yield from _read_files(entry, entry_path)
        else:
            yield entry_path, entry.read_bytes()


SHIPPED_SKILLS: Mapping[str, ShippedSkill] = _read_skills("skills")
"""Those of every kernel, by name."""
PLANNER_SKILLS: Mapping[str, ShippedSkill] = _read_skills("planner_skills")
"""Those of the planner, which has no kernel, by name."""
