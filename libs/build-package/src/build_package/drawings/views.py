"""The three views of a drawing, by first-angle projection (ISO 5456-2): front, from the left, and from above."""

from dataclasses import dataclass

import numpy as np
from geometry.arrays import FloatArray
from geometry.occt.projections import ViewEdge, view_edges
from workbenches.part_frame import bounds_mm
from workbenches.part_mesh import PartMesh


@dataclass(frozen=True, eq=False)
class View:
    """One view: its edges, and the part's axes that point to the right and up in it."""

    name: str
    right: int
    """Axis of the part: 0, 1 or 2."""
    up: int
    is_up_reversed: bool
    edges: tuple[ViewEdge, ...]
    """In mm from the view's lower left corner."""
    size_mm: tuple[float, float]

    def place(self, point_mm: FloatArray) -> tuple[float, float]:
        """Return where a point of the part's frame (3,) is seen."""
        up = float(point_mm[self.up])
        return float(point_mm[self.right]), self.size_mm[1] - up if self.is_up_reversed else up

    @property
    def depth(self) -> int:
        """The axis along which it looks."""
        return 3 - self.right - self.up


@dataclass(frozen=True, eq=False)
class ThreeViews:
    """The views of one part, and the frame in which it is measured."""

    front: View
    left: View
    above: View
    frame: FloatArray
    """(3, 3): the part's x, y and z in the world, in rows; x is its length, y its width and z its thickness."""
    origin_mm: FloatArray
    """(3,): the corner of its box with the least x, y and z, in the world."""
    size_mm: FloatArray
    """(3,): length, width and thickness, the largest first."""

    @property
    def all(self) -> tuple[View, View, View]:
        """Front, left, above."""
        return self.front, self.left, self.above


def three_views(mesh: PartMesh) -> ThreeViews:
    """Return the views of a part; the front shows its largest side."""
    order = np.argsort(-mesh.extents_mm.round(6), kind="stable")
    frame = mesh.axes[order]
    if np.linalg.det(frame) < 0:
        frame = frame * np.array([[1.0], [1.0], [-1.0]])
    low, high = bounds_mm(mesh.drawn, frame)
    size = high - low
    box = _Box(frame, low, size)
    front, left = _view(mesh, box, "front", (0, 1, 1)), _view(mesh, box, "left", (2, 1, 1))
    return ThreeViews(front, left, _view(mesh, box, "above", (0, 2, -1)), frame, low @ frame, size)


@dataclass(frozen=True, eq=False)
class _Box:
    """The box of a part, along its frame."""

    frame: FloatArray
    low_mm: FloatArray
    size_mm: FloatArray


def _view(mesh: PartMesh, box: _Box, name: str, axes: tuple[int, int, int]) -> View:
    """Return a view; `axes`: the axis to the right, the one up, and the sign with which that points up."""
    right, up, sign = axes
    low, size = box.low_mm, box.size_mm
    corner = np.array([low[right], low[up] if sign > 0 else -(low[up] + size[up])])
    edges = view_edges(mesh.solid, box.frame[right], box.frame[up] * sign)
    moved = tuple(ViewEdge(each.points_mm - corner, each.is_hidden, each.radius_mm) for each in edges)
    return View(name, right, up, sign < 0, moved, (float(size[right]), float(size[up])))
