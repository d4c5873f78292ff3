"""MuJoCo model for rendering only: a motion sets all poses; nothing collides or falls."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from math import cos, pi, sin, sqrt

import numpy as np
from contracts.models.benchmark import Payload
from contracts.models.scene import Body, HullGeom, Scene, Surface

from sim_worker import colors
from sim_worker.display_meshes import Indices, hull_mesh, payload_mesh, surface_mesh
from sim_worker.media.camera import FOV_DEG
from sim_worker.media.motion import Motion
from sim_worker.model.geometry import primitive
from sim_worker.model.surroundings import add_sun, add_zone, set_extent
from sim_worker.mujoco_api import MjData, MjModel, MjsBody, MjSpec, mujoco
from sim_worker.names import FORBID_GROUP, GOAL, PARTS_GROUP, PAYLOAD, ZONES_GROUP, forbid_name
from sim_worker.payload_shape import payload_primitive
from sim_worker.units import Floats, metres_each, millimetres_each

FLOOR_GAP_M = 0.001
"""Below the lowest body, so that the displayed floor does not flicker through a floor of the environment."""
SUN_RADIUS, GOLDEN_ANGLE = 0.09, pi * (3 - sqrt(5))
"""Of a wide sun, over its distance; and the turn from one of its points to the next, which spreads them evenly."""
PAPER = (0.95, 0.96, 0.98)
"""Background of drawings."""
SEEN_THROUGH = 0.3
"""Opacity of the environment in drawings, where it may be in front of the machine."""
HAZE, SKY, FLOOR, FLOOR_LINE = (0.93, 0.95, 0.97), (0.70, 0.79, 0.88), (0.87, 0.88, 0.90), (0.80, 0.81, 0.84)


def pictured(scene: Scene) -> Scene:
    """Return a scene whose payloads besides the first are bodies, as their motion is among that of the bodies."""
    if not scene.more_payloads:
        return scene
    bodies = (*scene.bodies, *(_payload_body(payload) for payload in scene.more_payloads))
    return scene.model_copy(update={"bodies": bodies})


def lit_spec(
    width: int, height: int, *, ambient: Sequence[float], diffuse: Sequence[float], specular: Sequence[float]
) -> MjSpec:
    """Return an empty model for pictures of a size in pixels, with a headlight."""
    spec = mujoco.MjSpec()
    spec.visual.global_.offwidth, spec.visual.global_.offheight = width, height
    spec.visual.global_.fovy = FOV_DEG
    spec.visual.headlight.ambient = ambient
    spec.visual.headlight.diffuse = diffuse
    spec.visual.headlight.specular = specular
    return spec


def build_display_model(scene: Scene, motion: Motion, lowest_m: float, width: int, height: int) -> MjModel:
    """Return the scene with a floor below `lowest_m`, sky and sun."""
    spec = lit_spec(width, height, ambient=[0.38, 0.38, 0.40], diffuse=[0.36, 0.36, 0.36], specular=[0.1, 0.1, 0.1])
    spec.visual.map.shadowclip = 6.0
    spec.visual.map.znear = 0.02
    spec.visual.quality.numslices, spec.visual.quality.numstacks = 20, 10
    set_extent(spec, scene)
    _add_sky_and_floor(spec, scene, lowest_m)
    add_sun(spec, scene)
    for body in scene.bodies:
        _add_body(spec, body, motion)
    add_zone(spec, GOAL, scene.goal_zone, colors.GOAL)
    for forbid in scene.forbid_zones:
        add_zone(spec, forbid_name(forbid.label), forbid.box, colors.FORBID, FORBID_GROUP)
    _add_payload(spec, scene.payload)
    return spec.compile()


def build_drawing_model(scene: Scene, motion: Motion, width: int, height: int) -> MjModel:
    """Return machine, payload and translucent environment on plain paper, without floor, zones and shadows."""
    spec = mujoco.MjSpec()
    spec.visual.global_.offwidth, spec.visual.global_.offheight = width, height
    spec.visual.headlight.ambient = [0.5, 0.5, 0.52]
    spec.visual.headlight.diffuse = [0.45, 0.45, 0.45]
    spec.visual.headlight.specular = [0.05, 0.05, 0.05]
    spec.visual.map.znear, spec.visual.map.zfar = 0.05, 50.0
    set_extent(spec, scene)
    add_paper(spec)
    for body in scene.bodies:
        is_design = body.origin == "design"
        opacity = body.color_rgba[3] * (1.0 if is_design else SEEN_THROUGH)
        shown = body.model_copy(update={"color_rgba": (*body.color_rgba[:3], opacity)})
        _add_body(spec, shown, motion, PARTS_GROUP if is_design else ZONES_GROUP)
    _add_payload(spec, scene.payload, ZONES_GROUP)
    return spec.compile()


def set_pose(model: MjModel, data: MjData, motion: Motion, sample: int) -> None:
    """Move everything to its pose at a sample."""
    for label, track in (*motion.bodies.items(), (PAYLOAD, motion.payload)):
        mocap = int(model.body(_body_name(label)).mocapid[0])
        data.mocap_pos[mocap], data.mocap_quat[mocap] = track.position_m[sample], track.quaternion[sample]
    mujoco.mj_kinematics(model, data)
    mujoco.mj_camlight(model, data)


@contextmanager
def without_moving(model: MjModel) -> Generator[None]:
    """Hide everything that has a pose of its own."""
    moving = [geom for geom in range(model.ngeom) if model.body_mocapid[model.geom_bodyid[geom]] >= 0]
    opacities = model.geom_rgba[moving, 3].copy()
    model.geom_rgba[moving, 3] = 0.0
    yield
    model.geom_rgba[moving, 3] = opacities


def wide_sun(model: MjModel, count: int) -> Iterator[tuple[float, float]]:
    """Move the sun over a disc, so that the mean of pictures has soft shadows; leave it where it was.

    Yields its place as (x, y) within a disc of radius 1.
    """
    sun = model.light("sun").id
    place_m, direction = model.light_pos[sun].copy(), model.light_dir[sun].copy()
    distance_m = 2 * model.stat.extent
    center_m = place_m + distance_m * direction
    for number in range(count):
        turn, radius = number * GOLDEN_ANGLE, sqrt((number + 0.5) / count)
        place = (radius * cos(turn), radius * sin(turn))
        tilted = direction + SUN_RADIUS * np.array([*place, 0.0])
        model.light_dir[sun] = tilted / np.linalg.norm(tilted)
        model.light_pos[sun] = center_m - distance_m * model.light_dir[sun]
        yield place
    model.light_pos[sun], model.light_dir[sun] = place_m, direction


def _body_name(label: str) -> str:
    """Return the name of a body; no part has that of the payload."""
    return label if label == PAYLOAD else f"part:{label}"


def _add_sky_and_floor(spec: MjSpec, scene: Scene, lowest_m: float) -> None:
    texture, built_in = mujoco.mjtTexture, mujoco.mjtBuiltin
    sky, flat = built_in.mjBUILTIN_GRADIENT, built_in.mjBUILTIN_FLAT
    spec.add_texture(
        name="sky", type=texture.mjTEXTURE_SKYBOX, builtin=sky, rgb1=HAZE, rgb2=SKY, width=256, height=1536
    )
    spec.add_texture(
        name="tiles",
        type=texture.mjTEXTURE_2D,
        builtin=flat,
        mark=mujoco.mjtMark.mjMARK_EDGE,
        rgb1=FLOOR,
        markrgb=FLOOR_LINE,
        width=256,
        height=256,
    )
    tiles = spec.add_material(name="tiles", texuniform=True, texrepeat=[10, 10], specular=0.0)
    tiles.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB.value] = "tiles"
    center_m = metres_each(scene.build_zone.center_mm)
    floor_m = [center_m[0], center_m[1], lowest_m - FLOOR_GAP_M]
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[20.0, 20.0, 0.1], pos=floor_m, material="tiles")


def add_paper(spec: MjSpec) -> None:
    """Add a plain background."""
    spec.add_texture(
        name="paper",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_FLAT,
        rgb1=PAPER,
        rgb2=PAPER,
        width=16,
        height=96,
    )


def _add_body(spec: MjSpec, body: Body, motion: Motion, group: int = PARTS_GROUP) -> None:
    """Add a body with its surface, or with its geoms. A moving body has its frame at its centre."""
    track = motion.bodies.get(body.label)
    start_m = np.zeros(3) if track is None else track.start_m
    frame = spec.worldbody.add_body(name=_body_name(body.label), pos=start_m.tolist(), mocap=track is not None)
    display = {"rgba": list(body.color_rgba), "group": group}
    if body.surface is not None:
        points, triangles = surface_mesh(body.surface)
        add_shell(spec, frame, points - start_m, triangles, **display)
        return
    for geom in body.geoms:
        if isinstance(geom, HullGeom):
            points, triangles = hull_mesh(geom)
            add_shell(spec, frame, points - start_m, triangles, **display)
        else:
            kind, size_m, quaternion = primitive(geom)
            center_m = (np.array(metres_each(geom.center_mm)) - start_m).tolist()
            frame.add_geom(type=kind, size=size_m, pos=center_m, quat=quaternion, contype=0, conaffinity=0, **display)


def add_shell(spec: MjSpec, frame: MjsBody, points: Floats, triangles: Indices, **display: object) -> None:
    """Add a mesh without volume: flat, open and inverted surfaces are visible as well."""
    mesh = f"mesh-{len(spec.meshes)}"
    spec.add_mesh(
        name=mesh,
        uservert=points.flatten().tolist(),
        userface=triangles.flatten().tolist(),
        inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
    )
    frame.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=mesh, contype=0, conaffinity=0, **display)


def _payload_body(payload: Payload) -> Body:
    """Return the payload as a body that is not turned: its motion turns it, from the start on."""
    mesh = payload_mesh(payload)
    vertices_mm = millimetres_each(mesh.vertices) + np.array(payload.start_mm)
    surface = Surface(vertices_mm=vertices_mm.astype("<f4").tobytes(), triangles=mesh.triangles.astype("<i4").tobytes())
    return Body(
        label=payload.label,
        origin="environment",
        geoms=(),
        friction=payload.friction,
        surface=surface,
        color_rgba=colors.PAYLOAD,
    )


def _add_payload(spec: MjSpec, payload: Payload, group: int = PARTS_GROUP) -> None:
    frame = spec.worldbody.add_body(name=PAYLOAD, pos=metres_each(payload.start_mm), mocap=True)
    display = {"name": PAYLOAD, "group": group, "rgba": list(colors.PAYLOAD)}
    if payload.shape == "solid":
        points, triangles = hull_mesh(HullGeom(vertices_mm=payload.corners_mm))
        add_shell(spec, frame, points, triangles, **display)
        return
    kind, size_m = payload_primitive(payload)
    frame.add_geom(type=kind, size=size_m, contype=0, conaffinity=0, **display)
