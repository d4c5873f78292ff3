"""Bought rails, carriages, linear bearings and heat-set inserts in designs."""

from typing import Any

import pytest
from build123d import Cylinder, Location, Part, Pos, Rot
from build123d.topology import Shape
from catalog_shapes.bought_parts import bought_part
from contracts.models.geometry import Vector
from contracts.models.mechanism import Connection, Joint
from parts_catalog.hardware import bearing

from tests.support.designs import Designs, MechanismItem
from tests.support.slides import bond


def bought(label: str, catalog_id: str, place: Location) -> Part:
    part: Part = place * bought_part(catalog_id)
    part.label = label
    vars(part)["metadata"] = {"catalog_id": catalog_id}
    return part


def screwed(first: str, second: str, screw: str, *places: Vector) -> Connection:
    down = ((0.0, 0.0, -1.0),) * len(places)
    return Connection(
        first=first, second=second, means="fastened", fastener_id=screw, places_mm=places, directions=down
    )


def holes_of(part: Part, above_mm: float = 0.0) -> list[Vector]:
    """Return the places of a part's mounting holes."""
    places = [joint.location.position for name, joint in part.joints.items() if name.startswith("hole-")]
    return [(place.X, place.Y, place.Z + above_mm) for place in places]


def slide_on(parent: str, child: str, bearing_id: str, height_mm: float, travel_mm: float) -> Joint:
    """Return the joint of what runs along x from x = -60 mm."""
    return Joint(
        label="slide",
        kind="linear",
        parent=parent,
        child=child,
        anchor_mm=(-60, 0, height_mm),
        axis=(1, 0, 0),
        travel_range_mm=(0, travel_mm),
        bearing_id=bearing_id,
    )


def table_on_a_rail(designs: Designs) -> tuple[list[Shape[Any]], list[MechanismItem]]:
    """Return a rail on a board, its carriage and a table on that, all screwed by their own holes."""
    rail = bought("rail", "rail-mgn12-200", Pos(0, 0, 20))
    carriage = bought("carriage", "crg-mgn12h", Pos(-60, 0, 20))
    rail_holes, table_holes = holes_of(rail), holes_of(carriage, above_mm=4)
    assert rail_holes[0] == pytest.approx((-87.5, 0, 23.5))
    assert table_holes[0] == pytest.approx((-70, -10, 37))
    parts: list[Shape[Any]] = [
        designs.part("board", (220, 60, 20), (0, 0, 10)),
        rail,
        carriage,
        designs.part("table", (50, 40, 4), (-60, 0, 35)),
    ]
    slide = slide_on("rail", "carriage", "crg-mgn12h", height_mm=24, travel_mm=110)
    mechanism: list[MechanismItem] = [
        bond("board", "floor"),
        screwed("rail", "board", "iso4762-m3x8", *rail_holes),
        screwed("table", "carriage", "iso4762-m3x8", *table_holes),
        slide,
    ]
    return parts, mechanism


def test_rail_and_carriage_are_screwed_by_their_own_holes(designs: Designs) -> None:
    parts, mechanism = table_on_a_rail(designs)
    judged = designs.judge(*parts, mechanism=mechanism)
    assert judged.findings == ()
    assert judged.scene is not None
    (joint,) = (each for each in judged.scene.joints if each.label == "slide")
    sheet = bearing("mgn12h")
    assert (joint.max_force_n, joint.max_moment_n_m) == (sheet.max_force_n, 36.26)
    assert judged.bill is not None
    assert {line.catalog_id: line.count for line in judged.bill.hardware if line.catalog_id != "epoxy"} == {
        "rail-mgn12-200": 1,
        "crg-mgn12h": 1,
        "iso4762-m3x8": 12,
    }, "the carriage is the joint's bearing, and is bought once"


def lid_on_an_insert(designs: Designs, screw: str) -> list[str]:
    """Return the findings about a lid that is screwed into an M3 insert in a block."""
    place = Pos(0, 0, 20 - 5.7 / 2)
    block = designs.part("block", (30, 30, 20), (0, 0, 10)) - place * Cylinder(4.7 / 2, 5.7)
    parts = [
        designs.as_part("block", block),
        bought("insert", "ins-m3x5.7", place),
        designs.part("lid", (30, 30, 4), (0, 0, 22)),
    ]
    fixed = [bond("block", "floor"), bond("insert", "block"), screwed("lid", "insert", screw, (0, 0, 24))]
    return [each.detail for each in designs.judge(*parts, mechanism=fixed).findings]


def test_screw_holds_in_an_insert_of_its_size(designs: Designs) -> None:
    assert lid_on_an_insert(designs, "iso4762-m3x8") == []
    (found,) = lid_on_an_insert(designs, "iso4762-m4x12")
    assert "does not fit insert, which takes screws M3" in found
    (found,) = lid_on_an_insert(designs, "iso4762-m3x12")
    assert "goes through block, which it does not join" in found


def test_block_runs_on_a_round_rod(designs: Designs) -> None:
    """A rod of 8 mm between two cheeks, and a block on it, to whose four threads a table is screwed."""
    rod = bought("rod", "rod-8x200", Pos(0, 0, 40) * Rot(0, 90, 0))
    block = bought("block", "scs8uu", Pos(-60, 0, 40))
    cheeks = [designs.part(f"cheek{side}", (10, 30, 60), (side * 105.0, 0, 30)) for side in (-1, 1)]
    table = designs.part("table", (60, 40, 4), (-60, 0, 53))
    slide = slide_on("rod", "block", "scs8uu", height_mm=40, travel_mm=120)
    heads = [(x, y, 55.0) for x, y, _ in holes_of(block)]
    assert min(heads) == pytest.approx((-69, -12, 55))
    mechanism: list[MechanismItem] = [
        *(bond(f"cheek{side}", other) for side in (-1, 1) for other in ("floor", "rod")),
        screwed("table", "block", "iso4762-m4x12", *heads),
        slide,
    ]
    judged = designs.judge(rod, block, *cheeks, table, mechanism=mechanism)
    assert judged.findings == ()
