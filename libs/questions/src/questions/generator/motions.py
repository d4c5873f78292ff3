"""Questions about videos of rolling balls: where they move, and how fast."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from contracts.models.questions.spatial_scene import Camera, FrameState, SpatialScene
from spatial.arrays import Floats

from questions.generator.drafts import QuestionDraft, choice, listed, number
from questions.generator.ray_caster import visible_pixels
from questions.generator.rotation_matrices import rotation_of
from questions.generator.scenery import FPS, AmbiguousError, Scenery, Thing, camera, pose_at, require_margin

FRAMES = 12
MIN_RAYS = 40
"""A ball that fewer rays hit is not clearly visible."""
LOOKS_FROM = (0.0, -3.8, 2.2)


@dataclass(frozen=True)
class Path:
    """A ball and its centre (n, 3) in each frame."""

    ball: Thing
    centers_m: Floats

    @property
    def steps_m(self) -> Floats:
        """Return the way between consecutive frames, (n - 1,)."""
        return np.linalg.norm(np.diff(self.centers_m, axis=0), axis=1)


def motion(random: np.random.Generator, level: int) -> QuestionDraft:
    """Where a ball moves to; which of three moves farthest; when two are closest."""
    scenery = Scenery(random)
    paths = [_straight(scenery) for _ in range((1, 3, 2)[level - 1])]
    scene = _video(scenery, paths, [camera(LOOKS_FROM)] * FRAMES)
    if level == 1:
        ball = paths[0].ball.name
        way = _heading(scene, paths[0])
        choices = ("left", "right", "toward the camera", "away from the camera")
        return choice(f"Where does the {ball} move, as the camera sees it?", choices, way, scene, is_video=True)
    if level == 2:
        lengths = {path.ball.name: float(np.linalg.norm(path.centers_m[-1] - path.centers_m[0])) for path in paths}
        ordered = sorted(lengths, key=lambda name: -lengths[name])
        require_margin(lengths[ordered[0]], lengths[ordered[1]], 0.1)
        names = [f"the {path.ball.name}" for path in paths]
        text = f"Which ball moves farthest from where it is in the first frame: {listed(names)}?"
        return choice(text, names, f"the {ordered[0]}", scene, is_video=True)
    first, second = paths
    apart = np.linalg.norm(first.centers_m - second.centers_m, axis=1)
    nearest, runner_up = (float(value) for value in np.sort(apart)[:2])
    require_margin(nearest, runner_up, 0.012)
    text = f"At which time, in seconds, are the {first.ball.name} and the {second.ball.name} closest to each other?"
    draft = number(text, "s", float(apart.argmin()) / FPS, scene, is_video=True)
    return _within(draft, 0.5 / FPS)


def speed(random: np.random.Generator, level: int) -> QuestionDraft:
    """How fast a ball is: steady, with a moving camera, the highest of a changing speed."""
    scenery = Scenery(random)
    path = _curved(scenery) if level == 3 else _straight(scenery)
    scenery.add_all(level, ("box", "cylinder"))
    cameras = _orbit(random) if level > 1 else [camera(LOOKS_FROM)] * FRAMES
    scene = _video(scenery, [path], cameras)
    if level < 3:
        exact = float(path.steps_m.sum()) * FPS / (FRAMES - 1)
        text = f"What is the average speed of the {path.ball.name}, in m/s?"
    else:
        exact = float(path.steps_m.max()) * FPS
        text = f"What is the highest speed of the {path.ball.name} between two consecutive frames, in m/s?"
    return number(text, "m/s", exact, scene, is_video=True)


def _straight(scenery: Scenery) -> Path:
    random = scenery.random
    angle, length = float(random.uniform(0, 2 * np.pi)), float(random.uniform(0.5, 1.8))
    return _rolled(scenery, length * np.array([np.cos(angle), np.sin(angle)]), np.linspace(-0.5, 0.5, FRAMES))


def _curved(scenery: Scenery) -> Path:
    angle = float(scenery.random.uniform(0, 2 * np.pi))
    shares = np.cumsum(scenery.random.uniform(0.3, 1.0, FRAMES))
    shares = (shares - shares[0]) / (shares[-1] - shares[0]) - 0.5
    return _rolled(scenery, 1.8 * np.array([np.cos(angle), np.sin(angle)]), shares)


def _rolled(scenery: Scenery, way_m: Floats, shares: Floats) -> Path:
    """Return a ball that rolls along a straight way; raise `AmbiguousError` if it meets another one."""
    middle = scenery.random.uniform(-0.4, 0.4, 2)
    diameter = float(scenery.random.uniform(0.18, 0.3))
    on_floor = middle + shares[:, None] * way_m
    centers = np.column_stack([on_floor, np.full(FRAMES, diameter / 2)])
    if np.abs(on_floor).max() > 1.2:
        raise AmbiguousError("it leaves the view")
    ball = Thing(scenery.name("ball"), "ball", (diameter, diameter, diameter), centers[0])
    return Path(scenery.put(ball), centers)


def _video(scenery: Scenery, paths: Sequence[Path], cameras: Sequence[Camera]) -> SpatialScene:
    """Return the scene with its frames; raise `AmbiguousError` unless all balls are free and visible in all."""
    _require_free(scenery, paths)
    states = [
        FrameState(
            camera=seen,
            time_s=frame / FPS,
            poses={path.ball.name: pose_at(path.centers_m[frame]) for path in paths},
        )
        for frame, seen in enumerate(cameras)
    ]
    scene = scenery.scene(states)
    for frame in range(FRAMES):
        seen_rays = visible_pixels(scene, frame)
        if any(seen_rays[path.ball.name] < MIN_RAYS for path in paths):
            raise AmbiguousError("a ball is hidden")
    return scene


def _require_free(scenery: Scenery, paths: Sequence[Path]) -> None:
    for path in paths:
        for thing in scenery.things:
            other = next((each.centers_m for each in paths if each.ball is thing), thing.center_m[None])
            if thing is path.ball:
                continue
            apart = np.linalg.norm(path.centers_m[:, :2] - other[:, :2], axis=1).min()
            if apart < path.ball.reach_m + thing.reach_m + 0.02:
                raise AmbiguousError("a ball rolls through something")


def _heading(scene: SpatialScene, path: Path) -> str:
    """Return where a ball moves in the camera's view; raise `AmbiguousError` if that is between two ways."""
    axes = rotation_of(scene.states[0].camera.pose.quaternion)
    forward = axes[:, 2] * np.array([1, 1, 0])
    way = path.centers_m[-1] - path.centers_m[0]
    right, ahead = float(way @ axes[:, 0]), float(way @ forward) / float(np.linalg.norm(forward))
    if max(abs(right), abs(ahead)) < 2 * min(abs(right), abs(ahead)):
        raise AmbiguousError("it moves diagonally")
    if abs(right) > abs(ahead):
        return "right" if right > 0 else "left"
    return "away from the camera" if ahead > 0 else "toward the camera"


def _orbit(random: np.random.Generator) -> list[Camera]:
    start = float(random.uniform(0, 2 * np.pi))
    angles = start + np.linspace(0, 0.9, FRAMES)
    return [camera((float(3.6 * np.cos(angle)), float(3.6 * np.sin(angle)), 2.4)) for angle in angles]


def _within(draft: QuestionDraft, tolerance: float) -> QuestionDraft:
    spec = draft.answer.model_copy(update={"absolute_tolerance": tolerance, "relative_tolerance": 0.0})
    return QuestionDraft(draft.text, spec, draft.exact, draft.scorer, draft.scene, draft.is_video)
