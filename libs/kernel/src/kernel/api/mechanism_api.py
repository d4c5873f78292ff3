"""The mechanism API: connections, bearings, motors and couplings of a design, as data of `contracts.models.mechanism`.

Parts and joints are given by label, or as the build123d object itself, which has one.
"""

from collections.abc import Iterable, Sequence
from math import hypot, isfinite, radians
from typing import Any, Protocol

from contracts.model import Model
from contracts.models.benchmark import Payload
from contracts.models.geometry import Vector
from contracts.models.label import LABEL_ADVICE, PartLabel, label_from
from contracts.models.mechanism import Connection, Constant, Control, Coupling, Motor, Oscillation, Positions, Steps
from parts_catalog import hardware, parts
from pydantic import TypeAdapter, ValidationError

from kernel.api.new_shapes import SET_LAST
from kernel.api.time_series import Floats

_LABEL = TypeAdapter[str](PartLabel)
_MIN_LENGTH = 1e-9
"""Of a direction."""


class InvalidMechanismError(ValueError):
    """An argument of the mechanism API makes no sense; the message says what to write instead."""


class NoGeometryError(RuntimeError):
    """This Python process cannot measure or create shapes."""


class Geometry(Protocol):
    """Functions that need CAD, which this package does not depend on."""

    def catalog_part(self, part_id: str) -> object:
        """Return a bought part as a build123d Part."""
        ...

    def tray(self, size_mm: tuple[float, float, float], wall_mm: float | None, method: str, material_id: str) -> object:
        """Return a tray, open at the top, with walls and a floor of this thickness; None: a solid block."""
        ...

    def pieces(self, thing: object) -> Sequence[tuple[str, object]]:
        """Return the labelled solids of parts, assemblies and zones, in world coordinates."""
        ...

    def clearance(self, payload: Payload, places_mm: Floats, quaternions: Floats, piece: object) -> tuple[float, int]:
        """Return the smallest gap of a payload at poses (n, 3), (n, 4) from one of `pieces`, and at which pose.

        The piece is where it was drawn; poses are given as seen from there.
        """
        ...

    def place(self, thing: object) -> str:
        """Return size and centre of a shape as text; empty for anything else."""
        ...

    def touching(self, things: Sequence[object], to: object) -> Sequence[tuple[str, str]]:
        """Return the labels of all pairs that touch and that no moving joint connects."""
        ...


class JointBearing(Model):
    """A joint and the bearing that carries it."""

    joint: PartLabel
    bearing_id: str


_connected: list[Geometry] = []


def connect_geometry(geometry: Geometry) -> None:
    """Connect this process to CAD."""
    _connected[:] = [geometry]


def geometry() -> Geometry:
    """Return the functions that need CAD; raise `NoGeometryError` in a process without them."""
    if not _connected:
        raise NoGeometryError("functions that measure or create shapes work only inside a Millwright kernel")
    return _connected[0]


def glue(first: object, second: object) -> Connection:
    """Glue two parts, or a part and a solid of the environment: `glue(leg, "floor")`."""
    labels = _pair(first, second)
    return Connection(first=labels[0], second=labels[1], means="bonded")


def screw(
    first: object,
    second: object,
    fastener_id: str,
    *,
    at: Sequence[Iterable[float]],
    into: Iterable[float] = (0.0, 0.0, -1.0),
) -> Connection:
    """Screw two parts together, one screw per position: `screw(arm, frame, "iso4762-m4x16", at=[(0, 0, 9)])`.

    `at` lists the positions of the heads in world millimetres, `into` points from the heads into the material.
    """
    labels = _pair(first, second)
    positions = _positions(at)
    return Connection(
        first=labels[0],
        second=labels[1],
        means="fastened",
        fastener_id=hardware.fastener(fastener_id).id,
        places_mm=positions,
        directions=(_direction(into),) * len(positions),
    )


def bearing(bearing_id: str, *, joint: object) -> JointBearing:
    """Carry a joint by a bought bearing instead of a plain one: `bearing("608zz", joint="hinge")`."""
    return JointBearing(joint=_label(joint), bearing_id=hardware.bearing(bearing_id).id)


bonded = glue
fastened = screw


def carried(joint: object, bearing_id: str) -> JointBearing:
    """Carry a joint by a bought bearing: `carried("hinge", "608zz")` is `bearing("608zz", joint="hinge")`."""
    return bearing(bearing_id, joint=joint)


def drive(  # noqa: PLR0913 - a motor on a slide names four parts
    part: object,
    *,
    joint: object,
    control: Control,
    pinion: object = None,
    rack: object = None,
    pinion_radius_mm: float | None = None,
) -> Motor:
    """Drive a joint by a bought motor: `drive(servo, joint="hinge", control=Positions(times_s=[1], targets=[60]))`.

    Glue or screw the motor's housing to the part on one side of the joint. A sliding joint is driven by a pinion on a
    rack, both parts of the assembly: `drive(motor, joint="slide", control=..., pinion="pinion", rack="rail")`. The
    pinion is a disc of its pitch diameter, or a bought gear, around the motor's shaft, which alone holds it: leave it
    out of `bond_contacts`. The rack belongs to the other side of the joint; its straight side touches the rim of the
    pinion, and lies along the whole travel. The radius is measured. The name of a joint is the label of its
    RevoluteJoint or LinearJoint. `pinion_radius_mm` is for environments only.
    """
    radius_mm = None if pinion_radius_mm is None else _positive(pinion_radius_mm, "pinion_radius_mm")
    return Motor(
        part=_label(part),
        joint=_label(joint),
        control=_control(control),
        pinion=None if pinion is None else _label(pinion),
        rack=None if rack is None else _label(rack),
        pinion_radius_mm=radius_mm,
    )


