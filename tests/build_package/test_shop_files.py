"""Drawings, prints and mould notes of single parts, opened with other software."""

from pathlib import Path

import numpy as np
import pytest
from build123d import Axis, Box, Cone, Cylinder, Plane, Pos, Rectangle, Rot, extrude, fillet
from build_package.drawings.notes import drawing_notes
from build_package.drawings.round_features import round_features
from build_package.drawings.views import three_views

from tests.build_package.machines import RUN, Made, files_of
from tests.build_package.other_software import (
    dxf,
    dxf_texts,
    page_of,
    pieces_of_3mf,
    sizes_on_layer,
    step_in_a_fresh_process,
)
from tests.workbenches.sheet_metal.shapes import angle
from tests.workbenches.sheet_metal.shapes import hole as sheet_hole


def base_plate() -> Made:
    """Return a plate of 120 x 80 x 12 with stepped, blind, cross and rounded features."""
    plate = fillet(Box(120, 80, 12).edges().filter_by(Axis.Z), 8)
    for x, y in ((-50, -30), (50, -30), (-50, 30), (50, 30)):
        plate -= Pos(x, y, 0) * Cylinder(2.75, 40) + Pos(x, y, 6 - 2.7) * Cylinder(5, 5.4)
    plate -= Pos(0, 28, 2) * Cylinder(3, 8) + Pos(0, 28, -2 - 0.9) * Cone(0, 3, 1.8)
    plate -= Pos(0, -20, 0) * Rot(0, 90, 0) * Cylinder(2, 200)
    return Made("Grundplatte_端", plate)


@pytest.fixture(scope="module")
def plate_files() -> dict[str, bytes]:
    return files_of(base_plate())


def test_dxf_of_a_milled_part_has_its_true_sizes_in_millimetres(plate_files: dict[str, bytes]) -> None:
    document = dxf(plate_files["milled/Grundplatte_端.dxf"])
    assert document.units == 4, "millimetres"
    gap = 24 / 0.5
    assert sizes_on_layer(document, "VISIBLE") == pytest.approx((120 + gap + 12, 80 + gap + 12), abs=0.01)
    circles = [each.dxf.radius for each in document.modelspace().query("CIRCLE") if each.dxf.layer == "VISIBLE"]
    assert sorted(np.round(circles, 2)) == [2.0] + [2.75] * 4 + [3.0] + [5.0] * 4
    assert {"120", "80", "12"} <= set(dxf_texts(document))


def test_pdf_of_a_milled_part_states_run_material_mass_and_scale(plate_files: dict[str, bytes]) -> None:
    page = page_of(plate_files["milled/Grundplatte_端.pdf"])
    assert page.size_mm == pytest.approx((297, 210), abs=0.1)
    mass_g = base_plate().solid.volume * 2.7e-3
    for stated in (RUN, "aluminum-6061", f"{mass_g:.1f} g", "1:2", "ISO 2768-m", "Grundplatte_<U+7AEF>", "inner radii"):
        assert (stated in page.text) is (stated != "inner radii"), "its corners are all outer ones"
    assert page.ink > 0.005


def test_step_of_a_milled_part_is_sound_in_a_fresh_process(plate_files: dict[str, bytes], tmp_path: Path) -> None:
    line = base_plate().line
    shape = step_in_a_fresh_process(plate_files["milled/Grundplatte_端.step"], tmp_path)
    assert shape.is_valid
    assert shape.volume_mm3 == pytest.approx(line.volume_mm3, rel=1e-6)
    assert shape.size_mm == pytest.approx([12, 80, 120], abs=1e-3)
    assert shape.volume_mm3 * 2.7e-6 == pytest.approx(line.mass_kg, rel=1e-6)


def test_hole_table_tells_blind_stepped_and_through_holes_apart() -> None:
    mesh = base_plate().part.mesh
    views = three_views(mesh)
    found = round_features(mesh, views.frame, views.origin_mm)
    assert views.size_mm == pytest.approx((120, 80, 12))
    table = [(each.name, round(each.diameter_mm, 2), each.depth, each.direction) for each in found]
    assert table == [
        *((f"H{number}", 10.0, "5.40", "-Z") for number in range(1, 5)),
        ("H5", 6.0, "8.00", "-Z"),
        *((f"H{number}", 5.5, "through", "-Z") for number in range(6, 10)),
        ("H10", 4.0, "through", "-X"),
    ]
    assert found[0].place_mm == pytest.approx((10, 10, 12), abs=1e-6)
    assert found[4].place_mm == pytest.approx((60, 68, 12), abs=1e-6)


