"""Rules for what makes two bodies one: glue needs faces that touch, screws need material to pass and to bite."""

from contracts.models.design import Finding
from contracts.models.mechanism import Connection
from geometry.formatting import format_mm, format_point
from parts_catalog.hardware.lookup import UnknownHardwareError, fastener

from cad_worker.validation.distances import CONTACT_GAP_MM, LEAST_GLUED_MM2, bond
from cad_worker.validation.rigid_groups import Machine
from cad_worker.validation.rules.screws import misplaced
from cad_worker.validation.suggestions import suggestion

MAX_CONNECTIONS = 500


def connection_findings(machine: Machine) -> list[Finding]:
    """Report connections that could not be made."""
    connections = machine.mechanism.connections
    if len(connections) > MAX_CONNECTIONS:
        detail = f"{len(connections)} connections are declared, at most {MAX_CONNECTIONS} can be; join parts"
        return [Finding(rule="invalid_connection", detail=detail)]
    return [finding for connection in connections for finding in _findings(machine, connection)]


def _findings(machine: Machine, connection: Connection) -> list[Finding]:
    name = f"{connection.means}({connection.first!r}, {connection.second!r})"
    for label in (connection.first, connection.second):
        if label not in machine.bodies:
            return [_invalid(connection, f"{name}: there is no {label!r}; {suggestion(label, machine.bodies)}")]
        if machine.refuses(label):
            return [
                _invalid(connection, f"{name}: nothing may be mounted on {label}; take another solid or stand free")
            ]
    if connection.first == connection.second:
        return [_invalid(connection, f"{name} joins a part to itself; name the two parts that it joins")]
    if connection.means == "bonded":
        problem = _bad_bond(machine, connection)
        return [_invalid(connection, f"{name} {problem}")] if problem else []
    try:
        screw = fastener(connection.fastener_id or "")
    except UnknownHardwareError as error:
        return [Finding(rule="unknown_component", label=connection.first, detail=f"{name}: {error}")]
    first, second = machine.bodies[connection.first], machine.bodies[connection.second]
    return [_invalid(connection, f"{name} {problem}") for problem in misplaced(first, second, connection, screw)]


def _bad_bond(machine: Machine, connection: Connection) -> str | None:
    made = bond(machine.bodies[connection.first], machine.bodies[connection.second])
    if made.gap_mm > CONTACT_GAP_MM:
        return (
            f"spans a gap of {format_mm(made.gap_mm)} near {format_point(made.center_mm)}, glue holds over {format_mm(CONTACT_GAP_MM)} at "
            "most; let their faces touch"
        )
    if made.area_mm2 < LEAST_GLUED_MM2:
        return (
            f"has a glued area of {made.area_mm2:.2f} mm² near {format_point(made.center_mm)}, at least "
            f"{LEAST_GLUED_MM2:g} mm² is needed; let flat or matching faces lie upon each other"
        )
    return None


def _invalid(connection: Connection, detail: str) -> Finding:
    return Finding(rule="invalid_connection", label=connection.first, detail=detail)
