"""Solids inside each other during a run: the payload pressed into something, or moving parts through others.

MuJoCo's contacts give way in proportion to the mass of what touches, whatever it is made of. A blow is absorbed within
some milliseconds; what stays deeper for longer is pressed through something solid. Parts that a joint connects have no
contacts at all: their shapes must stay clear of each other at any pose.
"""

from dataclasses import dataclass
from math import comb
from typing import Self

import numpy as np
from contracts.criteria import CLEAR_MM, PRESSED_MM, PRESSED_S
from contracts.models.scene import Scene

from sim_worker.judge.hold_timer import TICK_S, HoldTimer
from sim_worker.model import World
from sim_worker.model.world import payload_masses_kg
from sim_worker.names import the_payload
from sim_worker.run.clearance import ClearanceModel, Pair, PartOverlap
from sim_worker.run.readings import Readings
from sim_worker.units import Floats, metres, millimetres, vector_mm

MESH_M = 0.0015
"""The same for wheels and racks in mesh, whose teeth are drawn with little play."""
JAMMED_S = 0.03
"""Parts with contacts may overlap for as long: they are heavier than the payload and their blows last longer."""
STRIDE_M = 0.002
"""Parts are compared whenever one of them has moved by this much."""


@dataclass(frozen=True)
class Penetration:
    """Two solids inside each other."""

    step: int
    culprit: str
    cause: str


@dataclass(frozen=True)
class Clearances:
    """What may overlap in a scene, and by how much; the same for all replicas."""

    model: ClearanceModel | None
    """None: no part of the design moves."""
    payload_m: Floats
    """(payloads, bodies) the depth that each payload may have in each body."""
    pairs_m: Floats
    """(pairs,) the depth that two payloads may have in each other."""
    payloads: tuple[str, ...]
    """What texts call each payload."""
    labels: tuple[str, ...]
    design: frozenset[str]
    protrusions_m: dict[str, float]
    without_contact: frozenset[Pair]
    in_mesh: frozenset[Pair]
    reaches_m: Floats
    """(moving,) greatest distance of each body's surface from its centre of mass."""

    @classmethod
    def of(cls, world: World) -> Self:
        """Return the clearances of a world."""
        scene, layout = world.scene, world.layout
        masses_kg = np.array(payload_masses_kg(world.model, scene))
        # a payload may bear all others; alone, it bears itself
        pressed_m = metres(PRESSED_MM) * masses_kg.sum() / masses_kg
        origins = {body.label: body.origin for body in scene.bodies}
        moves = any(origins[label] == "design" for label in world.layout.moving)
        protrusions_m = {body.label: metres(body.protrusion_mm) for body in scene.bodies}
        return cls(
            model=ClearanceModel(world) if moves else None,
            payload_m=pressed_m[:, None] + np.array([protrusions_m[body.label] for body in scene.bodies]),
            pairs_m=np.array([max(pressed_m[first], pressed_m[second]) for first, second in layout.payload_pairs]),
            payloads=tuple(the_payload(scene, index) for index in range(len(scene.payloads))),
            labels=tuple(body.label for body in scene.bodies),
            design=frozenset(label for label, origin in origins.items() if origin == "design"),
            protrusions_m=protrusions_m,
            without_contact=frozenset(
                (min(pair), max(pair)) for pair in scene.touching if origins[pair[0]] == origins[pair[1]]
            ),
            in_mesh=_in_mesh(scene),
            reaches_m=np.array([_reach_m(world, label) for label in world.layout.moving]),
        )

    def excess_m(self, overlap: PartOverlap) -> float:
        """Return by how much an overlap of the drawn shapes exceeds what is allowed."""
        own_m = sum(self.protrusions_m[label] for label in overlap.pair)
        at_start_m = self.model.start.get(overlap.pair, 0.0) if self.model is not None else 0.0
        least_m = MESH_M if overlap.pair in self.in_mesh else metres(CLEAR_MM)
        return overlap.depth_m - max(own_m, at_start_m) - least_m