def gears(first: object, second: object, ratio: float) -> Coupling:
    """Couple two revolute joints: `gears("pinion", "wheel", ratio=-12 / 36)` turns the wheel a third as far, backwards.

    `ratio` is the second's motion over the first's: for external gears minus first teeth over second teeth. It is
    compared with the wheels: round parts on the two axes, a disc of the pitch diameter or a toothed wheel, that meet.
    """
    labels = _pair(first, second)
    return Coupling(kind="gear", first=labels[0], second=labels[1], ratio=_nonzero(ratio, "ratio"))


def rack(
    first: object, second: object, *, mm_per_deg: float | None = None, pinion_radius_mm: float | None = None
) -> Coupling:
    """Couple a pinion's revolute joint to a sliding one: `rack("pinion", "slide", pinion_radius_mm=10)`.

    Alternatively give the travel per degree: `mm_per_deg`, negative for backwards. It is compared with the parts: a
    wheel on the first joint's axis, and a part that slides, whose straight side touches its rim over the whole travel.
    """
    if mm_per_deg is None and pinion_radius_mm is not None:
        mm_per_deg = radians(_positive(pinion_radius_mm, "pinion_radius_mm"))
    elif mm_per_deg is None or pinion_radius_mm is not None:
        raise InvalidMechanismError("rack needs exactly one of mm_per_deg and pinion_radius_mm")
    labels = _pair(first, second)
    return Coupling(kind="rack", first=labels[0], second=labels[1], ratio=_nonzero(mm_per_deg, "mm_per_deg"))


def catalog_part(part_id: str) -> Any:  # noqa: ANN401 - a build123d Part, which this package does not know
    """Return a bought part: `servo = Pos(0, 0, 40) * catalog_part("mg996r")`. Its label is its id.

    Of a motor it is the housing: the shaft's axis is +z of the part's own frame and leaves it at the origin; the shaft
    itself is not modelled. If you use several, give each a label of its own; never cut or scale them.
    """
    return geometry().catalog_part(parts.part(part_id).id)


def bond_contacts(*things: object, to: object = None) -> tuple[Connection, ...]:
    """Glue all parts that touch: `bond_contacts(*frame, to=environment)`. A gap of up to 0.05 mm counts as touching.

    Pairs are formed among `things`, and of each of them with each solid of `to`. Parts that a moving joint connects are
    not glued.
    """
    return tuple(glue(first, second) for first, second in geometry().touching(things, to))


def _label(thing: object) -> str:
    """Return the label of a part or joint; raise `InvalidMechanismError`."""
    label: object = thing if isinstance(thing, str) else getattr(thing, "label", None)
    if not isinstance(label, str) or not label.strip():
        place = geometry().place(thing) if _connected else ""
        what = f"a {type(thing).__name__} of {place}" if place else type(thing).__name__
        raise InvalidMechanismError(f"{what} has no label; {SET_LAST if place else 'set .label'}")
    try:
        return _LABEL.validate_python(label_from(label))
    except ValidationError as error:
        raise InvalidMechanismError(f"{label[:80]!r} is not a valid label; {LABEL_ADVICE}") from error


def _pair(first: object, second: object) -> tuple[str, str]:
    labels = _label(first), _label(second)
    if labels[0] == labels[1]:
        raise InvalidMechanismError(
            f"{labels[0]} cannot be joined to itself; give each part and joint a label of its own"
        )
    return labels


def _control(control: object) -> Control:
    if not isinstance(control, Constant | Steps | Oscillation | Positions):
        fix = "use Constant, Steps, Oscillation or Positions of utils"
        raise InvalidMechanismError(f"control is a {type(control).__name__}; {fix}")
    return control


def _positions(at: Sequence[Iterable[float]]) -> tuple[Vector, ...]:
    fix = "give the positions of the heads in world millimetres: at=[(x, y, z), ...]"
    try:
        positions = tuple(_vector(position) for position in at)
    except (TypeError, ValueError) as error:
        raise InvalidMechanismError(f"at is {at!r:.200}; {fix}") from error
    if not positions:
        raise InvalidMechanismError(f"at is empty; {fix}")
    return positions


def _direction(into: Iterable[float]) -> Vector:
    try:
        x, y, z = _vector(into)
    except (TypeError, ValueError) as error:
        raise InvalidMechanismError(f"into is {into!r:.200}; give a direction: into=(0, 0, -1)") from error
    length = hypot(x, y, z)
    if length < _MIN_LENGTH:
        raise InvalidMechanismError("into has no length; point from the head into the material: into=(0, 0, -1)")
    return (x / length, y / length, z / length)


def _vector(values: Iterable[float]) -> Vector:
    x, y, z = (_finite(float(value)) for value in values)
    return (x, y, z)


def _finite(value: float) -> float:
    if not isfinite(value):
        raise ValueError(f"{value} is not finite")
    return value


def _positive(value: float, name: str) -> float:
    if not (isfinite(value) and value > 0):
        raise InvalidMechanismError(f"{name} is {value}; it must be greater than 0")
    return float(value)


def _nonzero(value: float, name: str) -> float:
    if not isfinite(value) or value == 0:
        raise InvalidMechanismError(f"{name} is {value}; it must be a number other than 0")
    return float(value)
