"""STEP files of strangers: each is refused in one sentence, whatever it would cost to read it."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# OCP ships no stubs.

import os
from pathlib import Path

import pytest
from build123d import Box
from geometry.occt.brep import UnreadableBrepError, read_step
from OCP.BRep import BRep_Builder
from OCP.gp import gp_Trsf, gp_Vec
from OCP.Interface import Interface_Static
from OCP.STEPControl import STEPControl_StepModelType, STEPControl_Writer
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS_Compound, TopoDS_Shape

WIDTH, DEPTH = 10, 5
HEADER = b"ISO-10303-21;\nHEADER;\nENDSEC;\nDATA;\n"


def nested(shape: TopoDS_Shape) -> TopoDS_Shape:
    """Return a compound that repeats a shape `WIDTH` times."""
    builder, compound = BRep_Builder(), TopoDS_Compound()
    builder.MakeCompound(compound)
    for number in range(WIDTH):
        moved = gp_Trsf()
        moved.SetTranslation(gp_Vec(number, 0, 0))
        builder.Add(compound, shape.Moved(TopLoc_Location(moved)))
    return compound


def test_small_file_of_many_repeated_parts_is_refused(tmp_path: Path) -> None:
    shape: TopoDS_Shape = Box(1, 1, 1).wrapped
    for _ in range(DEPTH):
        shape = nested(shape)
    writer = STEPControl_Writer()
    Interface_Static.SetIVal_s("write.step.assembly", 1)
    writer.Transfer(shape, STEPControl_StepModelType.STEPControl_AsIs)
    writer.Write(str(tmp_path / "bomb.step"))
    assert (tmp_path / "bomb.step").stat().st_size < 100_000
    with pytest.raises(UnreadableBrepError, match="more than 10000 shapes"):
        read_step(tmp_path / "bomb.step")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (HEADER + b"#1=A();\n" * 500_001, "500001 entities, more than 500000: export solids, not meshes"),
        (HEADER + b" " * 50_000_000, "bytes, more than 50000000"),
        (HEADER + b"#1=MANIFOLD_SOLID_BREP('',#1);\nENDSEC;\nEND-ISO-10303-21;\n", "holds no readable shape"),
        (b"PK\x03\x04", "is not a STEP file"),
    ],
)
def test_file_that_costs_too_much_is_refused(content: bytes, problem: str, tmp_path: Path) -> None:
    file = tmp_path / "part.step"
    file.write_bytes(content)
    with pytest.raises(UnreadableBrepError, match=problem):
        read_step(file)


@pytest.mark.parametrize("kind", ["fifo", "device", "folder"])
def test_what_is_not_a_regular_file_is_refused_at_once(kind: str, tmp_path: Path) -> None:
    path = {"fifo": tmp_path / "fifo", "device": Path("/dev/zero"), "folder": tmp_path}[kind]
    if kind == "fifo":
        os.mkfifo(path)
    with pytest.raises(UnreadableBrepError, match="not a regular file"):
        read_step(path)
