"""Solids from surfaces: shells that are closed or can be sewn become solids; of open ones, the place of the hole."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# OCP ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

from collections.abc import Sequence
from dataclasses import dataclass

from build123d import Solid
from contracts.models.geometry import Vector
from OCP.BRep import BRep_Builder, BRep_Tool
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeSolid, BRepBuilderAPI_Sewing
from OCP.BRepClass3d import BRepClass3d_SolidClassifier
from OCP.BRepLib import BRepLib
from OCP.collections import IndexedDataMap_TopoDS_Shape_List_TopoDS_Shape_TopTools_ShapeMapHasher as FacesByEdge
from OCP.TopAbs import TopAbs_ShapeEnum, TopAbs_State
from OCP.TopExp import TopExp
from OCP.TopoDS import TopoDS, TopoDS_Compound, TopoDS_Shape, TopoDS_Shell

from geometry.cad_files.explored import pieces_of
from geometry.occt.measures import point_of, spread_of

TOLERANCES_MM = (1e-3, 1e-2, 5e-2)
"""Of sewing, one after the other until the skin is closed: no workshop sees a gap of a twentieth of a millimetre."""
SHOWN_GAP_MM = 2e-3
"""Smaller gaps are the rounding errors of CAD programs."""
_INSIDE_MM = 1e-6


@dataclass(frozen=True)
class Opening:
    """The largest hole in a skin."""

    place_mm: Vector
    size_mm: float
    """The diagonal of the box around it."""
    edges: int
    """Open edges of the whole skin."""


@dataclass(frozen=True)
class Skin:
    """What faces bound once they are sewn."""

    solids: tuple[Solid, ...]
    gap_mm: float = 0.0
    """The widest gap that was closed."""
    opening: Opening | None = None
    """Of the shells that stayed open."""


def closed_skin(faces: Sequence[TopoDS_Shape]) -> Skin:
    """Sew faces together, as loosely as it takes to close them."""
    skin = Skin(())
    for tolerance_mm in TOLERANCES_MM:
        sewn = _sewn(faces, tolerance_mm)
        if skin.opening is None or sewn.opening is None:
            skin = sewn
        if skin.opening is None:
            break
    return skin


def opening_of(shape: TopoDS_Shape) -> Opening | None:
    """Return the largest hole of a skin, None for a closed one."""
    return _largest(_open_edges(shape))


def right_side_out(solid: Solid) -> tuple[Solid, bool]:
    """Return the solid with its material inside, and whether it was inside out."""
    if solid.volume >= 0:
        return solid, False
    turned = TopoDS.Solid(solid.wrapped.Reversed())
    return Solid(turned), True


def solid_of_shells(outer: TopoDS_Shape, voids: Sequence[TopoDS_Shape]) -> Solid:
    """Return the solid between an outer shell and shells inside it, however these are oriented."""
    made = _solid_of(outer)
    if not voids:
        return Solid(made)
    builder = BRep_Builder()
    for void in voids:
        filled = _solid_of(void)
        for shell in pieces_of(filled.Reversed(), "SHELL"):
            builder.Add(made, shell)
    return Solid(made)


def _solid_of(shell: TopoDS_Shape) -> TopoDS_Shape:
    solid = BRepBuilderAPI_MakeSolid(TopoDS.Shell(shell)).Solid()
    BRepLib.OrientClosedSolid_s(solid)
    return solid


def _sewn(faces: Sequence[TopoDS_Shape], tolerance_mm: float) -> Skin:
    sewing = BRepBuilderAPI_Sewing(tolerance_mm)
    for face in faces:
        sewing.Add(face)
    sewing.Perform()
    shape = sewing.SewedShape()
    if shape.IsNull():
        return Skin((), opening=_largest(_open_edges(_compound(faces))))
    closed: list[TopoDS_Shape] = []
    rest: list[TopoDS_Shape] = pieces_of(shape, "FACE", outside="SHELL")
    for shell in pieces_of(shape, "SHELL"):
        (rest if _open_edges(shell) else closed).append(shell)
    gap_mm = max((_gap_mm(shell) for shell in closed), default=0.0)
    return Skin(tuple(_nested(closed)), gap_mm, _largest(_open_edges(_compound(rest))) if rest else None)


def _nested(shells: Sequence[TopoDS_Shape]) -> list[Solid]:
    """Return the solids that closed shells bound: a shell inside another is a void of it, one inside that a solid."""
    filled = sorted(
        ((abs(Solid(_solid_of(shell)).volume), number) for number, shell in enumerate(shells)), reverse=True
    )
    parents: dict[int, list[int]] = {}
    for position, (_, number) in enumerate(filled):
        around = [other for _, other in filled[:position] if _is_inside(shells[number], shells[other])]
        parents[number] = around
    outer = {number: list[TopoDS_Shape]() for number, around in parents.items() if len(around) % 2 == 0}
    for number, around in parents.items():
        if number not in outer:
            outer[around[-1]].append(shells[number])
    return [solid_of_shells(shells[number], voids) for number, voids in outer.items()]


def _is_inside(shell: TopoDS_Shape, other: TopoDS_Shape) -> bool:
    corners = pieces_of(shell, "VERTEX")
    if not corners:
        return False
    classifier = BRepClass3d_SolidClassifier(_solid_of(other))
    classifier.Perform(BRep_Tool.Pnt_s(TopoDS.Vertex(corners[0])), _INSIDE_MM)
    return classifier.State() == TopAbs_State.TopAbs_IN


def _open_edges(shape: TopoDS_Shape) -> list[TopoDS_Shape]:
    """Return the edges that bound one face only, without those that have no length and those of a seam."""
    faces = FacesByEdge()
    TopExp.MapShapesAndAncestors_s(shape, TopAbs_ShapeEnum.TopAbs_EDGE, TopAbs_ShapeEnum.TopAbs_FACE, faces)
    found: list[TopoDS_Shape] = []
    for index in range(1, faces.Extent() + 1):
        edge = TopoDS.Edge(faces.FindKey(index))
        if faces.FindFromIndex(index).Size() < 2 and not BRep_Tool.Degenerated_s(edge):
            found.append(edge)
    return found


def _largest(edges: Sequence[TopoDS_Shape]) -> Opening | None:
    """Return the largest of the holes that open edges form, those that meet at their ends together."""
    if not edges:
        return None
    holes: list[tuple[set[Vector], list[TopoDS_Shape]]] = []
    for edge in edges:
        ends = {_rounded(corner) for corner in pieces_of(edge, "VERTEX")}
        touching = [hole for hole in holes if hole[0] & ends]
        holes = [hole for hole in holes if not hole[0] & ends]
        corners, members = ends, [edge]
        for hole in touching:
            corners, members = corners | hole[0], members + hole[1]
        holes.append((corners, members))
    boxes = [spread_of(_compound(members)) for _, members in holes]
    place_mm, size_mm = max(boxes, key=lambda box: box[1])
    return Opening(place_mm, size_mm, len(edges))


def _rounded(corner: TopoDS_Shape) -> Vector:
    x, y, z = point_of(BRep_Tool.Pnt_s(TopoDS.Vertex(corner)))
    return (round(x, 3), round(y, 3), round(z, 3))


def _gap_mm(shape: TopoDS_Shape) -> float:
    return max((BRep_Tool.Tolerance_s(TopoDS.Edge(edge)) for edge in pieces_of(shape, "EDGE")), default=0.0)


def _compound(shapes: Sequence[TopoDS_Shape]) -> TopoDS_Compound:
    builder, compound = BRep_Builder(), TopoDS_Compound()
    builder.MakeCompound(compound)
    for shape in shapes:
        builder.Add(compound, shape)
    return compound


def shell_of(faces: Sequence[TopoDS_Shape]) -> TopoDS_Shell:
    """Return faces that share their edges as one closed shell."""
    builder, shell = BRep_Builder(), TopoDS_Shell()
    builder.MakeShell(shell)
    for face in faces:
        builder.Add(shell, face)
    shell.Closed(True)
    return shell
