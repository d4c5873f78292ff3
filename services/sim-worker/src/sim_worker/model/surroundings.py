"""Elements of a model other than machine and environment: physics options, light, zones and the payload."""

from itertools import combinations

from contracts.models.benchmark import Payload
from contracts.models.geometry import Box
from contracts.models.scene import Scene

from sim_worker import colors
from sim_worker.model.contacts import (
    FORBID_BIT,
    IMPRATIO,
    ROLLING_M,
    SOLIMP,
    TORSION_M,
    combined,
    payload_bits,
    payload_surface,
    solref,
)
from sim_worker.model.geometry import GeometryBuilder
from sim_worker.model.numerics import Numerics, Timing
from sim_worker.mujoco_api import MjsGeom, MjSpec, mujoco
from sim_worker.names import BUILD, FORBID_GROUP, GOAL, ZONES_GROUP, forbid_name, payload_name
from sim_worker.payload_shape import ROLLING_CONDIM, ROLLING_SHAPES, SLIDING_CONDIM, payload_primitive
from sim_worker.units import GRAVITY_M_S2, metres, metres_each

CONES = {"elliptic": mujoco.mjtCone.mjCONE_ELLIPTIC, "pyramidal": mujoco.mjtCone.mjCONE_PYRAMIDAL}
SOLVERS = {"newton": mujoco.mjtSolver.mjSOL_NEWTON, "cg": mujoco.mjtSolver.mjSOL_CG}
SUN_DIRECTION = (-0.20, 0.30, -0.93)
"""Unit vector."""


def set_options(spec: MjSpec, timing: Timing, scene: Scene, numerics: Numerics) -> None:
    """Set the options of the whole model."""
    spec.modelname = "millwright"
    spec.compiler.degree = False
    spec.option.timestep = timing.step_s
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = CONES[numerics.cone]
    spec.option.solver = SOLVERS[numerics.solver]
    spec.option.impratio = IMPRATIO
    spec.option.gravity = [0.0, 0.0, -GRAVITY_M_S2]
    # By default no body collides with its parent body; here each pair without contact is excluded by name.
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_FILTERPARENT.value
    set_extent(spec, scene)


def set_extent(spec: MjSpec, scene: Scene) -> None:
    """Set centre and size of the model to those of the build zone."""
    spec.stat.center = metres_each(scene.build_zone.center_mm)
    spec.stat.extent = max(metres_each(scene.build_zone.size_mm))


def add_sun(spec: MjSpec, scene: Scene) -> None:
    """Add a directional light through the middle of the build zone, where its shadows are sharpest."""
    distance_m = 2 * max(metres_each(scene.build_zone.size_mm))
    center_m = metres_each(scene.build_zone.center_mm)
    spec.worldbody.add_light(
        name="sun",
        type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
        pos=[center - distance_m * part for center, part in zip(center_m, SUN_DIRECTION, strict=True)],
        dir=list(SUN_DIRECTION),
        diffuse=[0.5, 0.5, 0.48],
    )


def add_zones(spec: MjSpec, scene: Scene) -> None:
    """Add the zones. They do not collide, but distance sensors see them.

    Only moving parts of the design collide with forbid zones: this detects the touch cheaply, and it ends the run.
    """
    add_zone(spec, BUILD, scene.build_zone, colors.BUILD)
    add_zone(spec, GOAL, scene.goal_zone, colors.GOAL)
    for forbid in scene.forbid_zones:
        added = add_zone(spec, forbid_name(forbid.label), forbid.box, colors.FORBID, FORBID_GROUP)
        added.contype = 0 if forbid.binds == "payload" else FORBID_BIT


def add_zone(spec: MjSpec, name: str, box: Box, rgba: colors.Rgba, group: int = ZONES_GROUP) -> MjsGeom:
    """Add a translucent box that does not collide."""
    return spec.worldbody.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_BOX,
        pos=metres_each(box.center_mm),
        size=[metres(length) / 2 for length in box.size_mm],
        contype=0,
        conaffinity=0,
        group=group,
        castshadow=False,
        rgba=list(rgba),
    )


def add_payloads(spec: MjSpec, payloads: tuple[Payload, ...], geometry: GeometryBuilder) -> None:
    """Add the payloads; of a solid, `geometry` gets the mesh. They collide with each other as two surfaces do."""
    bits = payload_bits(payloads)
    for index, payload in enumerate(payloads):
        _add_payload(spec, payload, payload_name(index), bits[payload_surface(payload)], geometry)
    timing = geometry.timing
    for (first, one), (second, other) in combinations(enumerate(payloads), 2):
        friction, restitution = combined(payload_surface(one), payload_surface(other))
        rolls = not ROLLING_SHAPES.isdisjoint((one.shape, other.shape))
        pair = spec.add_pair(geomname1=payload_name(first), geomname2=payload_name(second))
        pair.condim = ROLLING_CONDIM if rolls else SLIDING_CONDIM
        pair.friction = [friction, friction, TORSION_M, ROLLING_M, ROLLING_M]
        pair.solref = list(solref(restitution, timing.stiffness_s, timing.step_s))
        pair.solimp[:3] = list(SOLIMP)


def _add_payload(spec: MjSpec, payload: Payload, name: str, bit: int, geometry: GeometryBuilder) -> None:
    """Add a payload under a name; `bit` is its collision bit.

    Sliding friction and restitution are those of the geometry copies that meet it: its own friction is 0, of which
    MuJoCo takes the larger, and so is its `solmix`.
    """
    kind, size_m = payload_primitive(payload)
    mesh = (
        {"meshname": geometry.add_hull(name.replace(":", "-"), payload.corners_mm)} if payload.shape == "solid" else {}
    )
    place_m, quaternion = metres_each(payload.start_mm), list(payload.start_quaternion)
    body = spec.worldbody.add_body(name=name, pos=place_m, quat=quaternion)
    body.add_freejoint(name=name)
    body.add_geom(
        name=name,
        type=kind,
        size=size_m,
        density=payload.density_kg_m3,
        friction=[0.0, TORSION_M, ROLLING_M],
        condim=ROLLING_CONDIM if payload.shape in ROLLING_SHAPES else SLIDING_CONDIM,
        contype=bit,
        conaffinity=0,
        solmix=0.0,
        rgba=list(colors.PAYLOAD),
        **mesh,
    )