class PenetrationMonitor:
    """Watches one replica. Feed every chunk once, in order."""

    def __init__(self, clearances: Clearances, moved_m: Floats | None = None) -> None:
        """`moved_m`: (bodies,) by which their surfaces lie before those that depths are measured to."""
        self._clearances = clearances
        self._moved_m = np.zeros(len(clearances.labels)) if moved_m is None else moved_m
        self._moved_of = dict(zip(clearances.labels, self._moved_m.tolist(), strict=True))
        self._pressed = [HoldTimer(len(clearances.labels)) for _ in clearances.payloads]
        self._squeezed = HoldTimer(comb(len(clearances.payloads), 2))
        self._jammed_since_s: dict[Pair, float] = {}

    def first(self, readings: Readings) -> Penetration | None:
        """Return the first penetration of a chunk."""
        payloads = [self._payload(each, index) for index, each in enumerate(readings.payloads)]
        possible = (*payloads, self._between_payloads(readings), self._parts(readings))
        return min((each for each in possible if each is not None), key=_step, default=None)

    def _payload(self, readings: Readings, index: int) -> Penetration | None:
        depths_m, name = readings.depth_m, self._clearances.payloads[index]
        allowed_m = np.maximum(self._clearances.payload_m[index] - self._moved_m, 0.0)
        pressed = _pressed(self._pressed[index], depths_m, allowed_m, readings.time_s)
        if pressed is None:
            return None
        step, column = pressed
        label = self._clearances.labels[column]
        cause = _pressed_text(name, label, float(depths_m[step, column]), readings.position_m[step])
        return Penetration(step, label, cause)

    def _between_payloads(self, readings: Readings) -> Penetration | None:
        """Return two payloads that the machine presses into each other."""
        if not readings.layout.payload_pairs:
            return None
        depths_m = readings.payload_depth_m
        pressed = _pressed(self._squeezed, depths_m, self._clearances.pairs_m, readings.time_s)
        if pressed is None:
            return None
        step, pair = pressed
        first, second = readings.layout.payload_pairs[pair]
        names, place_m = self._clearances.payloads, readings.payloads[first].position_m[step]
        cause = _pressed_text(names[first], names[second], float(depths_m[step, pair]), place_m)
        return Penetration(step, names[second].removeprefix("the payload "), cause)

    def _parts(self, readings: Readings) -> Penetration | None:
        model = self._clearances.model
        if model is None:
            return None
        for step in self._poses(readings):
            overlaps = [each for each in model.overlaps(readings.rows[step]) if self._excess_m(each) > 0.0]
            found = self._lasting(overlaps, float(readings.time_s[step]))
            if found is not None:
                culprit = next(label for label in found.pair if label in self._clearances.design)
                return Penetration(int(step), culprit, _through(found))
        return None

    def _excess_m(self, overlap: PartOverlap) -> float:
        return self._clearances.excess_m(overlap) + sum(self._moved_of[label] for label in overlap.pair)

    def _lasting(self, overlaps: list[PartOverlap], time_s: float) -> PartOverlap | None:
        """Return an overlap that contacts cannot explain, or that has lasted."""
        since_s = self._jammed_since_s
        self._jammed_since_s = {each.pair: since_s.get(each.pair, time_s) for each in overlaps}
        for each in overlaps:
            if each.pair in self._clearances.without_contact:
                return each
            if time_s - self._jammed_since_s[each.pair] > JAMMED_S:
                return each
        return None

    def _poses(self, readings: Readings) -> np.ndarray:
        """Return the steps after which a part has moved by a stride, and the last one."""
        steps = np.arange(len(readings.time_s))
        travelled = np.floor(np.cumsum(self._paths_m(readings)) / STRIDE_M)
        is_next = np.diff(travelled, prepend=0.0) > 0.0
        is_next[-1] = True
        return steps[is_next]

    def _paths_m(self, readings: Readings) -> Floats:
        """Return (n,) the greatest distance by which any point of a part has moved since the step before."""
        places, turns = readings.moving_position_m, readings.moving_quaternion
        moved_m = np.linalg.norm(np.diff(places, axis=0), axis=2)
        cosines = np.abs(np.einsum("nki,nki->nk", turns[1:], turns[:-1]))
        turned_rad = 2 * np.arccos(np.minimum(cosines, 1.0))
        paths_m = (moved_m + turned_rad * self._clearances.reaches_m).max(axis=1)
        return np.concatenate([[0.0], paths_m])


def _pressed(timer: HoldTimer, depths_m: Floats, allowed_m: Floats, time_s: Floats) -> tuple[int, int] | None:
    """Return step and column of the first of the depths (n, k) that was too large for too long."""
    is_deep = depths_m > allowed_m
    if not is_deep.any():
        timer.reset()
        return None
    is_pressed = timer.held_s(is_deep, time_s) > PRESSED_S + TICK_S
    steps = np.flatnonzero(is_pressed.any(axis=1))
    if not len(steps):
        return None
    step = int(steps[0])
    return step, int(np.argmax(np.where(is_pressed[step], depths_m[step], 0.0)))


def _pressed_text(name: str, other: str, depth_m: float, place_m: Floats) -> str:
    x, y, z = vector_mm(place_m)
    return (
        f"{name} was {millimetres(depth_m):.2f} mm inside {other} for more than {PRESSED_S * 1000:g} ms, at "
        f"({x:.0f}, {y:.0f}, {z:.0f}) mm; solids do not give way: leave it room, or press less"
    )


def _through(overlap: PartOverlap) -> str:
    first, second = overlap.pair
    x, y, z = overlap.point_mm
    return (
        f"{first} moved {millimetres(overlap.depth_m):.2f} mm into {second} at ({x:.0f}, {y:.0f}, {z:.0f}) mm; a joint "
        "connects parts at its axis only: leave clearance along the whole motion"
    )


def _in_mesh(scene: Scene) -> frozenset[Pair]:
    """Return the pairs of parts that couplings mesh."""
    joints = {joint.label: joint for joint in scene.joints}
    pairs = [
        (one, other)
        for coupling in scene.couplings
        for one in (joints[coupling.first].parent, joints[coupling.first].child)
        for other in (joints[coupling.second].parent, joints[coupling.second].child)
    ]
    partners = {(min(joint.parent, joint.child), max(joint.parent, joint.child)) for joint in scene.joints}
    return frozenset((min(pair), max(pair)) for pair in pairs) - partners


def _reach_m(world: World, label: str) -> float:
    """Return the greatest distance of a body's surface from its frame, by the bounding spheres of its shapes."""
    body = next(each for each in world.scene.bodies if each.label == label)
    model = world.model
    geoms = np.flatnonzero(model.geom_bodyid == model.body(f"{body.origin}:{label}").id)
    return float((np.linalg.norm(model.geom_pos[geoms], axis=1) + model.geom_rbound[geoms]).max())


def _step(penetration: Penetration) -> int:
    return penetration.step
