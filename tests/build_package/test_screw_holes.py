"""Holes of screws in the delivered solids, against ISO 273 and ISO 261."""

from math import pi

import pytest
from build123d import Box, Cylinder, Pos
from build_package.screw_holes import SplitPartError, drilled_parts, insert_holes, screw_holes
from catalog_shapes.bought_parts import bought_part
from contracts.models.mechanism import Connection, Mechanism

LID, BASE = Pos(0, 0, 12) * Box(40, 40, 4), Box(40, 40, 20)
SCREW = Connection(
    first="lid",
    second="base",
    means="fastened",
    fastener_id="iso4762-m4x16",
    places_mm=((0.0, 0.0, 14.0),),
    directions=((0.0, 0.0, -1.0),),
)


def test_screw_gets_a_clearance_hole_and_a_core_hole_beyond_its_end() -> None:
    """By hand, M4 x 16: Ø4.5 through 4 mm; Ø3.3 (4 less a pitch of 0.7) over 16 - 4 + 1 mm."""
    made = {"lid": LID.solids()[0], "base": BASE.solids()[0]}
    parts = drilled_parts(screw_holes(Mechanism(connections=(SCREW,))), made)
    assert LID.volume - parts["lid"].solid.volume == pytest.approx(pi / 4 * 4.5**2 * 4, rel=1e-4)
    assert BASE.volume - parts["base"].solid.volume == pytest.approx(pi / 4 * 3.3**2 * 13, rel=1e-4)
    assert [hole.use for hole in parts["base"].holes] == ["core of M4, tap or let the screw cut"]


def test_hole_that_the_design_draws_stays_as_wide_as_it_is() -> None:
    lid = LID - Pos(0, 0, 12) * Cylinder(2.5, 10)
    parts = drilled_parts(screw_holes(Mechanism(connections=(SCREW,))), {"lid": lid.solids()[0]})
    assert parts["lid"].solid.volume == pytest.approx(lid.volume)
    assert "base" not in parts, "what is there before the machine is the site's"


def test_insert_gets_a_hole_that_is_narrower_than_it_and_deeper() -> None:
    """By hand, M3: drawn in a blind hole of 4.7 x 5.7, melted into one of 4.0 x 6.5; through 5.7 mm, of 4.0 x 5.7."""
    place = Pos(7, 0, 10 - 5.7 / 2)
    insert = (place * bought_part("ins-m3x5.7")).solids()[0]
    ids = {"insert": "ins-m3x5.7"}
    bond = Mechanism(connections=(Connection(first="insert", second="base", means="bonded"),))
    for block, depth_mm in ((BASE, 6.5), (Pos(0, 0, 10 - 5.7 / 2) * Box(40, 40, 5.7), 5.7)):
        base = (block - place * Cylinder(4.7 / 2, 5.7)).solids()[0]
        solids = {"insert": insert, "base": base}
        parts = drilled_parts(insert_holes(bond, ids, solids), {"base": base})
        whole = parts["base"].solid
        assert block.volume - whole.volume == pytest.approx(pi / 4 * 4.0**2 * depth_mm, rel=1e-4)
        assert whole.is_valid
        assert [hole.use for hole in parts["base"].holes] == ["for the heat-set insert M3 x 5.7"]


def test_glue_needs_no_holes() -> None:
    glue = Connection(first="lid", second="base", means="bonded")
    assert drilled_parts(screw_holes(Mechanism(connections=(glue,))), {"lid": LID.solids()[0]}) == {}


def test_part_that_its_holes_take_apart_is_named() -> None:
    strip = Pos(0, 0, 12) * Box(4, 40, 4)
    with pytest.raises(SplitPartError, match="cut lid into 2 pieces"):
        drilled_parts(screw_holes(Mechanism(connections=(SCREW,))), {"lid": strip.solids()[0]})
