"""B-reps that are too large to process."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false

from io import BytesIO

from build123d import Face, Wire
from OCP.BinTools import BinTools
from OCP.BRep import BRep_Builder
from OCP.TopoDS import TopoDS_Shell, TopoDS_Solid


def many_faces(count: int) -> bytes:
    """Return the B-rep of a solid with `count` triangles, all in one place, which is quick to build."""
    triangle = Face(Wire.make_polygon([(0, 0, 0), (1, 0, 0), (0, 1, 0)])).wrapped
    builder, shell, solid = BRep_Builder(), TopoDS_Shell(), TopoDS_Solid()
    builder.MakeShell(shell)
    for _ in range(count):
        builder.Add(shell, triangle)
    builder.MakeSolid(solid)
    builder.Add(solid, shell)
    stream = BytesIO()
    BinTools.Write_s(solid, stream)
    return stream.getvalue()
