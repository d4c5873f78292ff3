"""Rules for connections: glue needs faces that touch, screws need material to pass through and to hold in."""

from math import cos, isclose, pi, sin, sqrt

import numpy as np
from contracts.criteria import CONTACT_GAP_MM
from contracts.models.design import Finding
from contracts.models.geometry import Vector
from contracts.models.mechanism import Connection
from geometry.arrays import as_vector
from geometry.formatting import format_direction, format_mm, format_point
from geometry.occt.distances import lengths_inside
from parts_catalog.adhesive import ADHESIVE, bond_mpa
from parts_catalog.datasheets import Fastener
from parts_catalog.hardware import UnknownHardwareError, fastener

from cad_worker.bodies.distances import LEAST_GLUED_MM2
from cad_worker.bodies.multibody import MultibodySystem
from cad_worker.bodies.solid_bodies import SolidBody
from cad_worker.validation.suggestions import suggestion

MAX_CONNECTIONS = 500
RAYS = 6
"""Lines around a screw's axis on which material is measured, so that drilled holes do not matter."""
RAY_RADIUS = 0.75
"""Of the screw's diameter: outside a clearance hole, which is about 1.1 diameters wide, and under the head."""
LEAST_THREAD = 1.0
"""Length of thread in the second part, in diameters."""
LEAST_CLAMPED_MM = 0.5


def connection_findings(system: MultibodySystem) -> list[Finding]:
    """Report connections that could not be made."""
    connections = system.mechanism.connections
    if len(connections) > MAX_CONNECTIONS:
        detail = f"the design has {len(connections)} connections, the maximum is {MAX_CONNECTIONS}; join parts"
        return [Finding(rule="invalid_connection", detail=detail)]
    return [finding for connection in connections for finding in _findings(system, connection)]


def _findings(system: MultibodySystem, connection: Connection) -> list[Finding]:
    name = f"{connection.means}({connection.first!r}, {connection.second!r})"
    if (problem := _wrong_body(system, connection)) is not None:
        return [_invalid(connection, f"{name}{problem}")]
    if connection.means == "bonded":
        if (plastic := _unbondable(system, connection)) is not None:
            return [plastic]
        problem = _bad_bond(system, connection)
        return [_invalid(connection, f"{name} {problem}")] if problem else []
    try:
        screw = fastener(connection.fastener_id or "")
    except UnknownHardwareError as error:
        return [Finding(rule="unknown_component", label=connection.first, detail=f"{name}: {error}")]
    first, second = system.bodies[connection.first], system.bodies[connection.second]
    return [_invalid(connection, f"{name} {problem}") for problem in _bad_screws(first, second, connection, screw)]


def _wrong_body(system: MultibodySystem, connection: Connection) -> str | None:
    for label in (connection.first, connection.second):
        if label not in system.bodies:
            return f": there is no {label!r}; {suggestion(label, system.bodies)}"
        if system.forbids_mounting_on(label):
            return f": the benchmark forbids mounting on {label}; use another solid, or let the machine stand free"
    if connection.first == connection.second:
        return " joins a part to itself; name two parts"
    return None


def _unbondable(system: MultibodySystem, connection: Connection) -> Finding | None:
    for label in (connection.first, connection.second):
        material = system.bodies[label].material
        if material is not None and bond_mpa(material.id) <= 0:
            detail = (
                f"bonded({connection.first!r}, {connection.second!r}): {label} is of {material.id}, which epoxy does "
                f"not bond: 0 MPa of the {ADHESIVE.shear_mpa:g} MPa that it holds on other plastics; screw it with "
                "screw(...), or make it of another material"
            )
            return Finding(rule="unbondable", label=label, detail=detail)
    return None


def _bad_bond(system: MultibodySystem, connection: Connection) -> str | None:
    contact = system.glue_contact(connection.first, connection.second)
    if contact.gap_mm > CONTACT_GAP_MM:
        return (
            f"spans a gap of {format_mm(contact.gap_mm)} near {format_point(contact.center_mm)}, glue fills at most "
            f"{format_mm(CONTACT_GAP_MM)}; let the faces touch"
        )
    if contact.area_mm2 < LEAST_GLUED_MM2:
        return (
            f"has a glued area of {contact.area_mm2:.2f} mm² near {format_point(contact.center_mm)}, at least "
            f"{LEAST_GLUED_MM2:g} mm² is needed; let flat or matching faces touch"
        )
    return None


def _bad_screws(first: SolidBody, second: SolidBody, connection: Connection, screw: Fastener) -> list[str]:
    """Return one sentence for each screw that does not hold."""
    positions, directions = connection.places_mm, connection.directions
    if not positions:
        return ["has 0 places, at least 1 is needed: give the points of the screw heads"]
    if len(directions) != len(positions):
        return [f"has {len(positions)} places and {len(directions)} directions; give one direction for each place"]
    problems = (_bad_screw(first, second, screw, *each) for each in zip(positions, directions, strict=True))
    return [problem for problem in problems if problem is not None]


def _bad_screw(first: SolidBody, second: SolidBody, screw: Fastener, head: Vector, direction: Vector) -> str | None:
    length = sqrt(sum(value * value for value in direction))
    if not isclose(length, 1.0, abs_tol=1e-3):
        return (
            f"has a direction {format_direction(direction)} of length {length:.3g} at {format_point(head)}; give a "
            "unit vector"
        )
    clamped, threaded = (length_inside_mm(body, screw, head, direction) for body in (first, second))
    name = f"at {format_point(head)} along {format_direction(direction)}, {screw.id} ({screw.length_mm:g} mm long)"
    if clamped < LEAST_CLAMPED_MM and threaded < LEAST_CLAMPED_MM:
        return f"{name} meets neither {first.label} nor {second.label}; put the head on a face and point into both"
    needed = LEAST_THREAD * screw.diameter_mm
    if clamped < LEAST_CLAMPED_MM:
        return (
            f"{name} passes through {format_mm(clamped)} of {first.label}, at least {format_mm(LEAST_CLAMPED_MM)} is "
            f"needed; put the head on {first.label} and point through it into {second.label}"
        )
    if threaded < needed:
        return (
            f"{name} passes through {format_mm(clamped)} of {first.label} and reaches {format_mm(threaded)} into "
            f"{second.label}, at least {format_mm(needed)} is needed; use a longer screw or a thinner first part, or "
            "move the head"
        )
    return None


def length_inside_mm(body: SolidBody, screw: Fastener, head: Vector, direction: Vector) -> float:
    """Return the length of a screw inside the material of a body: the median over lines around its axis."""
    axis = np.array(direction)
    across = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    across /= np.linalg.norm(across)
    other = np.cross(axis, across)
    radius = RAY_RADIUS * screw.diameter_mm
    angles = [2 * pi * number / RAYS for number in range(RAYS)]
    starts = [np.array(head) + radius * (cos(angle) * across + sin(angle) * other) for angle in angles]
    rays = [(as_vector(start), as_vector(start + screw.length_mm * axis)) for start in starts]
    return float(np.median(lengths_inside(body.solid, rays)))


def _invalid(connection: Connection, detail: str) -> Finding:
    return Finding(rule="invalid_connection", label=connection.first, detail=detail)
