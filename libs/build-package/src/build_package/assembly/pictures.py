"""A picture of each step of assembly: what is there in grey, what comes in colour, moved back along its way in.

Points that cover the surfaces are drawn into a buffer of depths, which needs no graphics and no order of triangles.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO

import numpy as np
from build123d import Solid
from geometry.arrays import BoolArray, FloatArray
from geometry.collision.surface_sampling import sample_evenly
from geometry.occt.meshes import closed_mesh
from PIL import Image, ImageDraw

from build_package.assembly.work_steps import WorkStep

SIZE_PX, EDGE_OF_PICTURE_PX = (560, 420), 12
EYE = np.array([0.55, -1.0, 0.65]) / np.linalg.norm([0.55, -1.0, 0.65])
"""From the machine to the eye."""
LIGHT = np.array([0.25, -0.55, 0.8]) / np.linalg.norm([0.25, -0.55, 0.8])
EXPLODED = 0.28
"""How far a part is moved back, over the diagonal of the machine."""
CHORD_MM, ANGLE_RAD = 0.2, 0.35
SPACING = 0.42
"""Distance of neighbouring points in pixels."""
THERE, COMING = np.array([186.0, 196.0, 208.0]), np.array([240.0, 140.0, 40.0])
PAPER, INK = np.array([255.0, 255.0, 255.0]), np.array([40.0, 44.0, 52.0])
EDGE_PX, EDGE_SHADE = 4.0, 0.07
"""Jumps of depth, and of brightness, at which an edge is drawn."""


@dataclass(frozen=True, eq=False)
class _Surface:
    """The points of one part as they are seen."""

    points_mm: FloatArray
    """(n, 3): to the right, up, and towards the eye."""
    shades: FloatArray
    """(n,): brightness from 0 to 1."""


@dataclass(eq=False)
class _Buffers:
    """What is drawn so far, by pixels (h, w)."""

    depths_mm: FloatArray = field(default_factory=lambda: np.full(SIZE_PX[::-1], -np.inf))
    """Towards the eye; minus infinite where there is nothing."""
    shades: FloatArray = field(default_factory=lambda: np.zeros(SIZE_PX[::-1]))
    is_new: BoolArray = field(default_factory=lambda: np.zeros(SIZE_PX[::-1], dtype=np.bool_))
    labels: set[str] = field(default_factory=set[str])

    def copy(self) -> "_Buffers":
        """Return buffers that can be drawn in."""
        return _Buffers(self.depths_mm.copy(), self.shades.copy(), self.is_new.copy(), set(self.labels))


class StepPictures:
    """Draws the steps of one machine, all from the same place."""

    def __init__(self, solids: Mapping[str, Solid], steps: Sequence[WorkStep]) -> None:
        right = np.cross([0.0, 0.0, 1.0], EYE)
        right /= np.linalg.norm(right)
        self._view = np.array([right, np.cross(EYE, right), EYE])
        meshes = {label: closed_mesh(solid, CHORD_MM, ANGLE_RAD) for label, solid in solids.items()}
        corners = np.vstack([mesh.vertices_mm for mesh in meshes.values()])
        self._back_mm = EXPLODED * float(np.linalg.norm(np.ptp(corners, axis=0)))
        seen = {label: mesh.vertices_mm @ self._view.T for label, mesh in meshes.items()}
        boxes = {label: np.array([points.min(axis=0), points.max(axis=0)]) for label, points in seen.items()}
        moved = [boxes[label] + self._offset(step) for step in steps for label in step.placed]
        ends = np.vstack([*boxes.values(), *moved])[:, :2]
        low, high = ends.min(axis=0), ends.max(axis=0)
        self._mm_per_px = float(np.max((high - low) / (np.array(SIZE_PX) - 2 * EDGE_OF_PICTURE_PX)))
        self._middle = (low + high) / 2
        self._there = _Buffers()
        self._surfaces: dict[str, _Surface] = {}
        for label, mesh in meshes.items():
            sampled = sample_evenly(mesh, SPACING * self._mm_per_px)
            shades = 0.62 + 0.38 * np.abs(sampled.normals @ LIGHT)
            self._surfaces[label] = _Surface(sampled.points_mm @ self._view.T, shades)

    def draw(self, step: WorkStep) -> bytes:
        """Return a PNG of a step; what earlier steps left in place is not drawn again."""
        if not self._there.labels <= set(step.onto):
            self._there = _Buffers()
        for label in step.onto:
            if label not in self._there.labels:
                self._add(self._there, label, np.zeros(3), is_new=False)
        offset, buffers = self._offset(step), self._there.copy()
        for label in step.placed:
            self._add(buffers, label, offset, is_new=True)
        image = Image.fromarray(_colored(buffers, self._mm_per_px).astype(np.uint8))
        if step.direction is not None:
            self._draw_way(image, step.placed, offset)
        stream = BytesIO()
        image.quantize(64).save(stream, "PNG")
        return stream.getvalue()

    def _add(self, buffers: _Buffers, label: str, moved: FloatArray, *, is_new: bool) -> None:
        """Draw one part in front of what is behind it."""
        surface = self._surfaces[label]
        points = surface.points_mm + moved
        columns, rows = np.floor(self._place(points)).astype(np.int64).T
        depth = points[:, 2]
        np.maximum.at(buffers.depths_mm, (rows, columns), depth)
        front = depth >= buffers.depths_mm[rows, columns]
        buffers.shades[rows[front], columns[front]] = surface.shades[front]
        buffers.is_new[rows[front], columns[front]] = is_new
        buffers.labels.add(label)

    def _offset(self, step: WorkStep) -> FloatArray:
        """Return (3,): how far what comes is shown from its place, in the view's axes."""
        return np.zeros(3) if step.direction is None else -self._view @ np.array(step.direction) * self._back_mm

    def _place(self, points: FloatArray) -> FloatArray:
        """Return places (n, 2) in pixels, to the right and down."""
        centred = (points[:, :2] - self._middle) / self._mm_per_px
        return np.array(SIZE_PX) / 2 + centred * np.array([1.0, -1.0])

    def _draw_way(self, image: Image.Image, placed: Sequence[str], offset: FloatArray) -> None:
        """Draw a dashed line from where the part is shown to its place."""
        points = np.vstack([self._surfaces[label].points_mm for label in placed])
        middle = (points.min(axis=0) + points.max(axis=0)) / 2
        dashes = np.linspace(0, 1, 24)
        places = self._place(middle + np.outer(dashes, offset))
        pen = ImageDraw.Draw(image)
        for first, last in zip(places[:-1:2], places[1::2], strict=True):
            pen.line([tuple(first), tuple(last)], fill=(200, 60, 20), width=2)


def _colored(buffers: _Buffers, mm_per_px: float) -> FloatArray:
    """Return the picture (h, w, 3) with its edges."""
    depths, shades = buffers.depths_mm, buffers.shades
    is_drawn = np.isfinite(depths)
    colors = np.where(buffers.is_new[..., None], COMING, THERE) * shades[..., None]
    image = np.where(is_drawn[..., None], colors, PAPER)
    behind = depths[is_drawn].min(initial=0.0) - 1e3
    solid = np.where(is_drawn, depths, behind)
    for axis in (0, 1):
        jump = np.abs(np.diff(solid, axis=axis)) > EDGE_PX * mm_per_px
        bend = np.abs(np.diff(shades, axis=axis)) > EDGE_SHADE
        image[: jump.shape[0], : jump.shape[1]][jump | bend] = INK
    return image
