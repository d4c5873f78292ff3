"""STEP files as people have them: packed, marked, in other units, in pieces, and damaged."""

import gzip
import io
import re
import zipfile
from typing import Any

import pytest
from build123d import Box, Compound, Cylinder, Edge, Face, Location, Plane, Pos, Rot, Shell, Unit, Vertex
from build123d.topology import Shape

from tests.geometry.cad_files.shapes import bomb, problem_of, read, step_of, volumes_of

BOX = Box(10, 20, 30)
TEXT = step_of(BOX)


def zipped(*files: tuple[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"\xef\xbb\xbf" + TEXT, "a.step"),
        (TEXT.decode().encode("utf-16"), "a.step"),
        (b"\r\n\t /* one */ \n/* two */\n" + TEXT, "a.stp"),
        (b"\xef\xbb\xbf\n" + TEXT.replace(b"\n", b"\r\n"), "a.STEP"),
        (TEXT.replace(b"ISO-10303-21;", b"Iso-10303-21;", 1), "a.step"),
        (TEXT.replace(b"ISO-10303-21;", b"ISO-10303-21 ;", 1), "a.step"),
        (TEXT.replace(b"ADVANCED_FACE", b"advanced_face").replace(b"CLOSED_SHELL", b"Closed_Shell"), "a.step"),
        (TEXT.replace(b"\n", b"\r"), "a.step"),
        (gzip.compress(TEXT, mtime=0), "a.stpz"),
        (gzip.compress(TEXT, mtime=0), "a.step.gz"),
        (zipped(("inner.stp", TEXT)), "a.stpZ"),
        (TEXT, "without-a-suffix"),
        (TEXT + b"\n" * 9000, "a.step"),
    ],
)
def test_file_is_read_in_any_packing_and_with_any_marks(data: bytes, name: str) -> None:
    assert volumes_of(read(data, name)) == [6000.0]


@pytest.mark.parametrize(
    ("unit", "mm"),
    [(Unit.MC, 1e-3), (Unit.MM, 1.0), (Unit.CM, 10.0), (Unit.M, 1000.0), (Unit.IN, 25.4), (Unit.FT, 304.8)],
)
def test_size_does_not_depend_on_the_unit(unit: Unit, mm: float) -> None:
    assert volumes_of(read(step_of(Box(10 / mm, 20 / mm, 30 / mm), unit=unit))) == [pytest.approx(6000.0, rel=1e-5)]


def bracket() -> Shape[Any]:
    return Box(30, 20, 4) + Pos(-13, 0, 10) * Box(4, 20, 20) - Pos(8, 5, 0) * Cylinder(3, 10)


def test_equal_solids_are_counted_and_mirrored_ones_are_not() -> None:
    """Each is built by itself, so that the file knows of no copies."""
    turned = Pos(50, 0, 0) * Rot(30, 40, 50) * bracket() - Pos(500, 0, 0) * Box(1, 1, 1)
    pieces = [bracket(), turned, Pos(0, 90, 0) * bracket().mirror(Plane.XZ)]
    for name, piece in zip(("left", "other left", "right"), pieces, strict=True):
        piece.label = name
    file = read(step_of(*pieces))
    assert sorted(each.count for each in file.solids) == [1, 2]
    assert next(each.name for each in file.solids if each.count == 1) == "right"
    assert len(file.notes) == 1
    assert "is counted with it" in file.notes[0]


def test_counts_of_nested_assemblies_multiply() -> None:
    pin = Cylinder(2, 10)
    pin.label = "pin"
    inner = Compound(label="row", children=[pin.located(Location((x, 0, 0))) for x in (0, 10, 20)])
    outer = Compound(label="all", children=[inner.located(Location((0, y, 0))) for y in (0, 50)])
    assert [(each.name, each.count) for each in read(step_of(outer)).solids] == [("pin", 6)]


def test_different_solids_of_one_name_are_numbered() -> None:
    first, second = Box(1, 2, 3), Pos(9, 0, 0) * Box(2, 3, 4)
    first.label = second.label = "plate"
    assert [each.name for each in read(step_of(first, second)).solids] == ["plate", "plate (2)"]


def test_solids_in_each_other_are_named_with_the_place() -> None:
    block, pin = Box(20, 20, 20), Pos(10, 0, 3) * Box(20, 20, 10)
    block.label, pin.label = "block", "pin"
    (note,) = read(step_of(block, pin)).notes
    assert note.startswith("block and pin overlap by 2000 mm3 around (5.0, 0.0, 3.0) mm")


@pytest.mark.parametrize("other", [Pos(20, 0, 0) * Box(20, 20, 10), Pos(19.98, 0, 0) * Box(20, 20, 10)])
def test_solids_that_touch_or_are_pressed_together_are_not_named(other: Shape[Any]) -> None:
    assert read(step_of(Box(20, 20, 20), other)).notes == ()


