"""The simulator backend: exact answers about frames whose scene is known. Its methods block."""

from collections.abc import Callable, Sequence

import numpy as np
from contracts.events.perception import (
    BoxPrompt,
    KernelOperation,
    PointsPrompt,
    Prompt,
    Reconstruct,
    RenderFrames,
    SegmentedObject,
    SegmentImage,
    SegmentVideo,
    TextPrompt,
    TrackPoints,
)
from contracts.models.artifact import ArtifactRef
from contracts.models.questions.frames import FrameRef, SceneState
from contracts.models.questions.spatial_scene import SpatialScene
from spatial.aligned_world import GRAVITY, world_transform
from spatial.arrays import Bools, Bytes

from perception_worker.results import (
    Found,
    ReconstructedFrames,
    RefusedError,
    SegmentedFrames,
    TrackedPoints,
    prompted_position,
)
from perception_worker.simulator.frame_cache import FrameCache, FrameKey, state_of
from perception_worker.simulator.point_tracks import tracked
from perception_worker.simulator.prompts import Match, box_match, points_match, text_matches
from perception_worker.simulator.renderer import FrameBuffers, intrinsics_of
from perception_worker.simulator.scene_model import FLOOR, pose_matrix
from perception_worker.simulator.sensor_noise import noisy_depth, noisy_masks, noisy_pose

ASPECT_TOLERANCE_PX = 1.0
MAX_MASK_PIXELS = 256_000_000
"""Of all masks of one answer, a byte each."""
Scenes = Callable[[ArtifactRef], SpatialScene]
"""Returns a stored scene."""


class SimulatorBackend:
    """Answers from the scenes of frames, and refuses frames without one."""

    def __init__(self, cache: FrameCache) -> None:
        self._cache = cache

    def answer(self, operation: KernelOperation, scenes: Scenes) -> Found:
        """Answer one operation; raise `RefusedError`."""
        match operation:
            case Reconstruct():
                return self._reconstruct(operation, scenes)
            case SegmentImage():
                return self._segment((operation.frame,), (operation.prompt,), 0, operation.confidence_threshold, scenes)
            case SegmentVideo():
                prompted = prompted_position(operation)
                return self._segment(
                    operation.frames, operation.prompts, prompted, operation.confidence_threshold, scenes
                )
            case TrackPoints():
                return self._track(operation, scenes)

    def pictures(self, operation: RenderFrames, scene: SpatialScene) -> list[tuple[int, Bytes]]:
        """Return state and picture (h, w, 3) of each requested frame."""
        states = operation.states or tuple(range(len(scene.states)))
        keys = [FrameKey(operation.scene.sha256, state, scene.width_px, scene.height_px) for state in states]
        return [(key.state, self._cache.picture(key, scene)) for key in keys]

    def _reconstruct(self, operation: Reconstruct, scenes: Scenes) -> ReconstructedFrames:
        _require_one_size(operation.frames)
        sources = [source_of(frame) for frame in operation.frames]
        depths, confidences = zip(
            *(
                noisy_depth(self._buffers(frame, scenes).depth, source)
                for frame, source in zip(operation.frames, sources, strict=True)
            ),
            strict=True,
        )
        states = [state_of(scenes(source.scene), source.state) for source in sources]
        cameras = [pose_matrix(state.camera.pose) for state in states]
        floor_z_m = scenes(sources[0].scene).floor_z_m or 0.0
        world = world_transform(cameras[0], floor_z_m, operation.align)
        return ReconstructedFrames(
            frame_indices=tuple(frame.frame_index for frame in operation.frames),
            depth=np.stack(depths),
            confidence=np.stack(confidences),
            extrinsics=np.stack(
                [world @ noisy_pose(camera, source) for camera, source in zip(cameras, sources, strict=True)]
            ),
            intrinsics=tuple(
                intrinsics_of(state, frame.width_px, frame.height_px)
                for state, frame in zip(states, operation.frames, strict=True)
            ),
            gravity_direction=GRAVITY[operation.align],
            metric_scale=1.0,
            align=operation.align,
        )

    def _segment(
        self,
        frames: Sequence[FrameRef],
        prompts: Sequence[Prompt],
        prompted: int,
        threshold: float,
        scenes: Scenes,
    ) -> SegmentedFrames:
        scene = _one_scene(frames, scenes)
        numbers = [self._buffers(frame, scenes).objects for frame in frames]
        matches = [
            (position, match)
            for position, prompt in enumerate(prompts)
            for match in _matches(prompt, scene, numbers[prompted])
            if match.score >= threshold
        ]
        _require_room(len(frames), len(matches), numbers[0].size)
        masks = np.zeros((len(frames), len(matches), *numbers[0].shape), np.bool_)
        for number, frame in enumerate(frames):
            exact = np.stack([numbers[number] == match.number for _, match in matches]) if matches else masks[number]
            masks[number] = noisy_masks(exact, source_of(frame))
        return _ordered(frames, masks, prompts, matches)

    def _track(self, operation: TrackPoints, scenes: Scenes) -> TrackedPoints:
        frames = operation.frames
        scene = _one_scene(frames, scenes)
        states = [state_of(scene, source_of(frame).state) for frame in frames]
        views = [
            (state, intrinsics_of(state, frame.width_px, frame.height_px), self._buffers(frame, scenes))
            for state, frame in zip(states, frames, strict=True)
        ]
        pixels, seen = tracked(scene, views, np.array(operation.points, np.float64), prompted_position(operation))
        confidence = np.where(seen, np.uint8(255), np.uint8(0))
        return TrackedPoints(tuple(frame.frame_index for frame in frames), pixels.astype(np.float32), confidence)

    def _buffers(self, frame: FrameRef, scenes: Scenes) -> FrameBuffers:
        source = source_of(frame)
        scene = scenes(source.scene)
        if abs(scene.width_px * frame.height_px / scene.height_px - frame.width_px) > ASPECT_TOLERANCE_PX:
            raise RefusedError(
                "unknown_frame",
                f"frame {frame.frame_index} is {frame.width_px} x {frame.height_px} px, its scene was rendered at "
                f"{scene.width_px} x {scene.height_px}: use the whole frame",
            )
        return self._cache.buffers(FrameKey(source.scene.sha256, source.state, frame.width_px, frame.height_px), scene)


