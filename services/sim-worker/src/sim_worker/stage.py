"""The model as it is shown: with a ground and a sky, edges round the zones, and the payload's trail."""

from itertools import combinations, pairwise, product

import numpy as np
from contracts.geometry import Box
from contracts.scene import BoxGeom, Scene

from sim_worker import gauges, looks
from sim_worker.camera import FOV_DEG
from sim_worker.canvas import Brush
from sim_worker.engine import MjData, MjModel, MjSpec, mujoco
from sim_worker.modelling import World
from sim_worker.trajectory import Trajectory
from sim_worker.units import Floats, metres, metres_each

TRAIL_M = 0.0025
TRAIL_ROD_M = 0.006
GHOSTS = 7
GROUND_GAP_M = 0.001
"""So that the shown ground does not flicker through one that is part of the environment."""
WANDERING_M = 0.1
"""A payload that is lost is followed so far beyond the build zone."""
HAZE, SKY, GROUND, GROUND_LINE = (0.93, 0.95, 0.97), (0.70, 0.79, 0.88), (0.87, 0.88, 0.90), (0.80, 0.81, 0.84)


def dressed(world: World, width: int, height: int) -> MjModel:
    """Return the world's model with what makes it good to look at; its physics is not asked for any more."""
    spec = mujoco.MjSpec.from_string(world.mjcf)
    spec.visual.global_.offwidth, spec.visual.global_.offheight = width, height
    spec.visual.global_.fovy = FOV_DEG
    spec.visual.headlight.ambient = [0.38, 0.38, 0.40]
    spec.visual.headlight.diffuse = [0.36, 0.36, 0.36]
    spec.visual.headlight.specular = [0.1, 0.1, 0.1]
    spec.visual.quality.shadowsize = 4096
    spec.visual.map.shadowclip = 6.0
    spec.visual.map.znear = 0.02
    spec.visual.quality.numslices, spec.visual.quality.numstacks = 20, 10
    spec.geom(gauges.BUILD).rgba = [0.0, 0.0, 0.0, 0.0]  # its edges say enough; its faces would veil the machine
    _add_sky(spec)
    _add_ground(spec, world.scene)
    return spec.compile()


def _add_sky(spec: MjSpec) -> None:
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=HAZE,
        rgb2=SKY,
        width=256,
        height=1536,
    )


def _add_ground(spec: MjSpec, scene: Scene) -> None:
    """Add tiles below everything; they are no part of the world, nothing ever lies on them."""
    spec.add_texture(
        name="tiles",
        type=mujoco.mjtTexture.mjTEXTURE_2D,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_FLAT,
        mark=mujoco.mjtMark.mjMARK_EDGE,
        rgb1=GROUND,
        markrgb=GROUND_LINE,
        width=256,
        height=256,
    )
    tiles = spec.add_material(name="tiles", texuniform=True, texrepeat=[10, 10], specular=0.0)
    tiles.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB.value] = "tiles"
    lowest_m = min((float(_corners_m(geom)[:, 2].min()) for geom in _geoms(scene)), default=_lowest_zone_m(scene))
    x, y, _ = metres_each(scene.build_zone.center_mm)
    spec.worldbody.add_geom(
        name="ground",
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        size=[20.0, 20.0, 0.1],
        pos=[x, y, lowest_m - GROUND_GAP_M],
        contype=0,
        conaffinity=0,
        material="tiles",
    )


def _geoms(scene: Scene) -> list[BoxGeom]:
    return [geom for body in scene.bodies for geom in body.geoms]


def _lowest_zone_m(scene: Scene) -> float:
    return metres(min(scene.build_zone.min_mm[2], scene.goal_zone.min_mm[2]))


def _corners_m(geom: BoxGeom) -> Floats:
    """Return the corners (8, 3) of a rotated box."""
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, np.array(geom.quaternion))
    half_m = np.array(metres_each(geom.size_mm)) / 2
    signs = np.array(list(product((-1.0, 1.0), repeat=3)))
    corners: Floats = np.array(metres_each(geom.center_mm)) + (signs * half_m) @ turn.reshape(3, 3).T
    return corners


def worth_seeing_m(scene: Scene, trajectory: Trajectory) -> Floats:
    """Return the corners (n, 3) of all that must be in the picture: machine, goal, dangers and the payload's way."""
    low = np.array(metres_each(scene.build_zone.min_mm)) - WANDERING_M
    high = np.array(metres_each(scene.build_zone.max_mm)) + WANDERING_M
    machine = [_corners_m(geom) for body in scene.bodies if body.origin == "design" for geom in body.geoms]
    boxes = [scene.goal_zone, *(zone.box for zone in scene.forbid_zones)]
    zones = [_box_corners_m(box) for box in (boxes if machine else [*boxes, scene.build_zone])]
    way = np.clip(trajectory.place_m, low, high)
    return np.concatenate([*machine, *zones, way])


def _box_corners_m(box: Box) -> Floats:
    (x0, y0, z0), (x1, y1, z1) = metres_each(box.min_mm), metres_each(box.max_mm)
    return np.array([(x, y, z) for x in (x0, x1) for y in (y0, y1) for z in (z0, z1)])


def draw_zones(brush: Brush, scene: Scene) -> None:
    """Draw the edges of every zone, so that translucent faces read as boxes."""
    zones = [(scene.build_zone, looks.BUILD_EDGES), (scene.goal_zone, looks.GOAL_EDGES)]
    for box, rgba in [*zones, *((zone.box, looks.FORBID_EDGES) for zone in scene.forbid_zones)]:
        for start, end in combinations(_box_corners_m(box), 2):
            if np.count_nonzero(start != end) == 1:
                brush.edge(start, end, rgba)


def draw_trail(brush: Brush, trajectory: Trajectory, until: int) -> None:
    """Draw the payload's way up to a sample, as rods of a least length."""
    way = trajectory.place_m[: until + 1]
    joints = [way[0]]
    for place in way:
        if np.linalg.norm(place - joints[-1]) >= TRAIL_ROD_M:
            joints.append(place)
    for start, end in pairwise([*joints, way[-1]]):
        brush.rod(start, end, TRAIL_M, looks.TRAIL)


def draw_ghosts(brush: Brush, model: MjModel, trajectory: Trajectory) -> None:
    """Draw the payload where it was, evenly along its way."""
    geom = model.geom(gauges.PAYLOAD)
    strides_m = np.linalg.norm(np.diff(trajectory.place_m, axis=0, prepend=trajectory.place_m[:1]), axis=1)
    walked_m: Floats = np.cumsum(strides_m)
    turn = np.zeros(9)
    for ghost in range(GHOSTS):
        share = ghost / GHOSTS
        sample = int(np.searchsorted(walked_m, share * float(walked_m[-1])))
        mujoco.mju_quat2Mat(turn, trajectory.quaternion[sample])
        rgba = (*looks.PAYLOAD[:3], 0.45 + 0.4 * share)
        brush.solid(int(geom.type[0]), geom.size, trajectory.place_m[sample], turn.reshape(3, 3), rgba)


def pose(model: MjModel, data: MjData, trajectory: Trajectory, sample: int) -> None:
    """Put the payload where it was at a sample."""
    data.qpos[:3], data.qpos[3:7] = trajectory.place_m[sample], trajectory.quaternion[sample]
    mujoco.mj_kinematics(model, data)
    mujoco.mj_camlight(model, data)
