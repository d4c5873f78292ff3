"""The mechanism API: what holds, moves and drives the parts of a design, as data of `contracts.models.mechanism`.

A thing is named by its label, or handed over itself: a build123d part or joint knows its own.
"""

from collections.abc import Iterable, Sequence
from math import hypot, isfinite, radians
from typing import Any, Protocol

from contracts.model import Model
from contracts.models.geometry import Vector
from contracts.models.label import Label
from contracts.models.mechanism import Connection, Constant, Control, Coupling, Motor, Oscillation, Positions, Steps
from parts_catalog import parts
from parts_catalog.hardware import bearing, fastener
from pydantic import TypeAdapter, ValidationError

_LABEL = TypeAdapter[str](Label)
_SHORTEST = 1e-9
"""Of a direction."""


class InvalidMechanismError(ValueError):
    """A word about the mechanism makes no sense; the message says what to write instead."""


class NoGeometryError(RuntimeError):
    """This Python process cannot measure or make shapes."""


class Shapes(Protocol):
    """What the words below ask of those who know geometry."""

    def catalog_part(self, part_id: str) -> object:
        """Return what is sold under an id as a build123d Part."""
        ...

    def touching(self, things: Sequence[object], to: object) -> Sequence[tuple[str, str]]:
        """Return the labels of all pairs that touch and that no moving joint joins."""
        ...


class Carried(Model):
    """A joint and the bearing that carries it."""

    joint: Label
    bearing_id: str


_connected: list[Shapes] = []


def connect_shapes(shapes: Shapes) -> None:
    """Give this process its knowledge of geometry."""
    _connected[:] = [shapes]


def _shapes() -> Shapes:
    if not _connected:
        raise NoGeometryError("catalog_part and bond_contacts work only inside a Millwright kernel")
    return _connected[0]


def bonded(first: object, second: object) -> Connection:
    """Glue two parts, or a part and a solid of the environment: `bonded(leg, "floor")`."""
    labels = _pair(first, second)
    return Connection(first=labels[0], second=labels[1], means="bonded")


def fastened(
    first: object,
    second: object,
    fastener_id: str,
    *,
    at: Sequence[Iterable[float]],
    into: Iterable[float] = (0.0, 0.0, -1.0),
) -> Connection:
    """Screw two parts together, one screw per place: `fastened(arm, frame, "iso4762-m4x16", at=[(0, 0, 9)])`.

    `at` holds the places of the heads in world millimetres, `into` points from the heads into the material.
    """
    labels = _pair(first, second)
    places = _places(at)
    return Connection(
        first=labels[0],
        second=labels[1],
        means="fastened",
        fastener_id=fastener(fastener_id).id,
        places_mm=places,
        directions=(_direction(into),) * len(places),
    )


def drive(part: object, *, joint: object, control: Control, pinion_radius_mm: float | None = None) -> Motor:
    """Let a bought motor drive a joint: `drive(servo, joint="hinge", control=Positions(times_s=[1], targets=[60]))`.

    The motor's housing is glued or screwed to the part on one side of the joint. A joint that slides is driven by a
    pinion: give its radius. A joint's name is the label of its RevoluteJoint, LinearJoint or CylindricalJoint.
    """
    radius_mm = None if pinion_radius_mm is None else _positive(pinion_radius_mm, "pinion_radius_mm")
    return Motor(part=_label(part), joint=_label(joint), control=_program(control), pinion_radius_mm=radius_mm)


def gears(first: object, second: object, ratio: float) -> Coupling:
    """Let two revolute joints mesh: `gears("pinion", "wheel", ratio=-12 / 36)` turns it a third as far, backwards.

    `ratio` is second over first: minus teeth of the first over teeth of the second, where the teeth mesh outside.
    """
    labels = _pair(first, second)
    return Coupling(kind="gear", first=labels[0], second=labels[1], ratio=_nonzero(ratio, "ratio"))


