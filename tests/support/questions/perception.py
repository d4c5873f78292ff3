"""Perception without a bus: the simulator backend behind the port of a kernel, and scenes to look at."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO

import numpy as np
from artifacts.port import reference
from contracts.events.perception import KernelOperation, RenderFrames
from contracts.models.artifact import ArtifactRef
from contracts.models.geometry import Vector
from contracts.models.questions.frames import FrameRef, Noise, SceneState
from contracts.models.questions.spatial_scene import (
    BoxShape,
    Camera,
    CylinderShape,
    FrameState,
    Pose,
    SceneObject,
    SpatialScene,
    SphereShape,
)
from perception_worker.handlers import png
from perception_worker.results import RefusedError
from perception_worker.simulator.backend import SimulatorBackend
from perception_worker.simulator.frame_cache import FrameCache
from spatial.arrays import NPZ_TYPE
from spatial.errors import PerceptionRefusedError
from spatial.frames import InputImage, InputImages, VideoMetadata
from spatial.namespace import Namespace, make_namespace
from spatial.port import Perception, PerceptionReply
from spatial.scene_cameras import looking_at
from spatial.sources import by_digest, with_sources, without_source

CACHE_BYTES = 200 * 2**20
RED, BLUE, GREEN = (0.8, 0.1, 0.1, 1.0), (0.1, 0.2, 0.8, 1.0), (0.1, 0.6, 0.2, 1.0)


@dataclass(frozen=True)
class Question:
    """Frames of a scene, as a host has them."""

    scene: SpatialScene
    stored: ArtifactRef
    frames: tuple[FrameRef, ...]
    files: Mapping[str, bytes]
    """By the digest of a frame's picture."""

    @property
    def images(self) -> InputImages:
        """Return the frames as a kernel gets them."""
        return InputImages(
            [InputImage(without_source(frame), self.files[frame.picture.sha256]) for frame in self.frames]
        )


class DirectPerception:
    """The port of a kernel, answered in this process."""

    def __init__(self, backend: SimulatorBackend, question: Question) -> None:
        self._backend, self._question = backend, question
        self.requests: list[KernelOperation] = []

    def __call__(self, operation: KernelOperation) -> PerceptionReply:
        self.requests.append(operation)
        known = with_sources(operation, by_digest(self._question.frames))
        try:
            found = self._backend.answer(known, lambda _: self._question.scene)
        except RefusedError as refusal:
            raise PerceptionRefusedError(refusal.reason, str(refusal)) from refusal
        packed = found.packed()
        return PerceptionReply(found.result(reference(packed, NPZ_TYPE)), packed)


@contextmanager
def simulator_backend() -> Generator[SimulatorBackend]:
    """Provide a backend; its OpenGL contexts are closed afterwards."""
    cache = FrameCache(CACHE_BYTES)
    try:
        yield SimulatorBackend(cache)
    finally:
        cache.close()


def question_about(
    backend: SimulatorBackend, scene: SpatialScene, noise: Noise | None = None, states: Sequence[int] = ()
) -> Question:
    """Render the frames of a scene."""
    data = scene.model_dump_json().encode()
    stored = reference(data, "application/json")
    frames: list[FrameRef] = []
    files: dict[str, bytes] = {}
    for state, pixels in backend.pictures(
        RenderFrames(kind="render_frames", scene=stored, states=tuple(states)), scene
    ):
        encoded = png(pixels)
        picture = reference(encoded, "image/png")
        files[picture.sha256] = encoded
        frames.append(
            FrameRef(
                picture=picture,
                frame_index=state,
                time_s=scene.states[state].time_s,
                width_px=scene.width_px,
                height_px=scene.height_px,
                source=SceneState(scene=stored, state=state, noise=noise or Noise()),
            )
        )
    return Question(scene, stored, tuple(frames), files)


def namespace_of(backend: SimulatorBackend, question: Question, metadata: VideoMetadata | None = None) -> Namespace:
    """Return what a cell about the question would find."""
    return namespace_with(DirectPerception(backend, question), question, metadata)


def namespace_with(perception: Perception, question: Question, metadata: VideoMetadata | None = None) -> Namespace:
    """Return what a cell about the question would find, with perception by another port."""
    images = question.images
    given = metadata or VideoMetadata(len(images), width=images[0].width, height=images[0].height)
    return make_namespace(perception, images, given)


def camera_at(position_m: Vector, target_m: Vector, fov_deg: float = 50.0) -> Camera:
    """Return a camera that looks at a point."""
    return Camera(pose=looking_at(position_m, target_m), vertical_fov_deg=fov_deg)


def table_scene(cameras: Sequence[Camera] = (), width: int = 320, height: int = 240) -> SpatialScene:
    """Return a red box, a blue ball and a green can on a floor, seen by one or more cameras."""
    seen_by = cameras or (camera_at((0.0, -3.0, 1.5), (0.0, 0.0, 0.3)),)
    return SpatialScene(
        objects=(
            SceneObject(
                label="red box", aliases=("crate",), color="red", material="wood", rgba=RED,
                shapes=(BoxShape(size_m=(0.4, 0.4, 0.6)),), pose=Pose(position_m=(-0.6, 0.0, 0.3)),
            ),
            SceneObject(
                label="blue ball", color="blue", material="rubber", rgba=BLUE,
                shapes=(SphereShape(radius_m=0.25),), pose=Pose(position_m=(0.5, 0.2, 0.25)),
            ),
            SceneObject(
                label="green can", aliases=("cylinder",), color="green", material="metal", rgba=GREEN,
                shapes=(CylinderShape(radius_m=0.15, length_m=0.5),), pose=Pose(position_m=(0.1, 0.9, 0.25)),
            ),
        ),
        width_px=width,
        height_px=height,
        states=tuple(FrameState(camera=camera) for camera in seen_by),
    )  # fmt: skip


def decoded(npz: bytes, name: str) -> np.ndarray:
    """Return one array of a result."""
    with np.load(BytesIO(npz), allow_pickle=False) as file:
        return file[name]
