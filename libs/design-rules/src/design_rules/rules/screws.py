"""Rules for screws: room for head and way in, material to clamp and to hold in, and one screw in one place."""

from collections.abc import Sequence

from contracts.models.design import Finding
from contracts.models.mechanism import Connection
from geometry.formatting import format_mm, format_point
from parts_catalog.hardware import UnknownHardwareError
from parts_catalog.mounts.inserts import INSERTS

from design_rules.bodies.multibody import MultibodySystem
from design_rules.bodies.placed_screws import EDGE_RING, InvalidPlacesError, PlacedScrew, placed_screws
from design_rules.bodies.solid_bodies import SolidBody
from design_rules.rules.connections import connection_name, invalid_connection, wrong_body

MAX_SCREWS = 500

LEAST_THREAD = 1.0
"""Length of thread in the second part, in diameters."""
LEAST_CLAMPED_MM = 0.5
SEAT_MM = 1.0
"""The head rests on the first part: half of this depth below it, at least, is material."""
BLOCKED_MM = 0.2
"""Of material in the way of a head that counts as rounding."""


def screw_findings(system: MultibodySystem) -> list[Finding]:
    """Report screws that could not be put in or would not hold, and those in places that are taken."""
    fastened = (
        each for each in system.mechanism.connections if each.means == "fastened" and wrong_body(system, each) is None
    )
    placed: list[tuple[Connection, PlacedScrew]] = []
    findings: list[Finding] = []
    for connection in fastened:
        try:
            screws = placed_screws(connection)
        except UnknownHardwareError as error:
            detail = f"{connection_name(connection)}: {error}"
            findings.append(Finding(rule="unknown_component", label=connection.first, detail=detail))
            continue
        except InvalidPlacesError as error:
            findings.append(invalid_connection(connection, str(error)))
            continue
        placed += [(connection, screw) for screw in screws]
    if len(placed) > MAX_SCREWS:
        detail = f"the design has {len(placed)} screws, the maximum is {MAX_SCREWS}; use fewer and thicker ones"
        return [*findings, Finding(rule="invalid_connection", detail=detail)]
    problems = ((connection, screw, _problem(system, connection, screw)) for connection, screw in placed)
    findings += [invalid_connection(each, f"{screw} {problem}") for each, screw, problem in problems if problem]
    return [*findings, *_coincident(placed)]


def _problem(system: MultibodySystem, connection: Connection, placed: PlacedScrew) -> str | None:
    first, second = system.bodies[connection.first], system.bodies[connection.second]
    return (
        _wrong_size(second, placed)
        or _bad_hold(first, second, placed)
        or _no_way_in(first, second, placed)
        or _crossing(system, connection, placed)
    )


def _wrong_size(second: SolidBody, placed: PlacedScrew) -> str | None:
    insert = INSERTS.get(second.catalog_id or "")
    if insert is None or insert.diameter_mm == placed.sheet.diameter_mm:
        return None
    return f"does not fit {second.label}, which takes screws M{insert.diameter_mm:g}; use one of its size"


def _bad_hold(first: SolidBody, second: SolidBody, placed: PlacedScrew) -> str | None:
    passed, reached = placed.passed_mm(first), placed.passed_mm(second)
    needed = LEAST_THREAD * placed.sheet.diameter_mm
    if passed < LEAST_CLAMPED_MM and reached < LEAST_CLAMPED_MM:
        return f"meets neither {first.label} nor {second.label}; put the head on a face and point into both"
    if passed < LEAST_CLAMPED_MM or (
        placed.sheet.head_height_mm and placed.seated_mm(first, SEAT_MM) < LEAST_CLAMPED_MM
    ):
        return (
            f"passes through {format_mm(passed)} of {first.label} and rests on nothing; put the head on a face of "
            f"{first.label} and point through it into {second.label}"
        )
    if reached < needed:
        return (
            f"passes through {format_mm(passed)} of {first.label} and reaches {format_mm(reached)} into "
            f"{second.label}, at least {format_mm(needed)} is needed; use a longer screw or a thinner first part, or "
            "move the head"
        )
    around = f"{format_mm(EDGE_RING * placed.sheet.diameter_mm)} of material around its axis"
    if placed.clamped_mm(first) < LEAST_CLAMPED_MM:
        return f"is too near an edge or a hole of {first.label}; it needs {around}: move it inwards"
    threaded = placed.threaded_mm(second)
    if threaded < needed:
        return (
            f"has {format_mm(threaded)} of sound thread in {second.label}, at least {format_mm(needed)} is needed: its "
            f"hole there is wider than the screw, or an edge or a hole is nearer than {around}; move it inwards, or "
            "draw no hole"
        )
    return None


def _no_way_in(first: SolidBody, second: SolidBody, placed: PlacedScrew) -> str | None:
    sheet = placed.sheet
    for body in (first, second):
        blocked = placed.blocked_mm(body)
        if blocked > BLOCKED_MM:
            return (
                f"has {format_mm(blocked)} of {body.label} in its head's place or way in; its head is "
                f"{format_mm(sheet.head_diameter_mm)} wide and {format_mm(sheet.head_height_mm)} high and needs that "
                f"width free for {format_mm(placed.way_mm)} above the face, for the screw and its key: put it on an "
                "outer face, or cut a counterbore that is open to the outside"
            )
    return None


def _crossing(system: MultibodySystem, connection: Connection, placed: PlacedScrew) -> str | None:
    joined = (connection.first, connection.second)
    crossed = next((body for body in system.bodies.values() if body.label not in joined and placed.crosses(body)), None)
    if crossed is None:
        return None
    return (
        f"goes through {crossed.label}, which it does not join; use a shorter screw, or move it, or make room in "
        f"{crossed.label}"
    )


def _coincident(placed: Sequence[tuple[Connection, PlacedScrew]]) -> list[Finding]:
    """Report each screw that shares space with an earlier one."""
    findings: list[Finding] = []
    for number, (connection, screw) in enumerate(placed):
        taken = next(((other, earlier) for other, earlier in placed[:number] if screw.collides_with(earlier)), None)
        if taken is None:
            continue
        other, earlier = taken
        apart_mm = max(screw.sheet.head_diameter_mm, earlier.sheet.head_diameter_mm)
        detail = (
            f"{screw} is in the place of {earlier.sheet.id} of {other.first} and {other.second} at "
            f"{format_point(earlier.head_mm)}; a hole holds one screw: keep axes {format_mm(apart_mm)} apart"
        )
        findings.append(invalid_connection(connection, detail))
    return findings
