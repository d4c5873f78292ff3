"""Redundancy: use of the limits, and parts that could be left out."""

from collections.abc import Mapping

from contracts.models.benchmark import Limits
from contracts.models.design import BillOfMaterials
from contracts.models.scene import Scene
from contracts.models.simulation import SimulationResult

_Graph = Mapping[str, frozenset[str]]
"""From each body to those it is welded or jointed to."""


def economy(bill: BillOfMaterials, limits: Limits) -> dict[str, float]:
    """Return unit price, mass and number of parts over their limits; values without a limit are left out."""
    used = {
        "unit price": (bill.unit_price_usd, limits.max_unit_price_usd),
        "mass": (bill.mass_kg, limits.max_mass_kg),
        "parts": (float(bill.part_count), limits.max_parts),
    }
    return {name: measured / limit for name, (measured, limit) in used.items() if limit}


def each_removable_alone(scene: Scene, run: SimulationResult) -> tuple[str, ...]:
    """Return the parts of which each could go while all others stay: untouched, and connecting nothing needed.

    Needed parts are those that the payload touched in the nominal run, those that joints connect, and motors. Each
    result could be left out on its own; several together, or one that stiffens another, are not analysed. If a needed
    part merely rests on others, the result is empty, as resting contacts are unknown here.
    """
    graph, needed = _graph(scene), _needed(scene, run)
    if not needed <= _connected_to_environment(graph, scene, without=""):
        return ()
    candidates = [body.label for body in scene.bodies if body.origin == "design" and body.label not in needed]
    return tuple(label for label in candidates if needed <= _connected_to_environment(graph, scene, without=label))


def _needed(scene: Scene, run: SimulationResult) -> set[str]:
    own = {body.label for body in scene.bodies if body.origin == "design"}
    touched = {event.other for event in run.events if event.kind == "contact"}
    jointed = {label for joint in scene.joints for label in (joint.parent, joint.child)}
    return own & (touched | jointed | {drive.label for drive in scene.drives})


def _graph(scene: Scene) -> _Graph:
    pairs = [(weld.first, weld.second) for weld in scene.welds]
    pairs += [(joint.parent, joint.child) for joint in scene.joints]
    neighbours: dict[str, set[str]] = {body.label: set() for body in scene.bodies}
    for first, second in pairs:
        neighbours[first].add(second)
        neighbours[second].add(first)
    return {label: frozenset(others) for label, others in neighbours.items()}


def _connected_to_environment(graph: _Graph, scene: Scene, without: str) -> set[str]:
    """Return the bodies that a chain of connections links to the environment when one body is removed."""
    reached = {body.label for body in scene.bodies if body.origin == "environment"} - {without}
    frontier = list(reached)
    while frontier:
        for label in graph[frontier.pop()] - reached - {without}:
            reached.add(label)
            frontier.append(label)
    return reached
