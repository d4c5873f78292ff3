"""The mechanism API: data for valid arguments, errors for others. Their wording is in golden/errors.txt."""

from collections.abc import Iterable, Iterator, Sequence
from math import pi

import pytest
from contracts.models.mechanism import Connection, Constant, Motor
from kernel.api import mechanism_api
from kernel.api.mechanism_api import (
    InvalidMechanismError,
    NoGeometryError,
    bearing,
    bond_contacts,
    bonded,
    carried,
    catalog_part,
    drive,
    fastened,
    gears,
    glue,
    rack,
    screw,
)
from parts_catalog.hardware import UnknownHardwareError

from tests.kernel.fakes import FakeHost, Labelled


@pytest.fixture
def geometry() -> Iterator[None]:
    with FakeHost().connected():
        yield


def test_parts_may_be_given_as_object_or_label() -> None:
    connection = Connection(first="leg", second="floor", means="bonded")
    assert glue(Labelled("leg"), "floor") == glue("leg", Labelled("floor")) == connection


def test_screw_has_one_normalised_direction_per_position() -> None:
    found = screw("arm", "frame", "iso4762-m4x16", at=[(0, 0, 9), (10, 0, 9)], into=(0, 0, -3))
    assert found.places_mm == ((0, 0, 9), (10, 0, 9))
    assert found.directions == ((0, 0, -1), (0, 0, -1))
    assert (found.means, found.fastener_id) == ("fastened", "iso4762-m4x16")


def test_bearing_names_joint_and_catalog_id() -> None:
    found = bearing("608zz", joint=Labelled("hinge"))
    assert (found.joint, found.bearing_id) == ("hinge", "608zz")


def test_older_names_do_the_same() -> None:
    assert bonded("leg", "floor") == glue("leg", "floor")
    at = [(0, 0, 9)]
    assert fastened("arm", "frame", "iso4762-m4x16", at=at) == screw("arm", "frame", "iso4762-m4x16", at=at)
    assert carried("hinge", "608zz") == bearing("608zz", joint="hinge")


def test_catalog_aliases_become_catalog_ids() -> None:
    assert screw("arm", "frame", "SHCS-M6x20", at=[(0, 0, 9)]).fastener_id == "iso4762-m6x20"
    assert bearing("brg-608", joint="hinge").bearing_id == bearing("608", joint="hinge").bearing_id == "608zz"


def test_rack_moves_by_pinion_circumference_per_turn() -> None:
    assert rack("pinion", "slide", pinion_radius_mm=10).ratio * 360 == pytest.approx(2 * pi * 10)
    assert rack("pinion", "slide", mm_per_deg=-0.2).ratio == -0.2
    assert gears("a", "b", -0.5).kind == "gear"


def test_drive_names_motor_joint_and_control() -> None:
    found = drive(Labelled("servo"), joint=Labelled("hinge"), control=Constant(share=1), pinion_radius_mm=8)
    assert found == Motor(part="servo", joint="hinge", control=Constant(share=1), pinion_radius_mm=8)


@pytest.mark.parametrize("label", ["", "leg" * 22, "leg"])
def test_invalid_or_repeated_label_is_refused(label: str) -> None:
    with pytest.raises(InvalidMechanismError, match="label"):
        glue(Labelled(label), "leg")


def test_object_without_label_is_refused() -> None:
    with pytest.raises(InvalidMechanismError, match="object"):
        bearing("608zz", joint=object())


@pytest.mark.parametrize("at", [[], (0, 0, 9), [(0, 0, float("nan"))]])
def test_screw_without_valid_positions_is_refused(at: Sequence[Iterable[float]]) -> None:
    with pytest.raises(InvalidMechanismError, match=r"at=\[\(x, y, z\)"):
        screw("arm", "frame", "iso4762-m4x16", at=at)


def test_senseless_arguments_are_refused() -> None:
    with pytest.raises(InvalidMechanismError, match=r"into=\(0, 0, -1\)"):
        screw("arm", "frame", "iso4762-m4x16", at=[(0, 0, 9)], into=(0, 0, 0))
    with pytest.raises(UnknownHardwareError, match="did you mean"):
        screw("arm", "frame", "iso4762-m4", at=[(0, 0, 9)])
    with pytest.raises(InvalidMechanismError, match="ratio is 0"):
        gears("a", "b", 0)
    for travel in ({}, {"mm_per_deg": 1.0, "pinion_radius_mm": 1.0}):
        with pytest.raises(InvalidMechanismError, match="mm_per_deg"):
            rack("a", "b", **travel)
    with pytest.raises(InvalidMechanismError, match="control is a float"):
        drive("servo", joint="hinge", control=0.5)  # pyright: ignore[reportArgumentType] - as a script may


def test_functions_that_need_geometry_fail_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mechanism_api, "_connected", [])
    for call in (lambda: catalog_part("mg996r"), bond_contacts):
        with pytest.raises(NoGeometryError):
            call()


@pytest.mark.usefixtures("geometry")
def test_bond_contacts_glues_all_touching_pairs() -> None:
    assert bond_contacts(Labelled("leg")) == (glue("leg", "floor"), glue("leg", "beam"))


@pytest.mark.usefixtures("geometry")
def test_catalog_part_exists_for_catalog_ids_only() -> None:
    assert catalog_part("mg996r").label == "mg996r"
    with pytest.raises(UnknownHardwareError, match="mg996r"):
        catalog_part("mg999r")
