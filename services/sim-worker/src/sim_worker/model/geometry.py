"""The shapes of a body: what collides, and what is looked at."""

from dataclasses import dataclass, field

import numpy as np
from contracts.models.geometry import Vector
from contracts.models.scene import Body, BoxGeom, CylinderGeom, Geom, HullGeom, SphereGeom

from sim_worker.model.contacts import CONDIM, ROLLING_M, SOLIMP, TORSION_M, Touch, solref
from sim_worker.model.layers import COLLISION_GROUP, PARTS_GROUP
from sim_worker.model.meshes import FOLDER, hull_file, surface_file
from sim_worker.model.timing import Timing
from sim_worker.mujoco_api import MjsBody, MjsGeom, MjsMesh, MjSpec, mujoco
from sim_worker.units import Floats, metres, metres_of


@dataclass(frozen=True)
class Shaper:
    """Gives bodies of a model their shapes, and keeps the mesh files that the model refers to."""

    spec: MjSpec
    timing: Timing
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    """By the path they have beside the model."""

    def shape(self, added: MjsBody, body: Body, origin_mm: Floats, touches: tuple[Touch, ...]) -> None:
        """Add the geometry of a part to its body in the model, whose frame stands unturned at `origin_mm`."""
        for place, geom in enumerate(body.geoms):
            name = f"{body.origin}-{body.label}-{place}"
            if isinstance(geom, HullGeom):
                self._add_mesh(name, hull_file(geom, origin_mm))
            for copy, touch in enumerate(touches):
                made = added.add_geom(mass=0.0, rgba=list(body.color_rgba))
                _form(made, geom, name, origin_mm)
                self._behave(made, touch)
                is_seen = copy == 0 and body.surface is None
                made.group = PARTS_GROUP if is_seen else COLLISION_GROUP
        if body.surface is not None:
            self._add_picture(added, body, surface_file(body.surface, origin_mm))

    def _behave(self, made: MjsGeom, touch: Touch) -> None:
        made.contype, made.conaffinity = touch.contype, touch.conaffinity
        made.friction = [touch.friction, TORSION_M, ROLLING_M] if touch.friction else [0.0, 0.0, 0.0]
        made.condim = CONDIM
        made.solref = list(solref(touch.restitution, self.timing.stiffness_s, self.timing.step_s))
        made.solimp[:3] = list(SOLIMP)

    def _add_picture(self, added: MjsBody, body: Body, file: bytes) -> None:
        """Add a surface that is only looked at, as a body of its own: distances are measured to all geoms of a body."""
        name = f"{body.origin}-{body.label}-surface"
        mesh = self._add_mesh(name, file)
        mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL  # it need not be closed
        picture = added.add_body(name=f"picture:{body.label}")
        picture.add_geom(
            type=mujoco.mjtGeom.mjGEOM_MESH,
            meshname=name,
            mass=0.0,
            contype=0,
            conaffinity=0,
            group=PARTS_GROUP,
            rgba=list(body.color_rgba),
        )

    def _add_mesh(self, name: str, file: bytes) -> MjsMesh:
        path = f"{FOLDER}/{name}.msh"
        self.files[path] = file
        return self.spec.add_mesh(name=name, file=path)


def _form(made: MjsGeom, geom: Geom, mesh: str, origin_mm: Floats) -> None:
    kinds = mujoco.mjtGeom
    match geom:
        case BoxGeom():
            made.type, made.size = kinds.mjGEOM_BOX, [metres(length) / 2 for length in geom.size_mm]
            made.pos, made.quat = _place(geom.center_mm, origin_mm), list(geom.quaternion)
        case CylinderGeom():
            made.type, made.size = kinds.mjGEOM_CYLINDER, [metres(geom.radius_mm), metres(geom.length_mm) / 2, 0.0]
            made.pos, made.quat = _place(geom.center_mm, origin_mm), list(geom.quaternion)
        case SphereGeom():
            made.type, made.size = kinds.mjGEOM_SPHERE, [metres(geom.radius_mm), 0.0, 0.0]
            made.pos = _place(geom.center_mm, origin_mm)
        case HullGeom():
            made.type, made.meshname = kinds.mjGEOM_MESH, mesh


def _place(place_mm: Vector, origin_mm: Floats) -> list[float]:
    return [float(length) for length in metres_of(np.array(place_mm) - origin_mm)]
