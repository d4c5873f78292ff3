"""Skills that every kernel comes with, in the same form as those that are learned: `skills/NAME/SKILL.md`."""

from collections.abc import Iterator, Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from typing import NamedTuple


class ShippedSkill(NamedTuple):
    """A skill of ours: what a prompt says of it, and what lies in its folder."""

    name: str
    description: str
    files: Mapping[str, bytes]
    """By path in the workspace: `skills/NAME/SKILL.md` and, beside it, `references/`."""


def _read() -> dict[str, ShippedSkill]:
    folder = resources.files("documents") / "skills"
    return {skill.name: _skill(skill) for skill in sorted(folder.iterdir(), key=lambda each: each.name)}


def _skill(folder: Traversable) -> ShippedSkill:
    text = (folder / "SKILL.md").read_text(encoding="utf-8")
    head: dict[str, str] = {}
    for line in text.split("---\n")[1].splitlines():
        name, _, value = line.partition(": ")
        head[name] = value
    return ShippedSkill(folder.name, head["description"], dict(_files(folder, f"skills/{folder.name}")))


def _files(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    for each in sorted(folder.iterdir(), key=lambda each: each.name):
        here = f"{path}/{each.name}"
        if each.is_dir():
            yield from _files(each, here)
        else:
            yield here, each.read_bytes()


SHIPPED_SKILLS: Mapping[str, ShippedSkill] = _read()
"""By name."""
