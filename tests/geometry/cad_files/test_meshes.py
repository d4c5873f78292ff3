"""Meshes of STL, OBJ and 3MF files: bodies, voids, units, transforms, and what is refused."""

import numpy as np
import pytest

from tests.geometry.cad_files.shapes import (
    TRIANGLES,
    archive_3mf,
    binary_stl,
    box,
    joined,
    obj_of,
    object_3mf,
    problem_of,
    read,
    volumes_of,
)

BOX = box((10, 20, 30))


def text_stl(triangles: np.ndarray) -> bytes:
    facets = [
        "facet normal 0 0 0\n outer loop\n"
        + "".join(f"  vertex {x} {y} {z}\n" for x, y, z in BOX[triangle].tolist())
        + " endloop\nendfacet\n"
        for triangle in triangles
    ]
    return ("solid box\n" + "".join(facets) + "endsolid box\n").encode()


@pytest.mark.parametrize(
    ("data", "name"),
    [(binary_stl(BOX, TRIANGLES), "a.stl"), (text_stl(TRIANGLES), "a.STL"), (obj_of(BOX), "a.obj")],
)
def test_closed_mesh_is_one_solid_of_flat_faces(data: bytes, name: str) -> None:
    file = read(data, name)
    assert volumes_of(file) == [6000.0]
    assert (len(file.solids[0].solid.faces()), file.solids[0].is_mesh) == (6, True)
    assert "read in millimetres" in file.notes[-1]


def test_mesh_inside_out_is_turned() -> None:
    file = read(binary_stl(BOX, TRIANGLES[:, ::-1]), "a.stl")
    assert volumes_of(file) == [6000.0]
    assert "was inside out" in file.notes[-1]


def test_bodies_and_voids_of_a_mesh_are_distinguished() -> None:
    vertices, triangles = joined(
        box((20, 20, 20)), box((10, 10, 10), (5, 5, 5)), box((3, 3, 3), (50, 0, 0)), turned=[1]
    )
    assert sorted(volumes_of(read(binary_stl(vertices, triangles), "a.stl"))) == [27.0, 7000.0]


def test_bodies_of_a_mesh_that_overlap_are_refused_with_the_place() -> None:
    vertices, triangles = joined(box((10, 10, 10)), box((10, 10, 10), (6, 3, 2)))
    error = problem_of(binary_stl(vertices, triangles), "a.stl")
    assert "has bodies that overlap near" in str(error)
    assert error.place_mm is not None
    assert all(low - 0.1 <= place <= 10.1 for low, place in zip((6, 3, 2), error.place_mm, strict=True))


def test_bodies_of_a_mesh_that_touch_are_two() -> None:
    vertices, triangles = joined(box((10, 10, 10)), box((10, 7, 5), (10, 1, 1)))
    assert sorted(volumes_of(read(binary_stl(vertices, triangles), "a.stl"))) == [350.0, 1000.0]


def test_stl_so_far_away_that_it_is_rounded_is_refused() -> None:
    near, far = (binary_stl(box((10, 20, 30), (place, 0, 0)), TRIANGLES) for place in (5e4, 3e6))
    assert volumes_of(read(near, "a.stl")) == [6000.0]
    assert "lies 3000 m from the origin, where STL rounds coordinates to 0.25 mm" in str(problem_of(far, "a.stl"))


@pytest.mark.parametrize("missing", [1, 3])
def test_open_mesh_is_refused_with_place_and_number_of_edges(missing: int) -> None:
    error = problem_of(binary_stl(BOX, TRIANGLES[:-missing]), "a.stl")
    assert error.problem == "open"
    assert f"{3 if missing == 1 else 7} open edges" in str(error)
    assert error.place_mm is not None
    assert all(low <= value <= high for low, value, high in zip((0, 0, 0), error.place_mm, (10, 20, 30), strict=True))


