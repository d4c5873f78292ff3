"""A scene compiled to a MuJoCo model, ready to be simulated."""

import io
import zipfile
from dataclasses import dataclass, field

import numpy as np
from contracts.models.benchmark import MAX_DURATION_S
from contracts.models.scene import Scene

from sim_worker.model.bodies import BodyBuilder
from sim_worker.model.cost import reject_costly
from sim_worker.model.geometry import GeometryBuilder
from sim_worker.model.joints import JointBuilder
from sim_worker.model.mjcf_schema import schema_errors
from sim_worker.model.motors import add_motors, tune_servos
from sim_worker.model.numerics import DEFAULT_NUMERICS, Numerics, Timing
from sim_worker.model.sensor_layout import SensorLayout
from sim_worker.model.sensors import add_sensors
from sim_worker.model.surroundings import add_payloads, add_sun, add_zones, set_options
from sim_worker.model.tree import KinematicTree
from sim_worker.model.weld_shares import WeldShares, weld_shares
from sim_worker.mujoco_api import MjModel, mujoco
from sim_worker.names import payload_name
from sim_worker.rejection import SceneRejectedError
from sim_worker.units import Floats

TRIAL_STEPS = 5
MAX_MASS_RATIO = 10.0
"""Of all payloads together to the lightest one: contacts give way in proportion to the load over the mass."""
BAD_STATE_WARNINGS = (
    mujoco.mjtWarning.mjWARN_BADQPOS,
    mujoco.mjtWarning.mjWARN_BADQVEL,
    mujoco.mjtWarning.mjWARN_BADQACC,
)
"""MuJoCo's warnings about a state that is not finite, after which it resets the state."""
FIXED_DATE = (1980, 1, 1, 0, 0, 0)
"""Of the files in a bundle, so that the same world gives the same bytes."""


@dataclass(frozen=True)
class World:
    """A compiled scene."""

    scene: Scene
    mjcf: str
    """The model as XML: the very text that was compiled, so that it reproduces the same physics elsewhere."""
    model: MjModel
    step_s: float
    layout: SensorLayout
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    """Meshes that the MJCF refers to, by their relative path."""

    def controls(self, time_s: Floats) -> Floats:
        """Return (n, drives) controls at the times (n,): V, or rad of the output shaft for a servo."""
        return self.layout.program.controls(time_s)

    def bundle(self) -> bytes:
        """Return a zip of scene.xml and its meshes, which plain MuJoCo opens once unpacked."""
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in {"scene.xml": self.mjcf.encode(), **self.files}.items():
                archive.writestr(zipfile.ZipInfo(name, FIXED_DATE), content, zipfile.ZIP_DEFLATED)
        return file.getvalue()


def compile_scene(scene: Scene, numerics: Numerics = DEFAULT_NUMERICS) -> World:
    """Return the compiled scene; raise `SceneRejectedError` if it cannot be simulated."""
    _reject_duplicate_labels(scene)
    _reject_long_duration(scene)
    tree = KinematicTree.of(scene)
    shares = weld_shares(tree, scene)
    try:
        mjcf, files = _write_mjcf(scene, tree, shares, numerics)
        _reject_invalid_mjcf(mjcf)
        model = mujoco.MjModel.from_xml_string(mjcf, files)
    except ValueError as error:
        raise SceneRejectedError("model_does_not_compile", f"MuJoCo refuses the model: {error}") from error
    _reject_unequal_payloads(scene, model)
    layout = SensorLayout.of(model, scene, shares)
    reject_costly(scene, model, layout.moving, numerics)
    world = World(scene, mjcf, model, float(model.opt.timestep), layout, files)
    _reject_unstable(world)
    return world


