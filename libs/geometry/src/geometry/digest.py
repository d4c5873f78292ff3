"""A digest of geometry that does not depend on how a solid was built, stored or triangulated."""

import hashlib
import json
from collections.abc import Sequence

from build123d import Edge, Face, Solid
from contracts.models.geometry import Vector

DECIMALS = 4
"""Of millimetres: a ten-thousandth is far below any rule's threshold and far above rounding errors."""

Fingerprint = tuple[str, float, float, float, float]
"""Kind of curve or surface, its length or area, its centre."""


def canonical_text(solid: Solid) -> str:
    """Return all of a solid's geometry as one canonical line of JSON."""
    center = solid.center()
    return json.dumps(
        {
            "vertices": sorted(_round_point((vertex.X, vertex.Y, vertex.Z)) for vertex in solid.vertices()),
            "edges": sorted(_fingerprint(edge, edge.length) for edge in solid.edges()),
            "faces": sorted(_fingerprint(face, face.area) for face in solid.faces()),
            "volume_mm3": _round(solid.volume),
            "center_mm": _round_point((center.X, center.Y, center.Z)),
        }
    )


def digest_of_lines(lines: Sequence[str]) -> str:
    """Return the sha256 over lines, whatever their order."""
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()


def _fingerprint(shape: Edge | Face, extent: float) -> Fingerprint:
    center = shape.center()
    return (str(shape.geom_type), _round(extent), _round(center.X), _round(center.Y), _round(center.Z))


def _round_point(point: Vector) -> Vector:
    return (_round(point[0]), _round(point[1]), _round(point[2]))


def _round(value: float) -> float:
    # Adding zero turns -0.0 into 0.0, which is the same coordinate.
    return round(value, DECIMALS) + 0.0
