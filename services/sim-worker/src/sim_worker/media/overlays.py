"""Shapes drawn over a picture: zone edges, trails of payloads, and earlier poses of the first."""

from itertools import combinations, pairwise

import numpy as np
from contracts.models.scene import Scene

from sim_worker import colors
from sim_worker.media.camera import box_corners_m
from sim_worker.media.canvas import Brush
from sim_worker.media.motion import Motion
from sim_worker.mujoco_api import MjModel
from sim_worker.names import PAYLOAD
from sim_worker.rotations import rotation_matrix
from sim_worker.units import Floats

TRAIL_M = 0.0025
TRAIL_ROD_M = 0.012
GHOSTS = 7


def draw_zones(brush: Brush, scene: Scene) -> None:
    """Draw the edges of every zone, so that translucent faces look like boxes."""
    zones = [(scene.build_zone, colors.BUILD_EDGES), (scene.goal_zone, colors.GOAL_EDGES)]
    for box, rgba in [*zones, *((zone.box, colors.FORBID_EDGES) for zone in scene.forbid_zones)]:
        for start, end in combinations(box_corners_m(box), 2):
            if np.count_nonzero(start != end) == 1:
                brush.edge(start, end, rgba)


def draw_trail(brush: Brush, motion: Motion, until: int) -> None:
    """Draw the payloads' paths up to a sample, as rods of a minimum length."""
    for track in motion.payloads:
        path = track.position_m[: until + 1]
        ends = [path[0]]
        for point in path:
            if np.linalg.norm(point - ends[-1]) >= TRAIL_ROD_M:
                ends.append(point)
        for start, end in pairwise([*ends, path[-1]]):
            brush.rod(start, end, TRAIL_M, colors.TRAIL)


def draw_ghosts(brush: Brush, model: MjModel, motion: Motion) -> None:
    """Draw the first payload at earlier poses, evenly along its path."""
    geom, path = model.geom(PAYLOAD).id, motion.payload.position_m
    travelled_m: Floats = np.cumsum(np.linalg.norm(np.diff(path, axis=0, prepend=path[:1]), axis=1))
    for ghost in range(GHOSTS):
        share = ghost / GHOSTS
        sample = int(np.searchsorted(travelled_m, share * float(travelled_m[-1])))
        rotation = rotation_matrix(motion.payload.quaternion[sample])
        brush.copy(model, geom, path[sample], rotation, (*colors.PAYLOAD[:3], 0.45 + 0.4 * share))
