"""What a critic's kernel looks at: fetched from what was delivered, laid out so that nothing can be changed."""

from importlib import resources
from zipfile import BadZipFile

from artifacts.documents import get_json
from artifacts.port import ArtifactStore
from contracts.events.session import ReviewedDesign, SessionRequested
from contracts.models.scene import Scene
from kernel.api import reviews

from cad_worker.session_protocol import DESIGN_FILE, SUBMITTED, ReviewOrder, SessionOrder
from cad_worker.sessions.session import KernelStartError, Session
from cad_worker.sessions.setup import initial_files
from cad_worker.sessions.workspace import UnfitWorkspaceError, unpack


async def with_review(order: SessionOrder, reviewed: ReviewedDesign, artifacts: ArtifactStore) -> SessionOrder:
    """Return the order of a session that reviews a design; raise `KernelStartError` if there is no scene of it."""
    scene, trajectory = reviewed.delivery.scene, reviewed.result.trajectory
    if scene is None:
        raise KernelStartError("the design under review names no scene, so nothing of it can be run again")
    told = await get_json(artifacts, scene, Scene)
    bodies = tuple(body.model_copy(update={"surface": None}) for body in told.bodies)  # for pictures alone, and large
    review = ReviewOrder(
        bill=reviewed.bill,
        result=reviewed.result,
        trajectory_npz=b"" if trajectory is None else await artifacts.get(trajectory),
        scene=told.model_copy(update={"bodies": bodies}),
        scene_ref=scene,
    )
    return order.model_copy(update={"review": review})


async def review_files(request: SessionRequested, artifacts: ArtifactStore) -> dict[str, bytes]:
    """Return the files of a review by their paths, all read-only; raise `KernelStartError` or `UnfitWorkspaceError`."""
    assert request.reviewed is not None
    delivery = request.reviewed.delivery
    try:
        submitted = unpack(await artifacts.get(delivery.script))
    except (BadZipFile, UnfitWorkspaceError) as error:
        raise KernelStartError(f"the submitted files cannot be unpacked: {error}") from error
    return {
        **(await initial_files(request, artifacts)).read_only,
        "utils/__init__.py": (resources.files(reviews) / "offered.py").read_bytes(),
        DESIGN_FILE: await artifacts.get(delivery.step),
        **{f"{SUBMITTED}/{path}": text.encode() for path, text in submitted.items()},
    }


async def reopen_review(session: Session, request: SessionRequested, artifacts: ArtifactStore) -> None:
    """Let a session that reviewed an earlier design review another, in a new kernel; twice is once."""
    assert request.reviewed is not None
    order = await with_review(session.order, request.reviewed, artifacts)
    await session.restart(order, await review_files(request, artifacts))
