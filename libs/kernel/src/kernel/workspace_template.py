"""Workspace templates: the files that each role's workspace begins with, and whether the role may write there.

The host's files are read-only for every role: plan.md, skills/, utils/ and the environment. A critic writes nothing, so
that it judges exactly what was submitted, and tries things in cells. A planner has no kernel; its templates show the
form of plan and TODO list.
"""

from collections.abc import Mapping
from importlib import resources
from typing import NamedTuple

_SUFFIX = ".template"
"""Hides templates from linters and test runners."""


class WorkspaceTemplate(NamedTuple):
    """A workspace before its role begins to work."""

    files: Mapping[str, str]
    """By path; script.py runs unchanged."""
    is_writable: bool
    """Whether the role may write all paths but those of the host's files."""


def _read_files(role: str) -> dict[str, str]:
    folder = resources.files("kernel") / "baked" / "templates" / role
    found = sorted(folder.iterdir(), key=lambda file: file.name)
    return {file.name.removesuffix(_SUFFIX): file.read_text(encoding="utf-8") for file in found}


TEMPLATES: Mapping[str, WorkspaceTemplate] = {
    "engineer": WorkspaceTemplate(_read_files("engineer"), is_writable=True),
    "critic": WorkspaceTemplate({}, is_writable=False),
    "benchmark-generator": WorkspaceTemplate(_read_files("benchmark-generator"), is_writable=True),
    "planner": WorkspaceTemplate(_read_files("planner"), is_writable=False),
}
"""By role."""


def template_files(role: str) -> Mapping[str, str]:
    """Return the files that a role's workspace begins with, by path; none for a role without a template."""
    return TEMPLATES[role].files if role in TEMPLATES else {}


def may_write(role: str) -> bool:
    """Tell whether a role may write in its workspace, apart from the host's read-only files."""
    return role in TEMPLATES and TEMPLATES[role].is_writable