def _write_mjcf(
    scene: Scene, tree: KinematicTree, shares: WeldShares, numerics: Numerics
) -> tuple[str, dict[str, bytes]]:
    """Return the MJCF of a scene and the mesh files that it refers to."""
    spec = mujoco.MjSpec()
    timing = Timing.of(min(min(payload.extents_mm) for payload in scene.payloads), numerics.refinement)
    has_cylinder = any(payload.shape == "cylinder" for payload in scene.payloads)
    geometry, joints = GeometryBuilder(spec, timing, boxes_as_hulls=has_cylinder), JointBuilder(timing.step_s)
    set_options(spec, timing, scene, numerics)
    add_sun(spec, scene)
    add_payloads(spec, scene.payloads, geometry)  # first: the state of a world begins with the payload's position
    spec.assets = geometry.files
    payloads_kg = sum(payload_masses_kg(spec.compile(), scene))
    add_zones(spec, scene)
    BodyBuilder(spec, geometry, joints).add(scene, tree, payloads_kg)
    by_label = {joint.label: joint for joint in scene.joints}
    for coupling in scene.couplings:
        joints.couple(spec, coupling, by_label)
    add_motors(spec, scene)
    moving = tuple(body for body in scene.bodies if tree.moves(body))
    add_sensors(spec, scene, moving, shares.measured)
    spec.assets = geometry.files
    if any(drive.mode == "position" for drive in scene.drives):
        tune_servos(spec, spec.compile(), scene)
    return spec.to_xml(), geometry.files


def payload_masses_kg(model: MjModel, scene: Scene) -> tuple[float, ...]:
    """Return the mass of each payload in a compiled model."""
    return tuple(float(model.body(payload_name(index)).mass[0]) for index in range(len(scene.payloads)))


def _reject_unequal_payloads(scene: Scene, model: MjModel) -> None:
    masses_kg = payload_masses_kg(model, scene)
    lightest_kg, total_kg = min(masses_kg), sum(masses_kg)
    if total_kg > MAX_MASS_RATIO * lightest_kg:
        label = scene.payloads[masses_kg.index(lightest_kg)].label
        raise SceneRejectedError(
            "scene_invalid",
            f"all payloads together have {total_kg / lightest_kg:.1f} times the mass of {label}, "
            f"{1000 * lightest_kg:.1f} g, and at most {MAX_MASS_RATIO:g} times can be simulated: heavier ones would "
            "press it into things; make their masses more equal",
        )


def _reject_duplicate_labels(scene: Scene) -> None:
    for kind, things in (
        ("bodies", scene.bodies),
        ("bodies or payloads", (*scene.bodies, *scene.payloads) if scene.more_payloads else ()),
        ("forbid zones", scene.forbid_zones),
        ("joints", scene.joints),
        ("welds", scene.welds),
        ("motors", scene.drives),
    ):
        labels = [thing.label for thing in things]
        for label in labels:
            if labels.count(label) > 1:
                raise SceneRejectedError("scene_invalid", f"two {kind} are called {label}; give each its own label")


def _reject_long_duration(scene: Scene) -> None:
    if scene.duration_s > MAX_DURATION_S:
        raise SceneRejectedError(
            "scene_invalid",
            f"duration_s is {scene.duration_s:g}, and at most {MAX_DURATION_S:g} s can be simulated; shorten it",
        )


def _reject_invalid_mjcf(mjcf: str) -> None:
    errors = schema_errors(mjcf)
    if errors:
        raise SceneRejectedError("model_does_not_compile", "the model is not MJCF: " + "; ".join(errors))


def _reject_unstable(world: World) -> None:
    """Simulate a few steps; raise `SceneRejectedError` if the state does not stay finite."""
    data = mujoco.MjData(world.model)
    for controls in world.controls(np.arange(TRIAL_STEPS, dtype=np.float64) * world.step_s):
        data.ctrl[:] = controls
        mujoco.mj_step(world.model, data)
    warned = [data.warning[kind.value].number for kind in BAD_STATE_WARNINGS]
    if any(warned) or not (np.isfinite(data.qpos).all() and np.isfinite(data.qvel).all()):
        raise SceneRejectedError(
            "model_does_not_compile",
            f"the state is not finite within {TRIAL_STEPS} steps; look for tiny masses beside large ones",
        )
