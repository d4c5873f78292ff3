"""What a workspace begins with: the world, the plan, the skills on offer, and the files of an earlier attempt."""

import re
from asyncio import gather
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from artifacts.port import ArtifactStore
from contracts.events.session import SessionRequested
from contracts.events.skill import OfferedSkill
from contracts.models.artifact import ArtifactRef
from documents.shipped_skills import SHIPPED_SKILLS
from kernel.workspace_template import template_of

from cad_worker.sessions.archives import unpack_strictly
from cad_worker.sessions.workspace import MAX_ZIP_BYTES, UnfitWorkspaceError

MAX_SKILLS = 200
MAX_SKILL_BYTES = 64 * 1024

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_NAME_CHARS = 64


@dataclass(frozen=True)
class InitialFiles:
    """The first files of a workspace, by path."""

    read_only: Mapping[str, bytes]
    writable: Mapping[str, str]


async def initial_files(request: SessionRequested, artifacts: ArtifactStore) -> InitialFiles:
    """Fetch what a session's workspace begins with; raise `UnfitWorkspaceError` for skills or files that do not fit.

    The plan's TODO list and not an earlier attempt's is there: who continues has a plan of its own.
    """
    _require_fit(request.skills)
    environment, skills = request.environment, request.skills
    step, glb, *texts = await gather(
        *(artifacts.get(ref) for ref in (environment.step, environment.glb, *(skill.skill_md for skill in skills)))
    )
    learned = {f"skills/{skill.name}/SKILL.md": text for skill, text in zip(skills, texts, strict=True)}
    world = {"plan.md": request.plan_md.encode(), "environment.step": step, "environment.glb": glb}
    earlier = {} if request.files is None else unpack_strictly(await _fetched(request.files, artifacts))
    template = template_of(request.role)
    return InitialFiles(learned | world, {**template, **earlier, "todo.md": request.todo_md})


def _require_fit(skills: Sequence[OfferedSkill]) -> None:
    """Raise `UnfitWorkspaceError` for names that are no folders of their own, and for too much text."""
    if len(skills) > MAX_SKILLS:
        raise UnfitWorkspaceError(f"{len(skills)} skills are offered; a workspace holds at most {MAX_SKILLS}")
    taken = set(SHIPPED_SKILLS)
    for skill in skills:
        name, size_bytes = skill.name, skill.skill_md.size_bytes
        if len(name) > _NAME_CHARS or not _NAME.fullmatch(name):
            raise UnfitWorkspaceError(f"a skill has the name {name[:_NAME_CHARS]!r}, which is not kebab-case")
        if name in taken:
            raise UnfitWorkspaceError(f"two skills have the name {name!r}")
        if size_bytes > MAX_SKILL_BYTES:
            raise UnfitWorkspaceError(f"skill {name} has {size_bytes} bytes; at most {MAX_SKILL_BYTES} are allowed")
        taken.add(name)


async def _fetched(files: ArtifactRef, artifacts: ArtifactStore) -> bytes:
    if files.size_bytes > MAX_ZIP_BYTES:
        raise UnfitWorkspaceError(f"the files to begin with are a zip of {files.size_bytes} bytes, too large to fetch")
    return await artifacts.get(files)
