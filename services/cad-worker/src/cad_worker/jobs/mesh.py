"""Job that turns geometry into triangles, for an image."""

import numpy as np
from build123d import Solid
from contracts.events.rendering import Mesh
from design_rules.design_data import DesignData, PartData
from geometry.arrays import as_vector
from geometry.occt.brep import OCCT_ERRORS, UnreadableBrepError, read_brep
from geometry.occt.meshes import LEAST_MM2, face_meshes, joined

from cad_worker.exports.colors import FINISHES, Rgba, finish_of
from cad_worker.job_protocol import MeshedDesign

TOLERANCE_SHARE = 1 / 500
"""Distance of a triangle from a curved surface, as a share of the solid's diagonal."""
ANGLE_RAD = 0.3
PALETTE: tuple[Rgba, ...] = (
    (0.35, 0.55, 0.78, 1.0),
    (0.90, 0.60, 0.30, 1.0),
    (0.45, 0.68, 0.45, 1.0),
    (0.80, 0.45, 0.47, 1.0),
    (0.62, 0.52, 0.75, 1.0),
    (0.70, 0.62, 0.52, 1.0),
)
"""For parts without a material, in turn, so that neighbours differ."""


def mesh(request: DesignData) -> MeshedDesign:
    """Return every solid as triangles, and the number of shapes without volume."""
    meshes: list[Mesh] = []
    others = unreadable = 0
    for number, part in enumerate(request.parts):
        try:
            contents = read_brep(part.brep)
            meshes += [_mesh(solid, part, number) for solid in contents.solids]
            others += contents.others
        except (UnreadableBrepError, *OCCT_ERRORS):
            unreadable += 1
    corners = [vertex for each in meshes for vertex in each.vertices_mm]
    size = np.ptp(np.array(corners), axis=0).tolist() if corners else [0.0, 0.0, 0.0]
    return MeshedDesign(meshes=tuple(meshes), size_mm=(size[0], size[1], size[2]), flat=others, unreadable=unreadable)


def _mesh(solid: Solid, part: PartData, number: int) -> Mesh:
    diagonal_mm = float(solid.bounding_box().diagonal)
    chord_mm = max(diagonal_mm * TOLERANCE_SHARE, 1e-4)
    pieces = face_meshes(solid, chord_mm, ANGLE_RAD)
    for face, piece in zip(solid.faces(), pieces, strict=True):
        if not len(piece.triangles) and not 0.0 < face.area < LEAST_MM2:  # a broken face may have no area
            raise UnreadableBrepError(f"a face of {face.area:.3g} mm² has no triangles")
    found = joined(pieces)
    return Mesh(
        label=part.label,
        vertices_mm=tuple(map(as_vector, found.vertices_mm)),
        triangles=tuple((int(first), int(second), int(third)) for first, second, third in found.triangles),
        color_rgba=_color(part, number),
    )


def _color(part: PartData, number: int) -> Rgba:
    if part.material_id in FINISHES:
        return finish_of(part.material_id, part.label).rgba
    return PALETTE[number % len(PALETTE)]
