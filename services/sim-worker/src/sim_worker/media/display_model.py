"""A scene as a model that is only looked at: everything is where its motion puts it, nothing collides or falls."""

import numpy as np
from contracts.models.benchmark import Payload
from contracts.models.geometry import Box
from contracts.models.scene import Body, BoxGeom, CylinderGeom, HullGeom, Scene, SphereGeom

from sim_worker.media import appearance, colors
from sim_worker.media.camera import FOV_DEG
from sim_worker.media.display_meshes import Indices
from sim_worker.media.motion import Motion
from sim_worker.model import FORBID_GROUP, PARTS_GROUP, ZONES_GROUP
from sim_worker.mujoco_api import MjBody, MjData, MjModel, MjSpec, mujoco
from sim_worker.names import PAYLOAD
from sim_worker.units import Floats, metres, metres_each

SUN = (-0.20, 0.30, -0.93)
"""Where the light goes; unit length."""
GROUND_GAP_M = 0.001
"""So that the shown ground does not flicker through one that is part of the environment."""
HAZE, SKY, GROUND, GROUND_LINE = (0.93, 0.95, 0.97), (0.70, 0.79, 0.88), (0.87, 0.88, 0.90), (0.80, 0.81, 0.84)


def scenery(scene: Scene, motion: Motion, lowest_m: float, width: int, height: int) -> MjModel:
    """Return the scene with what makes it good to look at: a ground below `lowest_m`, a sky, a sun."""
    spec = mujoco.MjSpec()
    spec.visual.global_.offwidth, spec.visual.global_.offheight = width, height
    spec.visual.global_.fovy = FOV_DEG
    spec.visual.headlight.ambient = [0.38, 0.38, 0.40]
    spec.visual.headlight.diffuse = [0.36, 0.36, 0.36]
    spec.visual.headlight.specular = [0.1, 0.1, 0.1]
    spec.visual.quality.shadowsize = 4096
    spec.visual.map.shadowclip = 6.0
    spec.visual.map.znear = 0.02
    spec.visual.quality.numslices, spec.visual.quality.numstacks = 20, 10
    spec.stat.center = metres_each(scene.build_zone.center_mm)
    spec.stat.extent = max(metres_each(scene.build_zone.size_mm))
    _add_surroundings(spec, scene, lowest_m)
    for body in scene.bodies:
        _add_body(spec, body, motion)
    _add_zone(spec, scene.goal_zone, colors.GOAL, ZONES_GROUP)
    for forbid in scene.forbid_zones:
        _add_zone(spec, forbid.box, colors.FORBID, FORBID_GROUP)
    _add_payload(spec, scene.payload)
    return spec.compile()


def pose(model: MjModel, data: MjData, motion: Motion, sample: int) -> None:
    """Put everything where it was at a sample."""
    for label, way in (*motion.bodies.items(), (PAYLOAD, motion.payload)):
        place = int(model.body(_name(label)).mocapid[0])
        data.mocap_pos[place], data.mocap_quat[place] = way.place_m[sample], way.quaternion[sample]
    mujoco.mj_kinematics(model, data)
    mujoco.mj_camlight(model, data)


def _name(label: str) -> str:
    """Return the name of what moves; the payload's is no part's."""
    return label if label == PAYLOAD else f"part:{label}"


def _add_surroundings(spec: MjSpec, scene: Scene, lowest_m: float) -> None:
    """Add sky, tiles and a sun that shines through the middle of the build zone: there its shadows are sharpest."""
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
        rgb1=GROUND,
        markrgb=GROUND_LINE,
        width=256,
        height=256,
    )
    tiles = spec.add_material(name="tiles", texuniform=True, texrepeat=[10, 10], specular=0.0)
    tiles.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB.value] = "tiles"
    center_m = metres_each(scene.build_zone.center_mm)
    place_m = [center_m[0], center_m[1], lowest_m - GROUND_GAP_M]
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[20.0, 20.0, 0.1], pos=place_m, material="tiles")
    reach_m = 2 * max(metres_each(scene.build_zone.size_mm))
    spec.worldbody.add_light(
        type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
        pos=[place - reach_m * way for place, way in zip(center_m, SUN, strict=True)],
        dir=list(SUN),
        diffuse=[0.5, 0.5, 0.48],
    )


def _add_body(spec: MjSpec, body: Body, motion: Motion) -> None:
    """Add a part: with its surface if it has one, else with its geoms. What moves gets a frame of its own."""
    way = motion.bodies.get(body.label)
    start_m = np.zeros(3) if way is None else way.start_m
    frame = spec.worldbody.add_body(name=_name(body.label), pos=start_m.tolist(), mocap=way is not None)
    if body.surface is not None:
        places, triangles = appearance.unpacked(body.surface)
        _add_mesh(spec, frame, body, places - start_m, triangles)
        return
    for geom in body.geoms:
        if isinstance(geom, HullGeom):
            places, triangles = appearance.hull_of(geom)
            _add_mesh(spec, frame, body, places - start_m, triangles)
        else:
            kind, size_m, quaternion = _primitive(geom)
            center_m = np.array(metres_each(geom.center_mm)) - start_m
            frame.add_geom(type=kind, size=size_m, pos=center_m.tolist(), quat=quaternion, **_look(body))


def _primitive(geom: BoxGeom | CylinderGeom | SphereGeom) -> tuple[int, list[float], list[float]]:
    """Return MuJoCo's kind, sizes and orientation."""
    match geom:
        case BoxGeom():
            return mujoco.mjtGeom.mjGEOM_BOX, [metres(edge) / 2 for edge in geom.size_mm], list(geom.quaternion)
        case CylinderGeom():
            size_m = [metres(geom.radius_mm), metres(geom.length_mm) / 2, 0.0]
            return mujoco.mjtGeom.mjGEOM_CYLINDER, size_m, list(geom.quaternion)
        case SphereGeom():
            return mujoco.mjtGeom.mjGEOM_SPHERE, [metres(geom.radius_mm), 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]


def _add_mesh(spec: MjSpec, frame: MjBody, body: Body, places: Floats, triangles: Indices) -> None:
    """Add it as a shell: what is flat, open or inside out can be seen as well."""
    name = f"mesh-{len(spec.meshes)}"
    spec.add_mesh(
        name=name,
        uservert=places.flatten().tolist(),
        userface=triangles.flatten().tolist(),
        inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
    )
    frame.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, **_look(body))


def _look(body: Body) -> dict[str, object]:
    return {"rgba": list(body.color_rgba), "group": PARTS_GROUP, "contype": 0, "conaffinity": 0}


def _add_zone(spec: MjSpec, box: Box, rgba: colors.Rgba, group: int) -> None:
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_BOX,
        pos=metres_each(box.center_mm),
        size=[metres(length) / 2 for length in box.size_mm],
        group=group,
        contype=0,
        conaffinity=0,
        castshadow=False,
        rgba=list(rgba),
    )


def _add_payload(spec: MjSpec, payload: Payload) -> None:
    radius_m = metres(payload.size_mm) / 2
    frame = spec.worldbody.add_body(name=PAYLOAD, pos=metres_each(payload.start_mm), mocap=True)
    frame.add_geom(
        name=PAYLOAD,
        type=mujoco.mjtGeom.mjGEOM_SPHERE if payload.shape == "ball" else mujoco.mjtGeom.mjGEOM_BOX,
        size=[radius_m, radius_m, radius_m],
        rgba=list(colors.PAYLOAD),
        contype=0,
        conaffinity=0,
    )
