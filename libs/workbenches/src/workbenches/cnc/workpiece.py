"""A part on the mill, with everything that several rules compute about it."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

from geometry.arrays import FloatArray
from parts_catalog.methods.workshop_figures import CncRules

from workbenches.cnc.access import Access, access_of
from workbenches.edges import Edge, edges_of
from workbenches.part_mesh import PartMesh
from workbenches.round_faces import RoundFace, round_faces


@dataclass(frozen=True, eq=False)
class Workpiece:
    """A part on the mill; each property is computed once."""

    mesh: PartMesh
    rules: CncRules

    @cached_property
    def axes(self) -> FloatArray:
        """(3, 3), the part's own."""
        return self.mesh.axes

    @cached_property
    def rounds(self) -> list[RoundFace]:
        """Its cylindrical faces."""
        return round_faces(self.mesh)

    @cached_property
    def inner_edges(self) -> list[Edge]:
        """Its concave edges."""
        return [edge for edge in edges_of(self.mesh) if edge.is_concave]

    @property
    def may_have_pockets(self) -> bool:
        """Tell whether it has a concave edge, or a face that may be concave but for drilled holes."""
        holes = {face.face for face in self.rounds if face.is_hole or not face.is_inner}
        round_ = (face for face, each in enumerate(self.mesh.surfaces) if each.kind not in {"plane", "cone"})
        return bool(self.inner_edges) or any(face not in holes for face in round_)

    @cached_property
    def access(self) -> Access:
        """What tools reach."""
        return access_of(self.mesh, self.axes, self.rounds, self.rules)


@lru_cache(maxsize=2)
def workpiece_of(mesh: PartMesh, rules: CncRules) -> Workpiece:
    """Return the workpiece of a part, the same one for its findings and for its price in every quantity."""
    return Workpiece(mesh, rules)
