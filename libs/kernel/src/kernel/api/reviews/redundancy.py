"""Is it over-designed? What it uses of its limits, and which parts nothing would miss."""

from collections.abc import Mapping

from contracts.models.benchmark import Limits
from contracts.models.design import BillOfMaterials
from contracts.models.scene import Scene
from contracts.models.simulation import SimulationResult

Graph = Mapping[str, frozenset[str]]


def economy(bill: BillOfMaterials, limits: Limits) -> dict[str, float]:
    """Return unit price, mass and number of parts as shares of their limits; what has no limit is not there."""
    used = {
        "unit price": (bill.unit_price_usd, limits.max_unit_price_usd),
        "mass": (bill.mass_kg, limits.max_mass_kg),
        "parts": (float(bill.part_count), limits.max_parts),
    }
    return {name: measured / limit for name, (measured, limit) in used.items() if limit}


def spare_parts(scene: Scene, run: SimulationResult) -> tuple[str, ...]:
    """Return the parts that the payload never touched and that hold nothing which is needed to the ground.

    Needed is what the payload touched in the nominal run, what joints join, and motors. Each part named could be left
    out alone; whether two of them can, or whether one keeps another from bending, is not said. Nothing is named where
    something needed merely rests: what it rests on is not known here.
    """
    graph, needed = _graph(scene), _needed(scene, run)
    held = _held(graph, scene, without="")
    if not needed <= held:
        return ()
    candidates = [body.label for body in scene.bodies if body.origin == "design" and body.label not in needed]
    return tuple(label for label in candidates if needed <= _held(graph, scene, without=label))


def _needed(scene: Scene, run: SimulationResult) -> set[str]:
    own = {body.label for body in scene.bodies if body.origin == "design"}
    touched = {event.other for event in run.events if event.kind == "contact"}
    joined = {label for joint in scene.joints for label in (joint.parent, joint.child)}
    return own & (touched | joined | {drive.label for drive in scene.drives})


def _graph(scene: Scene) -> Graph:
    pairs = [(weld.first, weld.second) for weld in scene.welds]
    pairs += [(joint.parent, joint.child) for joint in scene.joints]
    neighbours: dict[str, set[str]] = {body.label: set() for body in scene.bodies}
    for first, second in pairs:
        neighbours[first].add(second)
        neighbours[second].add(first)
    return {label: frozenset(those) for label, those in neighbours.items()}


def _held(graph: Graph, scene: Scene, without: str) -> set[str]:
    """Return what hangs together with the environment when one body is gone."""
    reached = {body.label for body in scene.bodies if body.origin == "environment"} - {without}
    ahead = list(reached)
    while ahead:
        for label in graph[ahead.pop()] - reached - {without}:
            reached.add(label)
            ahead.append(label)
    return reached
