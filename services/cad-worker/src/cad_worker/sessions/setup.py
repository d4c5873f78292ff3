"""Setup of a session: the order for its kernel and the first files of its workspace, fetched from artifacts."""

import re
from asyncio import gather, to_thread
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from zipfile import BadZipFile

from artifacts.port import ArtifactStore, get_json
from contracts.envelope import Role
from contracts.events.question import QuestionSessionRequested
from contracts.events.session import ReviewedDesign, SessionRequested
from contracts.models.artifact import ArtifactRef
from contracts.models.benchmark import Assignment, Environment
from contracts.models.scene import Scene
from contracts.skills import OfferedSkill
from documents.shipped_skills import shipped_files, skills_of
from documents.skill_folders.frontmatter import SkillFormatError
from documents.skill_folders.skill_folder import unpack_files
from documents.workspaces.archive import MAX_TOTAL_BYTES, InvalidWorkspaceError, unpack, unpack_strictly
from kernel.api import reviews
from kernel.workspace_template import template_files
from spatial.sources import without_source

from cad_worker.job_protocol import EnvironmentGeometry
from cad_worker.session_protocol import DESIGN_FILE, SUBMITTED, QuestionOrder, ReviewOrder, SessionOrder, image_path
from cad_worker.sessions.session import KernelStartError

MAX_SKILLS = 200
MAX_SKILL_BYTES = 64 * 1024

_SKILL_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_SKILL_NAME_CHARS = 64


@dataclass(frozen=True)
class InitialFiles:
    """The first files of a workspace, by path."""

    read_only: Mapping[str, bytes]
    writable: Mapping[str, str]


async def session_order(assignment: Assignment, environment: Environment, artifacts: ArtifactStore) -> SessionOrder:
    """Return the order of a session in an environment as the benchmark built it."""
    geometry = EnvironmentGeometry(
        brep=await artifacts.get(environment.brep),
        solids=environment.solids,
        digest=environment.digest,
        mechanism=environment.mechanism,
        payload_hull_mm=environment.payload_hull_mm,
        more_payload_hulls_mm=environment.more_payload_hulls_mm,
    )
    return SessionOrder(assignment=assignment, environment=geometry)


async def with_review(order: SessionOrder, reviewed: ReviewedDesign, artifacts: ArtifactStore) -> SessionOrder:
    """Return the order with the design under review; raise `KernelStartError` if it has no scene."""
    scene_ref, trajectory = reviewed.delivery.scene, reviewed.result.trajectory
    if scene_ref is None:
        raise KernelStartError("the design under review has no scene, so it cannot be simulated again")
    scene = await get_json(artifacts, scene_ref, Scene)
    bodies = tuple(body.model_copy(update={"surface": None}) for body in scene.bodies)  # large, and only for images
    review = ReviewOrder(
        bill=reviewed.bill,
        result=reviewed.result,
        trajectory_npz=b"" if trajectory is None else await artifacts.get(trajectory),
        scene=scene.model_copy(update={"bodies": bodies}),
        scene_ref=scene_ref,
    )
    return order.model_copy(update={"review": review})


def question_order(request: QuestionSessionRequested) -> QuestionOrder:
    """Return the order of a question's session, without the scenes behind its frames."""
    return QuestionOrder(
        answer=request.answer,
        frames=tuple(map(without_source, request.frames)),
        metadata=request.metadata,
        tools_off=request.tools_off,
    )


async def question_pictures(request: QuestionSessionRequested, artifacts: ArtifactStore) -> dict[str, bytes]:
    """Fetch the pictures of a question by their paths in the workspace."""
    pictures = await gather(*(artifacts.get(frame.picture) for frame in request.frames))
    return {image_path(number): data for number, data in enumerate(pictures)}


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


async def review_files(request: SessionRequested, artifacts: ArtifactStore) -> dict[str, bytes]:
    """Fetch the files of a review by path, all read-only; raise `KernelStartError` or `InvalidWorkspaceError`."""
    assert request.reviewed is not None
    delivery = request.reviewed.delivery
    try:
        submitted = await to_thread(unpack, await artifacts.get(delivery.script))
    except (BadZipFile, InvalidWorkspaceError) as error:
        raise KernelStartError(f"the submitted files cannot be unpacked: {error}") from error
    return {
        **(await initial_files(request, artifacts)).read_only,
        "utils/__init__.py": (resources.files(reviews) / "reviewer_utils.py").read_bytes(),
        DESIGN_FILE: await artifacts.get(delivery.step),
        **{f"{SUBMITTED}/{path}": text.encode() for path, text in submitted.items()},
    }


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
