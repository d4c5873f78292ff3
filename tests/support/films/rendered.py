"""Films with texture, rendered by MuJoCo, of which cameras, depths and objects are known."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, Literal, TypeAlias, get_args

import cv2
import numpy as np
from numpy.typing import NDArray
from perception_worker.mujoco_api import mujoco
from perception_worker.simulator.renderer import GL_CONTEXT_MODULE
from perception_worker.simulator.scene_model import OPENGL_FROM_OPENCV
from spatial.arrays import Bytes, Floats

Motion: TypeAlias = Literal["orbit", "walk", "static", "pan"]
MOTIONS: tuple[Motion, ...] = get_args(Motion)
TILE_M = 0.3
"""Edge of the tile that lies in front: the known length."""
COLOURS = {"red": (0.85, 0.08, 0.08), "green": (0.08, 0.6, 0.12), "blue": (0.1, 0.2, 0.85)}


@dataclass(frozen=True)
class Film:
    """Frames with their truth. Poses are camera to world, x right, y down, z forward, in a world with z up."""

    motion: Motion
    pictures: Bytes
    """(n, h, w, 3)"""
    depth: NDArray[np.float32]
    """(n, h, w), m"""
    objects: NDArray[np.int32]
    """(n, h, w): 1, 2 and 3 are the red, green and blue thing, 0 is what does not move in `static`"""
    poses: Floats
    """(n, 4, 4)"""
    focal_px: float
    tile: Floats
    """(4, 3), the corners of the tile, m"""
    places: Floats
    """(n, 3, 3), where the red, green and blue thing are, m; they do not turn"""

    def pixels(self, frame: int, points: Floats) -> Floats:
        """Return where points (k, 3) of the world are in a frame, (k, 2)."""
        at = (points - self.poses[frame, :3, 3]) @ self.poses[frame, :3, :3]
        return self.focal_px * at[:, :2] / at[:, 2:] + self._centre

    def points(self, frame: int, pixels: Floats) -> Floats:
        """Return the world points (k, 3) that pixels (k, 2) show."""
        u, v = pixels.round().astype(int).clip(0, (self.depth.shape[2] - 1, self.depth.shape[1] - 1)).T
        depth = self.depth[frame, v, u].astype(np.float64)[:, None]
        ways = np.hstack([(pixels - self._centre) / self.focal_px, np.ones((len(pixels), 1))])
        return depth * ways @ self.poses[frame, :3, :3].T + self.poses[frame, :3, 3]

    def shows(self, frame: int, points: Floats) -> NDArray[np.bool_]:
        """Return which points (k, 3) of the world are seen in a frame: inside it, and nothing is before them."""
        (u, v), (height, width) = self.pixels(frame, points).round().astype(int).T, self.depth.shape[1:]
        inside = (u >= 0) & (u < width) & (v >= 0) & (v < height)
        away = (points - self.poses[frame, :3, 3]) @ self.poses[frame, :3, 2]
        shown = self.depth[frame, v.clip(0, height - 1), u.clip(0, width - 1)]
        return inside & (away > 0) & (np.abs(shown - away) < 0.02 * away)

    @property
    def _centre(self) -> Floats:
        return np.array([self.depth.shape[2] / 2 - 0.5, self.depth.shape[1] / 2 - 0.5])


def through_lens(film: Film, terms: tuple[float, float], size: tuple[int, int]) -> Film:
    """Return the middle of a film as a lens shows it: what is at r from the middle is at r (1 + k1 r² + k2 r⁴).

    r is a share of the focal length. The film must be so large that the middle has no empty corners.
    """
    width, height = size
    v, u = np.mgrid[:height, :width].astype(np.float64)
    shown = np.stack([u - width / 2 + 0.5, v - height / 2 + 0.5], axis=-1) / film.focal_px
    straight = shown.copy()
    for _ in range(50):
        square = (straight**2).sum(axis=-1, keepdims=True)
        straight = shown / (1 + terms[0] * square + terms[1] * square**2)
    rows, columns = film.depth.shape[1:]
    at = (film.focal_px * straight + [columns / 2 - 0.5, rows / 2 - 0.5]).astype(np.float32)
    assert at.min() >= 0
    assert (at.max(axis=(0, 1)) <= [columns - 1, rows - 1]).all()
    pictures = np.stack(
        [cv2.remap(each, at[..., 0].copy(), at[..., 1].copy(), cv2.INTER_CUBIC) for each in film.pictures]
    )
    nearest = at.round().astype(int)
    depth, objects = (each[:, nearest[..., 1], nearest[..., 0]] for each in (film.depth, film.objects))
    return replace(film, pictures=pictures, depth=depth, objects=objects)


WIDE_DEG, MARGIN = 60.0, 1.7
"""Vertical field of view of a wide lens if it had no distortion, and how much larger its film is rendered."""


def wide_film(motion: Motion, seed: int, terms: tuple[float, float], frames: int, size: tuple[int, int]) -> Film:
    """Render a film of a wide lens with distortion."""
    larger = round(MARGIN * size[0]), round(MARGIN * size[1])
    fov_deg = float(2 * np.degrees(np.arctan(larger[1] / size[1] * np.tan(np.radians(WIDE_DEG) / 2))))
    return through_lens(render_film(motion, seed, frames, larger, fov_deg=fov_deg), terms, size)


def render_film(  # noqa: PLR0917 - of a test
    motion: Motion,
    seed: int,
    frames: int = 12,
    size: tuple[int, int] = (480, 360),
    part: float = 1.0,
    fov_deg: float | None = None,
) -> Film:
    """Render a film, or its first part: around solids, along a corridor of them, still, or turning on the spot.

    Three things move in `static`. The vertical field of view is 38 to 65 degrees unless it is given.
    """
    random = np.random.default_rng(seed)
    drawn_deg = random.uniform(38, 65)
    (width, height), fov_deg = size, fov_deg or drawn_deg
    spec = _room(random, motion, size, fov_deg)
    model = spec.compile()
    data = mujoco.MjData(model)
    poses = _PATHS[motion](random, np.linspace(0, part, frames))
    routes = _routes(random)
    drawing: Any = import_module("mujoco.rendering.classic.gl_context")
    drawing.GLContext = import_module(GL_CONTEXT_MODULE).GLContext  # else MUJOCO_GL decides, when it is imported
    renderer = mujoco.Renderer(model, height, width)
    places = np.stack([routes[:, 0] + at * (routes[:, 1] - routes[:, 0]) for at in np.linspace(0, part, frames)])
    moving = places if motion == "static" else np.zeros((frames, 0, 3))
    shots = [_shot(model, data, renderer, pose, at) for pose, at in zip(poses, moving, strict=True)]
    renderer.close()
    pictures, depth, objects = (np.stack(each) for each in zip(*shots, strict=True))
    focal = height / 2 / np.tan(np.radians(fov_deg) / 2)
    tile = TILE_M / 2 * np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) + [*_TILE_AT[motion], 0.001]
    return Film(motion, pictures, depth, objects, poses, float(focal), tile, places)


_TILE_AT = {"orbit": (0.0, -1.1), "walk": (0.0, 0.0), "static": (0.0, -0.9), "pan": (0.0, -0.9)}


def _room(random: np.random.Generator, motion: Motion, size: tuple[int, int], fov_deg: float) -> Any:
    spec = mujoco.MjSpec()
    spec.visual.global_.offwidth, spec.visual.global_.offheight = size
    spec.visual.headlight.ambient, spec.visual.headlight.diffuse = [0.5] * 3, [0.5] * 3
    spec.visual.headlight.specular = [0.0] * 3
    spec.worldbody.add_light(pos=[1, -2, 4], dir=[-0.2, 0.4, -1], diffuse=[0.3] * 3, castshadow=False)
    world, geom = spec.worldbody, mujoco.mjtGeom
    floor = _texture(spec, random, "floor", 2048)
    world.add_geom(type=geom.mjGEOM_BOX, size=[8, 8, 0.05], pos=[0, 0, -0.05], material=floor)
    tile = _texture(spec, random, "tile", 256, tint=(1.25, 1.2, 0.8))
    x, y = _TILE_AT[motion]
    world.add_geom(type=geom.mjGEOM_BOX, size=[TILE_M / 2, TILE_M / 2, 0.001], pos=[x, y, 0], material=tile)
    materials = [_texture(spec, random, f"solid-{number}", 512) for number in range(8)]
    for number, (place, half_sizes) in enumerate(_solids(random, motion)):
        material = materials[number % len(materials)]
        world.add_geom(
            type=geom.mjGEOM_BOX, size=half_sizes, pos=place, euler=[0, 0, random.uniform(0, 90)], material=material
        )
    for name, colour in COLOURS.items() if motion == "static" else ():
        material = _texture(spec, random, name, 256, tint=colour, contrast=0.25)
        body = world.add_body(name=name, mocap=True)
        body.add_geom(type=geom.mjGEOM_BOX, size=[0.12, 0.12, 0.12], material=material)
    camera = world.add_body(name="camera", mocap=True)
    camera.add_camera(name="camera", fovy=fov_deg)
    return spec


def _solids(random: np.random.Generator, motion: Motion) -> list[tuple[list[float], list[float]]]:
    """Return places and half sizes of what is not moved."""
    count = {"orbit": 8, "walk": 24, "static": 6, "pan": 6}[motion]
    found: list[tuple[list[float], list[float]]] = []
    for number in range(count):
        size = random.uniform(0.1, 0.3, 3)
        match motion:
            case "orbit":
                angle = 2 * np.pi * number / count + random.uniform(-0.3, 0.3)
                x, y = random.uniform(0.5, 1.0) * np.array([np.cos(angle), np.sin(angle)]) + [0, 0.45]
            case "walk":
                x, y = (1 if number % 2 else -1) * random.uniform(0.7, 1.4), 0.5 * number - 0.5
            case "static" | "pan":
                x, y = random.uniform(-1.5, 1.5), random.uniform(1.2, 2.0)
        found.append(([float(x), float(y), float(size[2])], size.tolist()))
    return found


def _texture(  # noqa: PLR0917 - a texture of a test
    spec: Any,
    random: np.random.Generator,
    name: str,
    size: int,
    tint: Sequence[float] = (0.95, 1, 0.9),
    contrast: float = 0.9,
) -> str:
    """Add a material of random spots of several sizes; return its name."""
    field = np.zeros((size, size), np.float32)
    for cells, weight in ((8, 0.5), (size // 16, 1.0), (size // 4, 0.7)):
        spots = random.random((cells, cells), np.float32)
        field += weight * spots.repeat(size // cells, axis=0).repeat(size // cells, axis=1)
    field = 1 - contrast + contrast * (field - field.min()) / np.ptp(field)
    pixels = (255 * np.clip(field[..., None] * np.asarray(tint, np.float32), 0, 1)).astype(np.uint8)
    texture = spec.add_texture(name=name, type=mujoco.mjtTexture.mjTEXTURE_2D, width=size, height=size, nchannel=3)
    texture.data = pixels.tobytes()
    material = spec.add_material(name=name)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = name
    return name


def _looking(position: Floats, target: Floats) -> Floats:
    """Return a pose that looks at a point, upright."""
    forward = (target - position) / np.linalg.norm(target - position)
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = np.stack([right, np.cross(forward, right), forward], axis=1), position
    return pose


def _orbit(random: np.random.Generator, at: Floats) -> Floats:
    start, height, radius = random.uniform(-2.4, -1.6), random.uniform(0.9, 1.4), random.uniform(2.2, 2.8)
    sweep = random.uniform(1.0, 1.6)
    angles = start + sweep * (at - 0.5)
    return np.stack(
        [_looking(np.array([radius * np.cos(a), radius * np.sin(a), height]), np.array([0, 0.2, 0.2])) for a in angles]
    )


def _walk(random: np.random.Generator, at: Floats) -> Floats:
    length, sway, height = random.uniform(2.0, 3.0), random.uniform(0.05, 0.15), random.uniform(1.2, 1.6)
    phase = random.uniform(0, 6)
    places = [np.array([sway * np.sin(6 * t + phase), -2.5 + length * t, height + 0.03 * np.sin(20 * t)]) for t in at]
    return np.stack(
        [
            _looking(place, place + np.array([0.15 * np.sin(4 * t + phase), 3.0, -0.9]))
            for place, t in zip(places, at, strict=True)
        ]
    )


def _static(random: np.random.Generator, at: Floats) -> Floats:
    place = np.array([random.uniform(-0.3, 0.3), -3.0, random.uniform(1.0, 1.5)])
    return np.stack([_looking(place, np.array([0.0, 0.2, 0.2]))] * len(at))


def _pan(random: np.random.Generator, at: Floats) -> Floats:
    place = np.array([random.uniform(-0.3, 0.3), -3.0, random.uniform(1.0, 1.5)])
    sweep, start = random.uniform(0.3, 0.8), random.uniform(-0.4, 0.4)
    angles = start + sweep * (at - 0.5)
    return np.stack([_looking(place, place + np.array([np.sin(a), np.cos(a), -0.3])) for a in angles])


_PATHS: dict[Motion, Callable[[np.random.Generator, Floats], Floats]] = {
    "orbit": _orbit,
    "walk": _walk,
    "static": _static,
    "pan": _pan,
}


def _routes(random: np.random.Generator) -> Floats:
    """Return where each thing starts and ends, (3, 2, 3), on lanes of its own."""
    ends = np.zeros((3, 2, 3))
    for number, lane in enumerate((-0.5, 0.1, 0.7)):
        left, right = random.uniform(-1.1, -0.5), random.uniform(0.3, 1.0)
        ends[number, :, 0] = (left, right) if number % 2 else (right, left)
        ends[number, :, 1:] = lane, 0.12
    return ends


def _shot(
    model: Any, data: Any, renderer: Any, pose: Floats, places: Floats
) -> tuple[Bytes, NDArray[np.float32], NDArray[np.int32]]:
    for number, place in enumerate(places):
        data.mocap_pos[number] = place
    quaternion = np.empty(4)
    mujoco.mju_mat2Quat(quaternion, (pose[:3, :3] @ OPENGL_FROM_OPENCV).flatten())
    data.mocap_pos[-1], data.mocap_quat[-1] = pose[:3, 3], quaternion
    mujoco.mj_forward(model, data)
    renderer.update_scene(data, camera="camera")
    picture = renderer.render().copy()
    renderer.enable_depth_rendering()
    depth = renderer.render().copy()
    renderer.disable_depth_rendering()
    renderer.enable_segmentation_rendering()
    geoms = renderer.render()[..., 0].copy()
    renderer.disable_segmentation_rendering()
    bodies = np.where(geoms >= 0, model.geom_bodyid[geoms], 0)
    moving = bodies if len(places) else np.zeros_like(bodies)
    return picture, depth, moving.astype(np.int32)
