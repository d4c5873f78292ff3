"""Space of a machine with a motor: its parts at rest, and the space through which its carriage moves."""

from dataclasses import replace

from offline_expert.boxes import TurnedBox, Vec, gap_mm, upright
from offline_expert.drives.axis import NoMachineError
from offline_expert.drives.machine import DrivenMachine
from offline_expert.routing.problem import RoutingProblem

_CONTACT_MM = 0.02


def require_clearance(machine: DrivenMachine, problem: RoutingProblem) -> None:
    """Raise `NoMachineError` if a part leaves the build zone, or meets a forbid zone or a solid at rest or on its way.

    Solids of the environment that move are left out: they are not always there.
    """
    carried = _carried(machine)
    for part in machine.printed:
        if beyond := problem.build.overhangs_mm(part.box.bounds):
            axis = max(beyond, key=beyond.__getitem__)
            raise NoMachineError(
                f"`{part.label}` does not fit into the build zone: {beyond[axis]:.0f} mm too far along {axis}."
            )
        stroke = machine.slide.stroke_mm if part.label in carried else 0.0
        _require_free(part.label, part.box, stroke, machine, problem)
    _require_free("motor", upright(machine.motor_bounds), machine.slide.stroke_mm, machine, problem)


def _require_free(label: str, box: TurnedBox, stroke: float, machine: DrivenMachine, problem: RoutingProblem) -> None:
    swept = swept_box(box, machine.slide.direction, stroke)
    how = f"moving by {stroke:.0f} mm, " if stroke else ""
    for number, zone in enumerate(problem.forbids, start=1):
        depth = -gap_mm(swept, upright(zone))
        if depth >= 0.0:
            raise NoMachineError(f"`{label}`, {how}would be {depth:.0f} mm inside forbid zone {number}.")
    for solid in problem.fixed_solids:
        depth = -gap_mm(swept, upright(solid))
        if depth > 0.0:
            x, y, z = solid.center
            raise NoMachineError(
                f"`{label}`, {how}would be {depth:.0f} mm inside the solid around ({x:.0f}, {y:.0f}, {z:.0f}) mm."
            )


def _carried(machine: DrivenMachine) -> set[str]:
    """Return the labels of the parts that move: the carriage, and whatever touches it except the rail."""
    fixed = {machine.slide.rail}
    moving = {machine.slide.carriage}
    parts = {part.label: part.box for part in machine.printed if part.label not in fixed and "rack" not in part.label}
    frontier = [machine.slide.carriage]
    while frontier:
        current = parts[frontier.pop()]
        touching = {label for label, box in parts.items() if gap_mm(current, box) <= _CONTACT_MM} - moving
        moving |= touching
        frontier += touching
    return moving


def swept_box(box: TurnedBox, direction: Vec, stroke_mm: float) -> TurnedBox:
    """Return the space of a box that moves, as a box that is turned as it is."""
    way = tuple(stroke_mm * share for share in direction)
    lengths = [abs(sum(w * a for w, a in zip(way, axis, strict=True))) for axis in box.axes]
    x, y, z = (at + by / 2 for at, by in zip(box.center, way, strict=True))
    length, width, height = (edge + more for edge, more in zip(box.size, lengths, strict=True))
    return replace(box, center=(x, y, z), size=(length, width, height))
