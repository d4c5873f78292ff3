"""The same solid drawn in other ways: moved, turned, mirrored, with other faces, through a STEP file, or meshed before.

Every one must get the same verdict, the same measured values and the same price.
"""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# OCP ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from build123d import Keep, Plane, Pos, Rot, Solid, export_step
from geometry.occt.brep import read_step
from OCP.BRepAlgoAPI import BRepAlgoAPI_Fuse
from OCP.BRepBuilderAPI import BRepBuilderAPI_Copy, BRepBuilderAPI_MakeSolid, BRepBuilderAPI_Sewing
from OCP.BRepMesh import BRepMesh_IncrementalMesh
from OCP.TopoDS import TopoDS

Redrawing = Callable[[Solid, Random], Solid | None]
"""Returns the solid again; None where OCCT cannot draw it so."""


def _moved(solid: Solid, random: Random) -> Solid:
    return solid.moved(Pos(random.uniform(-300, 300), random.uniform(-300, 300), random.uniform(-300, 300)))


def _turned(solid: Solid, random: Random) -> Solid:
    return solid.moved(Rot(random.uniform(-180, 180), random.uniform(-180, 180), random.uniform(-180, 180)))


def _quarter_turned(solid: Solid, random: Random) -> Solid:
    return solid.moved(Rot(90 * random.randint(0, 3), 90 * random.randint(0, 3), 90 * random.randint(1, 3)))


def _mirrored(solid: Solid, random: Random) -> Solid | None:
    plane = random.choice((Plane.XY, Plane.XZ, Plane.YZ))
    return _one(solid.mirror(plane).solids())


def _through_step(solid: Solid, random: Random) -> Solid | None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "part.step"
        export_step(solid, str(file))
        return _one(read_step(file).solids)


def _split(solid: Solid, random: Random) -> Solid | None:
    """Cut the solid in two and join the halves again, without removing the seam."""
    box = solid.bounding_box()
    axis = random.choice((Plane.XY, Plane.XZ, Plane.YZ))
    share = random.uniform(0.35, 0.65)
    plane = Plane(origin=box.min + (box.max - box.min) * share, z_dir=axis.z_dir)
    top, bottom = solid.split(plane, keep=Keep.TOP), solid.split(plane, keep=Keep.BOTTOM)
    if not (isinstance(top, Solid) and isinstance(bottom, Solid)):
        return None  # one of them is in several pieces
    fused = BRepAlgoAPI_Fuse(top.wrapped, bottom.wrapped)
    return _one(Solid.cast(fused.Shape()).solids())


def _reordered(solid: Solid, random: Random) -> Solid | None:
    """Sew the faces together in another order; only where they have one shell."""
    if len(solid.shells()) != 1:
        return None
    faces = list(solid.faces())
    random.shuffle(faces)
    sewing = BRepBuilderAPI_Sewing(1e-6)
    for face in faces:
        sewing.Add(BRepBuilderAPI_Copy(face.wrapped).Shape())
    sewing.Perform()
    shells = Solid.cast(sewing.SewedShape()).shells()
    if len(shells) != 1:
        return None
    made = Solid(BRepBuilderAPI_MakeSolid(TopoDS.Shell(shells[0].wrapped)).Solid())
    return made if made.is_valid and made.volume > 0 else None


def _meshed(solid: Solid, random: Random) -> Solid:
    """Leave another triangulation on the solid, finer or coarser."""
    copy = Solid(TopoDS.Solid(BRepBuilderAPI_Copy(solid.wrapped).Shape()))
    BRepMesh_IncrementalMesh(copy.wrapped, random.choice((0.005, 0.5)), False, random.choice((0.1, 1.0)), False)
    return copy


def _one(solids: Iterable[Solid]) -> Solid | None:
    found = list(solids)
    return found[0] if len(found) == 1 and found[0].is_valid and found[0].volume > 0 else None


REDRAWINGS: dict[str, Redrawing] = {
    "moved": _moved,
    "turned": _turned,
    "quarter-turned": _quarter_turned,
    "mirrored": _mirrored,
    "through STEP": _through_step,
    "split faces": _split,
    "other order": _reordered,
    "other mesh": _meshed,
}
