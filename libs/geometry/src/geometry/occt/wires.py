"""Points along the closed wires of a face, in the order in which they bound it."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# OCP ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

import numpy as np
from build123d import Face, Wire
from OCP.BRepAdaptor import BRepAdaptor_Curve
from OCP.BRepTools import BRepTools_WireExplorer
from OCP.GeomAbs import GeomAbs_CurveType
from OCP.TopAbs import TopAbs_Orientation

from geometry.arrays import FloatArray
from geometry.occt.measures import point_of


def points_along(face: Face, wire: Wire, parts: int) -> FloatArray:
    """Return points (n, 3) along a wire of a face: `parts` on each curved edge, straight edges by their ends."""
    runs = []
    explorer = BRepTools_WireExplorer(wire.wrapped, face.wrapped)
    while explorer.More():
        edge = explorer.Current()
        curve = BRepAdaptor_Curve(edge)
        count = 1 if curve.GetType() == GeomAbs_CurveType.GeomAbs_Line else parts
        places = np.linspace(curve.FirstParameter(), curve.LastParameter(), count + 1)
        run = np.array([point_of(curve.Value(float(place))) for place in places])
        runs.append(run[:0:-1] if edge.Orientation() == TopAbs_Orientation.TopAbs_REVERSED else run[:-1])
        explorer.Next()
    return np.vstack(runs)
