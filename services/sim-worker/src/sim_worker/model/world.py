"""A scene that can be simulated."""

import io
import zipfile
from dataclasses import dataclass, field

import numpy as np
from contracts.models.scene import Scene

from sim_worker.model.bodies import BodyBuilder
from sim_worker.model.geometry import Shaper
from sim_worker.model.joints import Bearer
from sim_worker.model.mjcf_schema import problems
from sim_worker.model.motors import add_motors, tune_servos
from sim_worker.model.surroundings import add_light, add_payload, add_zones, set_options
from sim_worker.model.timing import Timing
from sim_worker.model.tree import Tree
from sim_worker.model.weld_shares import share
from sim_worker.mujoco_api import MjModel, MjSpec, mujoco
from sim_worker.rejection import SceneRejectedError
from sim_worker.run.sensor_layout import Gauges
from sim_worker.run.sensors import add_sensors
from sim_worker.run.weld_loads import Sharing
from sim_worker.units import Floats

TRIAL_STEPS = 5
BROKEN = (mujoco.mjtWarning.mjWARN_BADQPOS, mujoco.mjtWarning.mjWARN_BADQVEL, mujoco.mjtWarning.mjWARN_BADQACC)
"""What MuJoCo says of a state that is not finite, before it starts afresh."""
LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The same world gives the same bundle: no clock goes in."""


@dataclass(frozen=True)
class World:
    """A scene that can be simulated."""

    scene: Scene
    mjcf: str
    """The model as XML. It is what was compiled, so whoever opens it sees the very same physics."""
    model: MjModel
    step_s: float
    gauges: Gauges
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    """Meshes that the MJCF refers to, by their path beside it."""

    def controls(self, time_s: Floats) -> Floats:
        """Return (n, drives) what the motors are told at the times (n,): V, or rad of the output shaft for a servo."""
        return self.gauges.program.controls(time_s)

    def bundle(self) -> bytes:
        """Return a zip of scene.xml and its meshes, which opens in plain MuJoCo once unpacked."""
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in {"scene.xml": self.mjcf.encode(), **self.files}.items():
                archive.writestr(zipfile.ZipInfo(name, LONG_AGO), content, zipfile.ZIP_DEFLATED)
        return file.getvalue()


def compile_scene(scene: Scene) -> World:
    """Return the scene as a model; raise `SceneRejectedError` when there is none."""
    _refuse_ambiguous_labels(scene)
    tree = Tree.of(scene)
    sharing = share(tree, scene)
    try:
        mjcf, files = _specify(scene, tree, sharing)
        _refuse_unknown_words(mjcf)
        model = mujoco.MjModel.from_xml_string(mjcf, files)
    except ValueError as error:
        raise SceneRejectedError("model_does_not_compile", f"MuJoCo refuses the model: {error}") from error
    world = World(scene, mjcf, model, float(model.opt.timestep), Gauges.of(model, scene, sharing), files)
    _try(world)
    return world


def _specify(scene: Scene, tree: Tree, sharing: Sharing) -> tuple[str, dict[str, bytes]]:
    """Return the MJCF of a scene and the mesh files it needs."""
    spec = mujoco.MjSpec()
    timing = Timing.of(scene.payload.size_mm)
    shaper, bearer = Shaper(spec, timing), Bearer(timing.step_s)
    set_options(spec, timing, scene)
    add_light(spec, scene)
    add_payload(spec, scene.payload)  # first: the state of a world begins with where its payload is
    add_zones(spec, scene)
    BodyBuilder(spec, shaper, bearer).add(scene, tree)
    _move(spec, scene, bearer)
    moving = tuple(body for body in scene.bodies if tree.moves(body))
    add_sensors(spec, scene, moving, sharing.measured)
    spec.assets = shaper.files
    if any(drive.mode == "position" for drive in scene.drives):
        tune_servos(spec, spec.compile(), scene)
    return spec.to_xml(), shaper.files


def _move(spec: MjSpec, scene: Scene, bearer: Bearer) -> None:
    joints = {joint.label: joint for joint in scene.joints}
    for coupling in scene.couplings:
        bearer.couple(spec, coupling, joints)
    add_motors(spec, scene)


def _refuse_ambiguous_labels(scene: Scene) -> None:
    for what, things in (
        ("bodies", scene.bodies),
        ("forbid zones", scene.forbid_zones),
        ("joints", scene.joints),
        ("welds", scene.welds),
        ("motors", scene.drives),
    ):
        labels = [thing.label for thing in things]
        for label in labels:
            if labels.count(label) > 1:
                raise SceneRejectedError("scene_invalid", f"two {what} are called {label}; give each its own label")


def _refuse_unknown_words(mjcf: str) -> None:
    found = problems(mjcf)
    if found:
        raise SceneRejectedError("model_does_not_compile", "the model is not MJCF: " + "; ".join(found))


def _try(world: World) -> None:
    """Step a few frames as designed; raise `SceneRejectedError` where the state is not finite."""
    data = mujoco.MjData(world.model)
    for controls in world.controls(np.arange(TRIAL_STEPS, dtype=np.float64) * world.step_s):
        data.ctrl[:] = controls
        mujoco.mj_step(world.model, data)
    broken = [data.warning[kind.value].number for kind in BROKEN]
    if any(broken) or not (np.isfinite(data.qpos).all() and np.isfinite(data.qvel).all()):
        raise SceneRejectedError(
            "model_does_not_compile",
            f"the state is not finite within {TRIAL_STEPS} steps; look for tiny masses beside large ones",
        )