def test_triangle_that_looks_the_other_way_is_placed() -> None:
    turned = TRIANGLES.copy()
    turned[0] = turned[0][::-1]
    assert problem_of(binary_stl(BOX, turned), "a.stl").problem == "damaged"


@pytest.mark.parametrize(
    ("data", "name", "problem"),
    [
        (binary_stl(BOX, TRIANGLES)[:-60], "a.stl", "truncated"),
        (text_stl(TRIANGLES)[:-200], "a.stl", "truncated"),
        (b"solid nothing\nendsolid nothing\n", "a.stl", "truncated"),
        (b"# nothing\n", "a.obj", "no_shape"),
        (b"v 0 0 0\nf 1 2 3\n", "a.obj", "damaged"),
        (b"v 0 0 zero\n", "a.obj", "damaged"),
        (binary_stl(BOX * np.nan, TRIANGLES), "a.stl", "damaged"),
        (binary_stl(BOX * [1, 1, 0], TRIANGLES), "a.stl", "open"),
        (b"not a zip", "a.3mf", "damaged"),
        (archive_3mf("", ""), "a.3mf", "no_shape"),
        (archive_3mf(object_3mf(1, BOX), '<item objectid="1"/>', unit="parsec"), "a.3mf", "damaged"),
        (archive_3mf(object_3mf(1, BOX), '<item objectid="1" transform="1 2 3"/>'), "a.3mf", "damaged"),
        (archive_3mf('<object id="1"><components><component objectid="1"/></components></object>',
                     '<item objectid="1"/>'), "a.3mf", "too_complex"),
    ],
)  # fmt: skip
def test_unusable_mesh_is_named_for_what_it_is(data: bytes, name: str, problem: str) -> None:
    assert problem_of(data, name).problem == problem


@pytest.mark.parametrize(
    ("unit", "scale"),
    [("micron", 1e-3), ("millimeter", 1.0), ("centimeter", 10.0), ("inch", 25.4), ("foot", 304.8), ("meter", 1000.0)],
)
def test_3mf_has_its_true_size_in_any_unit(unit: str, scale: float) -> None:
    data = archive_3mf(object_3mf(1, BOX / scale), '<item objectid="1" transform="1 0 0 0 1 0 0 0 1 3 4 5"/>', unit)
    assert volumes_of(read(data, "a.3mf")) == [pytest.approx(6000.0, rel=1e-6)]


def test_3mf_counts_moved_and_turned_copies_and_keeps_scaled_ones_apart() -> None:
    items = "".join(
        f'<item objectid="1" transform="{transform}"/>'
        for transform in ("1 0 0 0 1 0 0 0 1 0 0 0", "0 1 0 -1 0 0 0 0 1 99 0 0", "2 0 0 0 2 0 0 0 2 0 0 0")
    )
    file = read(archive_3mf(object_3mf(1, BOX, "post"), items), "a.3mf")
    assert [(each.name, each.count, each.solid.volume) for each in file.solids] == [
        ("post", 2, pytest.approx(6000.0)),
        ("post (2)", 1, pytest.approx(48000.0)),
    ]


def test_3mf_reads_components_other_model_files_and_leaves_support_out() -> None:
    component = '<component objectid="7" p:path="/3D/other.model" transform="1 0 0 0 1 0 0 0 -1 0 0 0"/>'
    objects = (
        f'<object id="1" name="pair"><components>{component}<component objectid="2"/></components></object>'
        + object_3mf(2, box((1, 2, 3)), "small")
        + object_3mf(3, box((5, 5, 5)), "prop", kind="support")
    )
    items = '<item objectid="1"/><item objectid="3"/><item objectid="2" printable="0"/>'
    data = archive_3mf(objects, items, other=object_3mf(7, BOX, "large"))
    file = read(data, "a.3mf")
    assert {each.name: each.count for each in file.solids} == {"large": 1, "small": 1}
    assert sorted(volumes_of(file)) == [6.0, 6000.0]