def test_what_is_beside_solids_is_counted_in_the_note() -> None:
    extras = [Edge.make_line((0, 0, 40), (0, 0, 60)), Face.make_rect(5, 5, Plane.XY.offset(50)), Vertex(0, 0, 70)]
    file = read(step_of(BOX, *extras))
    assert volumes_of(file) == [6000.0]
    assert file.notes == ("left out: 1 surface, 1 line and 1 point beside the solids, which cannot be made",)


def test_closed_shell_with_a_void_is_a_hollow_solid() -> None:
    shells = [Shell(Box(20, 20, 20).faces()), Shell(Box(10, 10, 10).faces()), Shell(Box(4, 4, 4).faces())]
    file = read(step_of(*shells))
    assert sorted(volumes_of(file)) in ([64.0, 1000.0, 8000.0], [64.0, 7000.0])


def test_loose_faces_of_a_hollow_box_are_joined() -> None:
    faces = [
        face for shape in (Box(20, 20, 20), Box(10, 10, 10), Pos(50, 0, 0) * Box(5, 5, 5)) for face in shape.faces()
    ]
    assert sorted(volumes_of(read(step_of(*faces)))) == [125.0, 7000.0]


@pytest.mark.parametrize("gap_mm", [0.005, 0.03])
def test_small_gap_is_closed_and_noted(gap_mm: float) -> None:
    *most, last = BOX.faces().sort_by()
    file = read(step_of(*most, Pos(0, 0, gap_mm) * last))
    assert volumes_of(file) == [pytest.approx(6000.0, rel=1e-2)]
    assert any(f"gaps of up to {gap_mm:.3f}"[:-1] in note for note in file.notes)


def test_wide_gap_is_a_hole_with_its_place() -> None:
    *most, last = BOX.faces().sort_by()
    error = problem_of(step_of(*most, Pos(0, 0, 1) * last))
    assert error.problem == "open"
    assert error.place_mm == pytest.approx((0.0, 0.0, 15.5), abs=0.51)


def test_round_hole_in_a_skin_is_placed_at_its_middle() -> None:
    tube = Pos(7, 8, 9) * Cylinder(5, 20)
    error = problem_of(step_of(Shell(tube.faces().sort_by()[:-1])))
    assert (error.problem, error.place_mm) == ("open", pytest.approx((7.0, 8.0, 19.0), abs=0.01))


def test_open_surface_beside_a_solid_is_left_out() -> None:
    file = read(step_of(Shell(BOX.faces()[:-1]), Pos(50, 0, 0) * Box(5, 5, 5)))
    assert volumes_of(file) == [125.0]
    assert "left out: 5 surfaces beside the solids, which cannot be made" in file.notes


def test_far_part_is_moved_to_the_origin() -> None:
    file = read(step_of(Pos(1e6, -9e5, 0) * Box(10, 20, 30) + Pos(1e6, -9e5, 5) * Box(10, 20, 20)))
    assert volumes_of(file) == [pytest.approx(6000.0, rel=1e-6)]
    assert max(abs(value) for value in file.solids[0].solid.bounding_box().max) < 20
    assert "it was moved" in file.notes[0]


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
def test_file_that_ends_early_is_refused_wherever_it_ends(share: float) -> None:
    assert problem_of(TEXT[: int(share * len(TEXT))]).problem == "truncated"
    assert problem_of(gzip.compress(TEXT, mtime=0)[: int(share * 1000)], "a.stpz").problem == "truncated"


@pytest.mark.parametrize(
    ("data", "name", "problem"),
    [
        (b"", "a.step", "empty"),
        (b" \r\n\t\n", "a.step", "empty"),
        (b"\xef\xbb\xbf", "a.step", "empty"),
        (gzip.compress(b"", mtime=0), "a.stpz", "empty"),
        (b"\x00" * 500, "a.stp", "empty"),
        (b"solid rubbish", "a.step", "damaged"),
        (b"%PDF-1.7", "a.pdf", "unknown_format"),
        (b"S      1", "a.iges", "unknown_format"),
        (re.sub(rb"DATA;.*ENDSEC;", b"DATA;\nENDSEC;", TEXT, flags=re.DOTALL), "a.step", "no_shape"),
        (zipped(("a.step", TEXT), ("b.step", TEXT)), "a.zip", "unknown_format"),
        (zipped(("a.step", TEXT))[:-40], "a.stpz", "damaged"),
        (b"\x1f\x8bnothing", "a.stpz", "damaged"),
    ],
)
def test_file_without_a_shape_is_named_for_what_it_is(data: bytes, name: str, problem: str) -> None:
    assert problem_of(data, name).problem == problem


def test_missing_entity_is_named() -> None:
    number = re.search(rb"#(\d+) = PLANE", TEXT)
    assert number is not None
    broken = re.sub(rb"#%b = PLANE[^;]*;" % number.group(1), b"", TEXT)
    error = problem_of(broken)
    assert error.problem == "damaged"
    assert f"#{number.group(1).decode()}" in str(error)


def test_bomb_is_refused_before_it_is_unpacked() -> None:
    assert problem_of(bomb(250), "a.stpz").problem == "too_large"