def source_of(frame: FrameRef) -> SceneState:
    """Return the scene of a frame; raise `RefusedError` if it has none."""
    if frame.source is None:
        raise RefusedError(
            "unknown_frame",
            f"frame {frame.frame_index} has no stored scene, and no GPU server is configured; "
            "reason from the picture itself: show(InputImages[0])",
        )
    return frame.source


def _one_scene(frames: Sequence[FrameRef], scenes: Scenes) -> SpatialScene:
    _require_one_size(frames)
    if len({source_of(frame).scene.sha256 for frame in frames}) > 1:
        raise RefusedError("invalid_prompt", "the frames show different scenes; pass those of one at a time")
    return scenes(source_of(frames[0]).scene)


def _require_one_size(frames: Sequence[FrameRef]) -> None:
    sizes = sorted({(frame.width_px, frame.height_px) for frame in frames})
    if len(sizes) > 1:
        raise RefusedError("invalid_prompt", f"the frames have several sizes, {sizes}; pass those of one size")


def _require_room(frames: int, objects: int, pixels: int) -> None:
    if frames * objects * pixels > MAX_MASK_PIXELS:
        stride = -(-frames * objects * pixels // MAX_MASK_PIXELS)
        raise RefusedError(
            "too_large",
            f"{objects} objects in {frames} frames are too many masks; pass "
            f"frame_indices=InputImages.frame_indices[::{stride}], or name fewer objects",
        )


def _matches(prompt: Prompt, scene: SpatialScene, objects: np.ndarray) -> list[Match]:
    match prompt:
        case TextPrompt():
            return text_matches(scene, prompt)
        case PointsPrompt():
            return points_match(objects, prompt)
        case BoxPrompt():
            return box_match(objects, prompt)


def _ordered(
    frames: Sequence[FrameRef], masks: Bools, prompts: Sequence[Prompt], matches: Sequence[tuple[int, Match]]
) -> SegmentedFrames:
    """Return the objects with pixels by prompt, the largest first: their order in the scene would give it away."""
    areas = masks.sum(axis=(0, 2, 3))
    kept = sorted(
        (number for number, area in enumerate(areas.tolist()) if area),
        key=lambda number: (matches[number][0], -int(areas[number]), matches[number][1].number),
    )
    objects = tuple(
        SegmentedObject(
            label=_label(prompts[matches[number][0]], matches[number][1]),
            prompt=matches[number][0],
            score=matches[number][1].score,
        )
        for number in kept
    )
    return SegmentedFrames(tuple(frame.frame_index for frame in frames), masks[:, kept], objects)


def _label(prompt: Prompt, match: Match) -> str:
    if isinstance(prompt, TextPrompt):
        return prompt.text
    return "floor" if match.number == FLOOR else "object"