def rack(
    first: object, second: object, *, mm_per_deg: float | None = None, pinion_radius_mm: float | None = None
) -> Coupling:
    """Let the joint of a pinion move one that slides: `rack("pinion", "slide", pinion_radius_mm=10)`.

    Or say how far it moves: `mm_per_deg`, negative for backwards.
    """
    if mm_per_deg is None and pinion_radius_mm is not None:
        mm_per_deg = radians(_positive(pinion_radius_mm, "pinion_radius_mm"))
    elif mm_per_deg is None or pinion_radius_mm is not None:
        raise InvalidMechanismError("rack needs mm_per_deg or pinion_radius_mm, one of them")
    labels = _pair(first, second)
    return Coupling(kind="rack", first=labels[0], second=labels[1], ratio=_nonzero(mm_per_deg, "mm_per_deg"))


def carried(joint: object, bearing_id: str) -> Carried:
    """Let a bought bearing carry a joint instead of a plain one: `carried("hinge", "608zz")`."""
    return Carried(joint=_label(joint), bearing_id=bearing(bearing_id).id)


def catalog_part(part_id: str) -> Any:  # noqa: ANN401 - a build123d Part, which this package does not know
    """Return a bought part: `servo = Pos(0, 0, 40) * catalog_part("mg996r")`. Its label is its id.

    Of a motor it is the housing: the axis of its shaft is +z of its own frame and leaves it at the origin; the shaft
    itself is not modelled. Give each part a label of its own if there are several, and never cut or scale it.
    """
    return _shapes().catalog_part(parts.part(part_id).id)


def bond_contacts(*things: object, to: object = None) -> tuple[Connection, ...]:
    """Glue all that touch: `bond_contacts(*frame, to=environment)`. A gap of at most 0.05 mm counts as touching.

    Each pair of `things`, and each of them with each solid of `to`. Parts that a moving joint joins are left alone.
    """
    return tuple(bonded(first, second) for first, second in _shapes().touching(things, to))


def _label(thing: object) -> str:
    """Return what a thing is called; raise `NotSaidRightError`."""
    label: object = thing if isinstance(thing, str) else getattr(thing, "label", None)
    try:
        return _LABEL.validate_python(label)
    except ValidationError as error:
        what = repr(label[:80]) if isinstance(label, str) else f"{type(thing).__name__} without a label"
        advice = "set .label first: a letter, then at most 63 letters, digits, _ or -"
        raise InvalidMechanismError(f"{what} names no part and no joint; {advice}") from error


def _pair(first: object, second: object) -> tuple[str, str]:
    labels = _label(first), _label(second)
    if labels[0] == labels[1]:
        raise InvalidMechanismError(
            f"{labels[0]} cannot be joined to itself; give each part and joint a label of its own"
        )
    return labels


def _program(control: object) -> Control:
    if not isinstance(control, Constant | Steps | Oscillation | Positions):
        advice = "give a Constant, Steps, Oscillation or Positions of utils"
        raise InvalidMechanismError(f"control is a {type(control).__name__}; {advice}")
    return control


def _places(at: Sequence[Iterable[float]]) -> tuple[Vector, ...]:
    try:
        places = tuple(_vector(place) for place in at)
    except (TypeError, ValueError) as error:
        raise InvalidMechanismError(
            f"at is {at!r:.200}; give places in world millimetres: at=[(x, y, z), ...]"
        ) from error
    if not places:
        raise InvalidMechanismError("there is no place for a screw; give at=[(x, y, z), ...] in world millimetres")
    return places


def _direction(into: Iterable[float]) -> Vector:
    try:
        x, y, z = _vector(into)
    except (TypeError, ValueError) as error:
        raise InvalidMechanismError(f"into is {into!r:.200}; give a direction: into=(0, 0, -1)") from error
    length = hypot(x, y, z)
    if length < _SHORTEST:
        raise InvalidMechanismError("into has no length; point from the head into the material: into=(0, 0, -1)")
    return (x / length, y / length, z / length)


def _vector(place: Iterable[float]) -> Vector:
    x, y, z = (_finite(float(value)) for value in place)
    return (x, y, z)


def _finite(value: float) -> float:
    if not isfinite(value):
        raise ValueError(f"{value} is no length")
    return value


def _positive(value: float, name: str) -> float:
    if not (isfinite(value) and value > 0):
        raise InvalidMechanismError(f"{name} is {value}; it must be more than 0")
    return float(value)


def _nonzero(value: float, name: str) -> float:
    if not isfinite(value) or value == 0:
        raise InvalidMechanismError(f"{name} is {value}; it must be a number other than 0")
    return float(value)
