"""Steps of assembly as work: what is moved where, and what joins it to what is there."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from contracts.models.geometry import Vector
from contracts.models.mechanism import Connection, Joint
from geometry.formatting import format_point
from parts_catalog.adhesive import ADHESIVE
from parts_catalog.hardware import bearing_of, fastener
from parts_catalog.methods.workshop_figures import ASSEMBLY_RATES as RATES
from parts_catalog.mounts.inserts import INSERTS

from build_package.machine import Machine

_WAYS: tuple[tuple[Vector, str], ...] = (
    ((0, 0, -1), "from above"),
    ((0, 0, 1), "from below"),
    ((1, 0, 0), "towards +x"),
    ((-1, 0, 0), "towards -x"),
    ((0, 1, 0), "towards +y"),
    ((0, -1, 0), "towards -y"),
)
_STRAIGHT = 0.9999
HEX_KEYS_MM = {2.0: 1.5, 2.5: 2.0, 3.0: 2.5, 4.0: 3.0, 5.0: 4.0, 6.0: 5.0, 8.0: 6.0, 10.0: 8.0}
"""Key of a socket head by the screw's diameter, ISO 4762."""


@dataclass(frozen=True)
class WorkStep:
    """One step of the assembly."""

    placed: tuple[str, ...]
    onto: tuple[str, ...]
    """What is there, put together before."""
    direction: Vector | None
    way: str
    """The way in, in words."""
    fixings: tuple[str, ...]
    """A sentence for each thing that joins, guides or drives."""
    joined_to: tuple[str, ...]
    """What of that it is joined to."""
    minutes: float = 0.0
    """Of work, in an order of one machine."""


def work_steps(machine: Machine) -> list[WorkStep]:
    """Return the steps from the first to the last."""
    steps: list[WorkStep] = []
    done: set[str] = set()
    for step in machine.assembly:
        steps.append(_work(machine, step.labels, step.onto, step.direction, _way(step.direction)))
        done |= {*step.labels, *step.onto}
    for label in machine.solids:
        if done and label not in done:
            steps.append(_work(machine, (label,), tuple(sorted(done)), None, "by bending it, since it gives way"))
            done.add(label)
    return steps


def _work(
    machine: Machine, placed: tuple[str, ...], onto: tuple[str, ...], direction: Vector | None, way: str
) -> WorkStep:
    fixings = list(_fixings(machine, set(placed), set(onto)))
    joined = {label for each in fixings for label in each.between} & set(onto)
    ordered = tuple(label for label in onto if label in joined)
    minutes = RATES.place_min + sum(each.minutes for each in fixings)
    return WorkStep(placed, onto, direction, way, tuple(each.text for each in fixings), ordered, minutes)


def site_work(machine: Machine) -> list["Fixing"]:
    """Return what joins the machine to the benchmark's own solids."""
    own = set(machine.solids)
    mechanism = machine.mechanism
    outside = {label for each in mechanism.connections for label in (each.first, each.second)}
    outside |= {label for each in mechanism.joints for label in (each.parent, each.child)}
    return list(_fixings(machine, own, outside - own))


def _way(direction: Vector | None) -> str:
    if direction is None:
        return "on a way that is not straight, without turning it"
    for known, words in _WAYS:
        if sum(a * b for a, b in zip(direction, known, strict=True)) > _STRAIGHT:
            return words
    return "along ({:.2f}, {:.2f}, {:.2f})".format(*direction)


@dataclass(frozen=True)
class Fixing:
    """What joins, guides or drives, in a sentence."""

    between: tuple[str, str]
    text: str
    minutes: float


def _fixings(machine: Machine, placed: set[str], onto: set[str]) -> Iterator[Fixing]:
    """Yield what is between two sets of parts."""
    mechanism = machine.mechanism
    inserts = {label for label, catalog_id in machine.catalog_ids.items() if catalog_id in INSERTS}
    found = [Fixing((each.first, each.second), *_joined(each, inserts)) for each in _unique(mechanism.connections)]
    found += [Fixing((each.parent, each.child), _jointed(each), RATES.joint_min) for each in mechanism.joints]
    found += [
        Fixing(
            (each.part, each.pinion),
            f"Fix `{each.pinion}` on the shaft of `{each.part}`: it must not turn on it.",
            RATES.pinion_min,
        )
        for each in mechanism.motors
        if each.pinion is not None
    ]
    for each in found:
        first, second = each.between
        if (first in placed and second in onto) or (second in placed and first in onto):
            yield each


def _unique(connections: Sequence[Connection]) -> list[Connection]:
    """Return the connections; a bond that is declared twice is one."""
    return list({(frozenset((each.first, each.second)), each.places_mm): each for each in connections}.values())


def _joined(connection: Connection, inserts: Collection[str]) -> tuple[str, float]:
    """Return the sentence and the minutes."""
    first, second = connection.first, connection.second
    if connection.means == "bonded" and (first in inserts or second in inserts):
        sleeve, holder = (first, second) if first in inserts else (second, first)
        return f"Melt the insert `{sleeve}` into `{holder}` with a soldering iron, flush.", RATES.glue_min
    if connection.means == "bonded" or connection.fastener_id is None:
        glue = f"Glue `{first}` to `{second}` with {ADHESIVE.name}; let it cure before the next load."
        return glue, RATES.glue_min
    screw = fastener(connection.fastener_id)
    places = "; ".join(_screw_places(connection.places_mm, connection.directions))
    key = HEX_KEYS_MM.get(screw.diameter_mm)
    is_socket = "socket" in connection.fastener_id or "socket" in screw.name.lower()
    tool = f" with a {key:g} mm hex key" if key is not None and is_socket else ""
    count = len(connection.places_mm)
    text = f"Screw `{first}` to `{second}`{tool}: {count} x {screw.name}, heads at {places}."
    return text, count * RATES.screw_min


def _screw_places(places_mm: Sequence[Vector], directions: Sequence[Vector]) -> Iterator[str]:
    for number, place in enumerate(places_mm):
        way = f" {_way(directions[number])}" if number < len(directions) else ""
        yield f"{format_point(place)}{way}"


def _jointed(joint: Joint) -> str:
    bearing = bearing_of(joint.kind, joint.bearing_id)
    travel = ""
    if joint.travel_range_mm is not None:
        travel = " from {:g} to {:g} mm".format(*joint.travel_range_mm)
    elif joint.angle_range_deg is not None:
        travel = " from {:g}° to {:g}°".format(*joint.angle_range_deg)
    moves = "slides" if joint.kind == "linear" else "turns"
    return (
        f"`{joint.child}` {moves} on `{joint.parent}` (joint `{joint.label}`, {bearing.name}, at "
        f"{format_point(joint.anchor_mm)}): try by hand that it moves freely{travel}."
    )
