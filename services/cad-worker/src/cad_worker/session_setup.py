"""Setup of a session with a design: the order for its kernel, and the files of a review, fetched from artifacts."""

from asyncio import to_thread
from importlib import resources
from zipfile import BadZipFile

from artifacts.port import ArtifactStore, get_json
from contracts.events.session import ReviewedDesign, SessionRequested
from contracts.models.benchmark import Assignment, Environment
from contracts.models.scene import Scene
from design_rules.design_data import EnvironmentGeometry
from documents.workspaces.archive import InvalidWorkspaceError, unpack
from kernel.api import reviews
from kernel_host.sessions.initial_files import initial_files
from kernel_host.sessions.session import KernelStartError

from cad_worker.session_protocol import DESIGN_FILE, SUBMITTED, ReviewOrder, SessionOrder


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
