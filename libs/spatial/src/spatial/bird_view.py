"""The scene from above: where objects and cameras are, as a picture and in words."""

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw

from spatial.arrays import Floats
from spatial.errors import NothingFoundError
from spatial.masks import Masks
from spatial.pictures import DescribedPicture
from spatial.reconstruction import Reconstruction

SIZE, MARGIN = 640, 40
COLORS = ("crimson", "royalblue", "seagreen", "darkorange", "purple", "teal", "saddlebrown", "deeppink")
MOVED_M = 0.1
"""Objects whose centre moves less over the frames are drawn where they are, others as a path."""


def render_bev(reconstruction: Reconstruction, masks: Masks) -> DescribedPicture:
    """Return a picture of the ground from above: x to the right, z down, so that the first camera looks up.

    Cameras are black; an object that moves is drawn as its path. The masks need the same frames.
    """
    masks.require_same_frames(reconstruction.depth)
    cameras = np.array([reconstruction.extrinsics.position(index)[[0, 2]] for index in reconstruction.frame_indices])
    paths = [_path(reconstruction, masks, number) for number in range(len(masks.labels))]
    known = np.concatenate([cameras, *[path for path in paths if len(path)]])
    low, span = known.min(axis=0), max(float(np.ptp(known, axis=0).max()), 1e-3)

    def place(points: Floats) -> list[tuple[float, float]]:
        scaled = MARGIN + (points - low) / span * (SIZE - 2 * MARGIN)
        return [(float(u), float(v)) for u, v in scaled]

    picture = Image.new("RGB", (SIZE, SIZE), "white")
    brush = ImageDraw.Draw(picture)
    _draw_path(brush, place(cameras), "black", "cameras")
    lines = [f"from above, {span:.2f} m across; x right, z down"]
    for number, (label, path) in enumerate(zip(masks.labels, paths, strict=True)):
        if len(path):
            _draw_path(brush, place(path), COLORS[number % len(COLORS)], label)
        lines.append(_line(label, path))
    return DescribedPicture(picture, "\n".join(lines))


def _path(reconstruction: Reconstruction, masks: Masks, number: int) -> Floats:
    """Return an object's centre (k, 2) on the ground: in each frame with it, or one if it does not move."""
    places: list[Floats] = []
    for index in masks.frames_with(number):
        try:
            places.append(np.median(masks.points(reconstruction, number, index), axis=0)[[0, 2]])
        except NothingFoundError:  # all of its pixels there have no depth
            continue
    path = np.array(places).reshape(-1, 2)
    is_still = len(path) > 0 and float(np.linalg.norm(path - path.mean(axis=0), axis=1).max()) < MOVED_M
    return path.mean(axis=0, keepdims=True) if is_still else path


def _draw_path(brush: ImageDraw.ImageDraw, points: Sequence[tuple[float, float]], color: str, label: str) -> None:
    if len(points) > 1:
        brush.line([value for point in points for value in point], fill=color, width=2)
    for u, v in points:
        brush.ellipse((u - 4, v - 4, u + 4, v + 4), fill=color)
    u, v = points[-1]
    brush.text((u + 6, v - 6), label, fill=color)


def _line(label: str, path: Floats) -> str:
    if not len(path):
        return f"{label}: not visible"
    if len(path) == 1:
        return f"{label}: at x={path[0][0]:.2f}, z={path[0][1]:.2f}"
    length = float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())
    first, last = path[0], path[-1]
    return f"{label}: moves {length:.2f} m, from x={first[0]:.2f}, z={first[1]:.2f} to x={last[0]:.2f}, z={last[1]:.2f}"
