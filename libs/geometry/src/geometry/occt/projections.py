"""Orthographic views of a solid: its edges and outlines on a plane, visible and hidden."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# OCP ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from build123d import Edge, GeomType, Solid
from OCP.BRepAdaptor import BRepAdaptor_Curve

from geometry.arrays import FloatArray, as_vector
from geometry.occt.measures import point_of

POINTS = 33
"""On a curve that is not straight."""
_FAR_MM = 1e5


@dataclass(frozen=True, eq=False)
class ViewEdge:
    """One edge or outline on the plane of a view."""

    points_mm: FloatArray
    """(n, 2), to the right and up."""
    is_hidden: bool
    radius_mm: float | None = None
    """Of a whole circle, whose centre is the mean of its points but the last."""


def view_edges(solid: Solid, right: FloatArray, up: FloatArray) -> list[ViewEdge]:
    """Return what is seen of a solid from `right` x `up`, hidden edges first; (3,) unit vectors, at right angles.

    The point (0, 0) of the view is the world's origin.
    """
    eye = np.cross(right, up) * _FAR_MM
    visible, hidden = solid.project_to_viewport(as_vector(eye), as_vector(up), (0, 0, 0))
    return [*_flat(hidden, is_hidden=True), *_flat(visible, is_hidden=False)]


def _flat(edges: Iterable[Edge], *, is_hidden: bool) -> Iterator[ViewEdge]:
    for edge in edges:
        curve = BRepAdaptor_Curve(edge.wrapped)
        is_circle = edge.geom_type == GeomType.CIRCLE and edge.is_closed
        count = 2 if edge.geom_type == GeomType.LINE else POINTS
        places = np.linspace(curve.FirstParameter(), curve.LastParameter(), count)
        points = np.array([point_of(curve.Value(place))[:2] for place in places.tolist()])
        yield ViewEdge(points, is_hidden, edge.radius if is_circle else None)
