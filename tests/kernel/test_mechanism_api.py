"""The words for what holds and drives parts: data for sound words, advice for the others."""

from collections.abc import Iterable, Iterator, Sequence
from math import pi

import pytest
from contracts.models.mechanism import Connection, Constant, Motor
from kernel.api import mechanism_api
from kernel.api.mechanism_api import (
    InvalidMechanismError,
    NoGeometryError,
    bond_contacts,
    bonded,
    carried,
    catalog_part,
    drive,
    fastened,
    gears,
    rack,
)
from parts_catalog.hardware import UnknownHardwareError


class Thing:
    """Anything with a label."""

    def __init__(self, label: str) -> None:
        self.label = label


class Answers:
    """Shapes that touch as the test says."""

    def catalog_part(self, part_id: str) -> object:
        return Thing(part_id)

    def touching(self, things: Sequence[object], to: object) -> Sequence[tuple[str, str]]:
        return [("leg", "floor"), ("leg", "beam")]


@pytest.fixture
def shapes() -> Iterator[None]:
    known = list(mechanism_api._connected)  # pyright: ignore[reportPrivateUsage] - only a test ever disconnects
    mechanism_api.connect_shapes(Answers())
    yield
    mechanism_api._connected[:] = known  # pyright: ignore[reportPrivateUsage]


def test_parts_and_labels_are_alike() -> None:
    wanted = Connection(first="leg", second="floor", means="bonded")
    assert bonded(Thing("leg"), "floor") == bonded("leg", Thing("floor")) == wanted


def test_screws_have_a_place_and_a_way_each() -> None:
    found = fastened("arm", "frame", "iso4762-m4x16", at=[(0, 0, 9), (10, 0, 9)], into=(0, 0, -3))
    assert found.places_mm == ((0, 0, 9), (10, 0, 9))
    assert found.directions == ((0, 0, -1), (0, 0, -1))
    assert (found.means, found.fastener_id) == ("fastened", "iso4762-m4x16")


def test_aliases_of_the_catalog_lead_to_the_id_that_counts() -> None:
    assert fastened("arm", "frame", "SHCS-M6x20", at=[(0, 0, 9)]).fastener_id == "iso4762-m6x20"
    assert carried("hinge", "brg-608").bearing_id == carried("hinge", "608").bearing_id == "608zz"


def test_a_rack_moves_by_the_pinions_circumference_in_a_turn() -> None:
    assert rack("pinion", "slide", pinion_radius_mm=10).ratio * 360 == pytest.approx(2 * pi * 10)
    assert rack("pinion", "slide", mm_per_deg=-0.2).ratio == -0.2
    assert gears("a", "b", -0.5).kind == "gear"


def test_a_motor_is_told_its_joint_and_program() -> None:
    found = drive(Thing("servo"), joint=Thing("hinge"), control=Constant(share=1), pinion_radius_mm=8)
    assert found == Motor(part="servo", joint="hinge", control=Constant(share=1), pinion_radius_mm=8)


@pytest.mark.parametrize(
    ("label", "advice"),
    [("", r"'' names no part and no joint; set \.label first"), ("my leg", r"'my leg' names"), ("leg", "to itself")],
)
def test_what_has_no_usable_name_is_told(label: str, advice: str) -> None:
    with pytest.raises(InvalidMechanismError, match=advice):
        bonded(Thing(label), "leg")
    with pytest.raises(InvalidMechanismError, match="object without a label"):
        carried(object(), "608zz")


@pytest.mark.parametrize(
    ("at", "advice"),
    [([], "no place for a screw"), ((0, 0, 9), r"at=\[\(x, y, z\)"), ([(0, 0, float("nan"))], r"at=\[\(x, y, z\)")],
)
def test_screws_without_places_are_told(at: Sequence[Iterable[float]], advice: str) -> None:
    with pytest.raises(InvalidMechanismError, match=advice):
        fastened("arm", "frame", "iso4762-m4x16", at=at)


def test_what_makes_no_sense_is_told() -> None:
    with pytest.raises(InvalidMechanismError, match="into has no length"):
        fastened("arm", "frame", "iso4762-m4x16", at=[(0, 0, 9)], into=(0, 0, 0))
    with pytest.raises(UnknownHardwareError, match="did you mean"):
        fastened("arm", "frame", "iso4762-m4", at=[(0, 0, 9)])
    with pytest.raises(InvalidMechanismError, match="ratio is 0"):
        gears("a", "b", 0)
    for given in ({}, {"mm_per_deg": 1.0, "pinion_radius_mm": 1.0}):
        with pytest.raises(InvalidMechanismError, match="one of them"):
            rack("a", "b", **given)
    with pytest.raises(InvalidMechanismError, match="control is a float; give a Constant"):
        drive("servo", joint="hinge", control=0.5)  # pyright: ignore[reportArgumentType] - as a script may


def test_without_geometry_its_words_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mechanism_api, "_connected", [])
    for word in (lambda: catalog_part("mg996r"), bond_contacts):
        with pytest.raises(NoGeometryError):
            word()


@pytest.mark.usefixtures("shapes")
def test_all_that_touch_are_glued() -> None:
    assert bond_contacts(Thing("leg")) == (bonded("leg", "floor"), bonded("leg", "beam"))


@pytest.mark.usefixtures("shapes")
def test_only_motors_that_are_sold_have_a_housing() -> None:
    assert catalog_part("mg996r").label == "mg996r"
    with pytest.raises(UnknownHardwareError, match="mg996r"):
        catalog_part("mg999r")
