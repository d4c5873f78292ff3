"""Printed parts as they lie on the bed: turned as the price assumed, standing on z = 0."""

from dataclasses import dataclass

import numpy as np
from geometry.arrays import FloatArray, IntArray
from geometry.occt.meshes import TriangleMesh, closed_mesh
from parts_catalog.methods.workshop_figures import Printer
from parts_catalog.pricing.print_prices import is_powder, printer_for
from workbenches.part_frame import box_edges
from workbenches.printing.bench import rules_for
from workbenches.printing.orientation import best_orientation

from build_package.machine import MadePart

CHORD_MM, ANGLE_RAD = 0.02, 0.2
"""Of the triangles: a tenth of a layer from the surface."""


@dataclass(frozen=True, eq=False)
class BedPart:
    """A printed part on its printer's bed."""

    part: MadePart
    printer: Printer
    vertices_mm: FloatArray
    """(n, 3); the lowest coordinates are 0."""
    triangles: IntArray
    """(m, 3), counter-clockwise seen from outside."""
    up: FloatArray
    """(3,), the direction of the machine that points up on the bed."""

    @property
    def size_mm(self) -> FloatArray:
        """(3,), along the bed's axes."""
        return self.vertices_mm.max(axis=0)

    @property
    def is_powder(self) -> bool:
        """Whether it is sintered from powder, whose layers are the machine's."""
        return is_powder(self.part.material)


def on_bed(part: MadePart) -> BedPart:
    """Turn a printed part as its price assumes, its longer side along the bed's x."""
    rules = rules_for(part.material)
    up = best_orientation(part.mesh, rules).up  # pyright: ignore[reportArgumentType] - frozen models are hashable
    upright = int(np.argmax(np.abs(part.mesh.axes @ up)))
    sides = [row for row in range(3) if row != upright]
    longer = max(sides, key=lambda row: float(part.mesh.extents_mm[row]))
    along = part.mesh.axes[longer]
    frame = np.array([along, np.cross(up, along), up])
    mesh: TriangleMesh = closed_mesh(part.delivered, CHORD_MM, ANGLE_RAD)
    vertices = mesh.vertices_mm @ frame.T
    printer = printer_for(box_edges(part.mesh.extents_mm), rules)
    return BedPart(part, printer, vertices - vertices.min(axis=0), mesh.triangles, up)
