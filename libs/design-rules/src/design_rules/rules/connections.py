"""Rules for connections: each joins two bodies that may be joined, and glue needs faces that touch."""

from contracts.criteria import CONTACT_GAP_MM
from contracts.models.design import Finding
from contracts.models.mechanism import Connection
from geometry.formatting import format_mm, format_point
from parts_catalog.adhesive import ADHESIVE, bond_mpa

from design_rules.bodies.distances import LEAST_GLUED_MM2
from design_rules.bodies.multibody import MultibodySystem
from design_rules.suggestions import suggestion

MAX_CONNECTIONS = 500


def connection_findings(system: MultibodySystem) -> list[Finding]:
    """Report connections that could not be made."""
    connections = system.mechanism.connections
    if len(connections) > MAX_CONNECTIONS:
        detail = f"the design has {len(connections)} connections, the maximum is {MAX_CONNECTIONS}; join parts"
        return [Finding(rule="invalid_connection", detail=detail)]
    return [finding for connection in connections for finding in _findings(system, connection)]


def _findings(system: MultibodySystem, connection: Connection) -> list[Finding]:
    problem = wrong_body(system, connection)
    if problem is not None:
        return [
            Finding(rule="invalid_connection", label=connection.first, detail=connection_name(connection) + problem)
        ]
    if connection.means == "fastened":
        return []
    plastic = _unbondable(system, connection)
    if plastic is not None:
        return [plastic]
    problem = _bad_bond(system, connection)
    return [invalid_connection(connection, problem)] if problem else []


def connection_name(connection: Connection) -> str:
    """Return what findings call a connection."""
    return f"{connection.means}({connection.first!r}, {connection.second!r})"


def invalid_connection(connection: Connection, problem: str) -> Finding:
    """Return the finding about a connection that could not be made."""
    detail = f"{connection_name(connection)} {problem}"
    return Finding(rule="invalid_connection", label=connection.first, detail=detail)


def wrong_body(system: MultibodySystem, connection: Connection) -> str | None:
    """Return why a connection does not name two bodies that it may join, as the rest of a sentence; None if it does."""
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
