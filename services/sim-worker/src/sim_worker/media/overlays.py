"""What is drawn into a picture beside the scenery, and what must be in it."""

from itertools import combinations, pairwise

import numpy as np
from contracts.models.geometry import Box
from contracts.models.scene import Scene

from sim_worker.media import appearance, colors
from sim_worker.media.canvas import Brush
from sim_worker.media.motion import Motion
from sim_worker.mujoco_api import MjModel
from sim_worker.names import PAYLOAD
from sim_worker.units import Floats, metres, metres_each

TRAIL_M = 0.0025
TRAIL_ROD_M = 0.012
GHOSTS = 7
WANDERING_M = 0.1
"""A payload or a part that is lost is followed so far beyond the build zone."""
MOMENTS = 12
"""Of the run, at which everything that moves must be in the picture."""


class Outlines:
    """Where things are, as far as a camera must know."""

    def __init__(self, scene: Scene, motion: Motion) -> None:
        self._scene, self._motion = scene, motion
        self._extremes = {body.label: appearance.extremes_m(body) for body in scene.bodies}

    @property
    def lowest_m(self) -> float:
        """Height of the lowest thing at the start."""
        zones = (self._scene.build_zone, self._scene.goal_zone)
        lowest = [float(places[:, 2].min()) for places in self._extremes.values()]
        return min(lowest, default=metres(min(zone.min_mm[2] for zone in zones)))

    def worth_seeing_m(self) -> Floats:
        """Return the corners (n, 3) of all that must be in the picture: machine, goal, dangers, and where all goes."""
        zone = self._scene.build_zone
        low, high = np.array(metres_each(zone.min_mm)) - WANDERING_M, np.array(metres_each(zone.max_mm)) + WANDERING_M
        machine = [
            np.clip(self._on_its_way_m(body.label), low, high) for body in self._scene.bodies if body.origin == "design"
        ]
        boxes = [self._scene.goal_zone, *(forbid.box for forbid in self._scene.forbid_zones)]
        zones = [_box_corners_m(box) for box in (boxes if machine else [*boxes, zone])]
        return np.concatenate([*machine, *zones, np.clip(self._motion.payload.place_m, low, high)])

    def _on_its_way_m(self, label: str) -> Floats:
        """Return the outermost places (n, 3) of a part, at several moments if it moves."""
        places, way = self._extremes[label], self._motion.bodies.get(label)
        if way is None:
            return places
        samples = np.unique(np.linspace(0, len(self._motion.time_s) - 1, MOMENTS).astype(int))
        turns = (appearance.turn_of(way.quaternion[sample]) for sample in samples)
        moved = [
            (places - way.start_m) @ turn.T + way.place_m[sample] for sample, turn in zip(samples, turns, strict=True)
        ]
        return np.concatenate(moved)


def _box_corners_m(box: Box) -> Floats:
    (x0, y0, z0), (x1, y1, z1) = metres_each(box.min_mm), metres_each(box.max_mm)
    return np.array([(x, y, z) for x in (x0, x1) for y in (y0, y1) for z in (z0, z1)])


def draw_zones(brush: Brush, scene: Scene) -> None:
    """Draw the edges of every zone, so that translucent faces read as boxes."""
    zones = [(scene.build_zone, colors.BUILD_EDGES), (scene.goal_zone, colors.GOAL_EDGES)]
    for box, rgba in [*zones, *((zone.box, colors.FORBID_EDGES) for zone in scene.forbid_zones)]:
        for start, end in combinations(_box_corners_m(box), 2):
            if np.count_nonzero(start != end) == 1:
                brush.edge(start, end, rgba)


def draw_trail(brush: Brush, motion: Motion, until: int) -> None:
    """Draw the payload's way up to a sample, as rods of a least length."""
    way = motion.payload.place_m[: until + 1]
    joints = [way[0]]
    for place in way:
        if np.linalg.norm(place - joints[-1]) >= TRAIL_ROD_M:
            joints.append(place)
    for start, end in pairwise([*joints, way[-1]]):
        brush.rod(start, end, TRAIL_M, colors.TRAIL)


def draw_ghosts(brush: Brush, model: MjModel, motion: Motion) -> None:
    """Draw the payload where it was, evenly along its way."""
    geom, places = model.geom(PAYLOAD), motion.payload.place_m
    walked_m: Floats = np.cumsum(np.linalg.norm(np.diff(places, axis=0, prepend=places[:1]), axis=1))
    for ghost in range(GHOSTS):
        share = ghost / GHOSTS
        sample = int(np.searchsorted(walked_m, share * float(walked_m[-1])))
        turn = appearance.turn_of(motion.payload.quaternion[sample])
        brush.solid(int(geom.type[0]), geom.size, places[sample], turn, (*colors.PAYLOAD[:3], 0.45 + 0.4 * share))
