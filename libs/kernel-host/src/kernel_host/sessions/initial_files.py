"""The first files of a session's workspace, fetched from artifacts."""

import re
from asyncio import gather, to_thread
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from artifacts.port import ArtifactStore
from contracts.envelope import Role
from contracts.events.session import SessionRequested
from contracts.models.artifact import ArtifactRef
from contracts.skills import OfferedSkill
from documents.shipped_skills import shipped_files, skills_of
from documents.skill_folders.frontmatter import SkillFormatError
from documents.skill_folders.skill_folder import unpack_files
from documents.workspaces.archive import MAX_TOTAL_BYTES, InvalidWorkspaceError, unpack_strictly
from kernel.workspace_template import template_files

MAX_SKILLS = 200
MAX_SKILL_BYTES = 64 * 1024

_SKILL_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_SKILL_NAME_CHARS = 64


@dataclass(frozen=True)
class InitialFiles:
    """The first files of a workspace, by path."""

    read_only: Mapping[str, bytes]
    writable: Mapping[str, str]


async def initial_files(request: SessionRequested, artifacts: ArtifactStore) -> InitialFiles:
    """Fetch the first files of a session; raise `InvalidWorkspaceError` for skills or files that do not fit.

    The TODO list is the plan's, even if an earlier attempt left one: a continued run has a new plan.
    """
    _require_fit(request.role, request.skills)
    environment, skills = request.environment, request.skills
    step, glb = await gather(artifacts.get(environment.step), artifacts.get(environment.glb))
    folders = await gather(*(_skill_files(skill, artifacts) for skill in skills))
    learned = {path: content for folder in folders for path, content in folder.items()}
    world = {"plan.md": request.plan_md.encode(), "environment.step": step, "environment.glb": glb}
    earlier: dict[str, str] = {}
    if request.files is not None:
        earlier = await to_thread(unpack_strictly, await _fetched(request.files, artifacts))
    template = template_files(request.role)
    return InitialFiles(
        shipped_files(request.role) | learned | world, {**template, **earlier, "todo.md": request.todo_md}
    )


async def _skill_files(skill: OfferedSkill, artifacts: ArtifactStore) -> dict[str, bytes]:
    """Fetch one version of a skill by its digests, so that a session has exactly this one, whatever is adopted."""
    files = {f"skills/{skill.name}/SKILL.md": await artifacts.get(skill.skill_md)}
    if skill.files is None:
        return files
    try:
        others = await to_thread(unpack_files, await _fetched(skill.files, artifacts))
    except SkillFormatError as error:
        raise InvalidWorkspaceError(f"skill {skill.name}: {error}") from error
    return files | {f"skills/{skill.name}/{path}": text.encode() for path, text in others.items()}


def _require_fit(role: Role, skills: Sequence[OfferedSkill]) -> None:
    """Raise `InvalidWorkspaceError` for a name that is not a folder of its own, and for too much text."""
    if len(skills) > MAX_SKILLS:
        raise InvalidWorkspaceError(f"{len(skills)} skills are offered; a workspace holds at most {MAX_SKILLS}")
    taken = set(skills_of(role))
    for skill in skills:
        name, size_bytes = skill.name, skill.skill_md.size_bytes
        if len(name) > _SKILL_NAME_CHARS or not _SKILL_NAME.fullmatch(name):
            raise InvalidWorkspaceError(f"a skill has the name {name[:_SKILL_NAME_CHARS]!r}, which is not kebab-case")
        if name in taken:
            raise InvalidWorkspaceError(f"two skills have the name {name!r}")
        if size_bytes > MAX_SKILL_BYTES:
            raise InvalidWorkspaceError(f"skill {name} has {size_bytes} bytes; at most {MAX_SKILL_BYTES} are allowed")
        taken.add(name)


async def _fetched(files: ArtifactRef, artifacts: ArtifactStore) -> bytes:
    if files.size_bytes > MAX_TOTAL_BYTES:
        raise InvalidWorkspaceError(
            f"the files to begin with are a zip of {files.size_bytes} bytes, too large to fetch"
        )
    return await artifacts.get(files)