def test_views_of_a_tilted_part_are_those_of_the_part_by_itself() -> None:
    tilted = Made("tilted", Rot(20, 35, 50) * base_plate().shape)
    views = three_views(tilted.part.mesh)
    assert views.size_mm == pytest.approx((120, 80, 12), abs=1e-3)
    assert len(views.front.edges) == len(three_views(base_plate().part.mesh).front.edges)


@pytest.mark.full
def test_part_with_more_holes_than_a_sheet_holds_has_a_drawing_that_says_so() -> None:
    plate = Box(300, 250, 3)
    holes = [Pos(-140 + 20 * column, -115 + 20 * row, 0) * Cylinder(2, 10) for column in range(15) for row in range(12)]
    page = page_of(files_of(Made("sieve", plate - holes))["milled/sieve.pdf"])
    assert "30 more holes and pins" in page.text


def tray() -> Made:
    """Return an open tray, 20 mm high and widest at its rim, in a pose of its own."""
    outer = extrude(Plane.XY.offset(20) * Rectangle(80, 60), -20, taper=1.5)
    inner = extrude(Plane.XY.offset(20) * Rectangle(76, 56), -18, taper=1.5)
    return Made("tray", Pos(7, 8, 9) * (outer - inner), "injection_molding", "abs")


def test_moulded_tray_parts_at_its_rim_and_states_its_draft() -> None:
    part = tray().part
    views = three_views(part.mesh)
    notes = drawing_notes(part, views)
    assert "mould opens along Z; parting plane at z = 20.00" in notes
    assert "least draft of upright faces 1.50°" in notes
    assert "mould opens along Z" in page_of(files_of(tray())["moulded/tray.pdf"]).text


def test_print_lies_on_the_side_that_its_price_assumed() -> None:
    """A table: with its top on the bed it needs no support, and its legs point up."""
    table = Box(60, 60, 4) + [Pos(x, y, -17) * Box(6, 6, 30) for x in (-25, 25) for y in (-25, 25)]
    files = files_of(Made("table", table, "3d_printing", "pla"))
    (piece,) = pieces_of_3mf(files["printed/table.3mf"]).values()
    assert piece.high_mm == pytest.approx((60, 60, 34), abs=1e-3)
    plate = pieces_of_3mf(files["plates/plate-1-pla.3mf"])["table"]
    assert plate.low_mm == pytest.approx((6, 6, 0), abs=1e-3)


def test_readme_names_a_print_that_lies_beyond_its_bed() -> None:
    """A printer's price is that of any turn in which the part fits; on the plate it lies as the supports want it."""
    files = files_of(
        Made("strip", Box(900, 10, 2), "3d_printing", "pla"), Made("cube", Box(9, 9, 9), "3d_printing", "pla")
    )
    (row,) = [line for line in files["README.md"].decode().splitlines() if "beyond the bed" in line]
    assert "`strip`" in row
    assert "`cube`" not in row


def test_sheet_has_its_flat_pattern_with_bend_lines_beside_its_drawing() -> None:
    files = files_of(Made("angle", angle() - sheet_hole(6, 30), "sheet_metal", "steel-dc01"))
    assert {"sheet/angle.step", "sheet/angle.pdf", "sheet/angle.dxf", "sheet/angle-flat.dxf"} <= set(files)
    document = dxf(files["sheet/angle-flat.dxf"])
    assert document.units == 4, "millimetres"
    assert sorted(sizes_on_layer(document, "CUT")) == pytest.approx((40, 46 + 26 + np.pi / 2 * 2.84), abs=0.01)
    space = document.modelspace()
    assert [each.dxf.radius for each in space.query("CIRCLE")] == [3.0]
    (line,) = space.query("LINE")
    assert line.dxf.layer in {"BEND_UP", "BEND_DOWN"}
    assert any("90 deg R2" in text for text in dxf_texts(document))
