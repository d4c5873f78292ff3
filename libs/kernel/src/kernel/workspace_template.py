"""What the workspace of each role begins with, and what of it the role may write: one table.

Nobody writes what the host lays out read-only: plan.md, skills/, utils/ and the world. A critic writes nothing: what it
looks at stays what was submitted, and what it tries stands in cells. A planner has no kernel; its templates show what
it has to write. The benchmark generator is a role to come; its workspace stands ready.
"""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from importlib import resources
from pathlib import PurePosixPath
from typing import Literal, NamedTuple

Workplace = Literal["engineer", "critic", "benchmark", "planner"]

_SUFFIX = ".template"
"""Keeps linters and test runners from taking templates for modules of ours."""


class Furnishing(NamedTuple):
    """A workspace before anybody has worked in it."""

    files: Mapping[str, str]
    """By path; script.py runs as it is."""
    writes: tuple[str, ...]
    """Patterns of the paths that the role may write, `*` being any of what is not read-only."""


def _files(workplace: Workplace) -> dict[str, str]:
    folder = resources.files("kernel") / "baked" / "templates" / workplace
    found = sorted(folder.iterdir(), key=lambda each: each.name)
    return {each.name.removesuffix(_SUFFIX): each.read_text(encoding="utf-8") for each in found}


TEMPLATES: Mapping[Workplace, Furnishing] = {
    "engineer": Furnishing(_files("engineer"), ("*",)),
    "critic": Furnishing({}, ()),
    "benchmark": Furnishing(_files("benchmark"), ("*",)),
    "planner": Furnishing(_files("planner"), ()),
}


def template_of(role: str) -> Mapping[str, str]:
    """Return the files that a role's workspace begins with, by path: those that it may write."""
    found = [each.files for name, each in TEMPLATES.items() if name == role]
    return found[0] if found else {}


def may_write(role: str, path: str) -> bool:
    """Tell whether a role may write at a path of its workspace, unless that is read-only for everybody."""
    patterns = next((each.writes for name, each in TEMPLATES.items() if name == role), ())
    return any(fnmatchcase(PurePosixPath(path).as_posix(), pattern) for pattern in patterns)
