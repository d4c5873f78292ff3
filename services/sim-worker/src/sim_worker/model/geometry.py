"""The geoms of a body: collision geometry, and the surface that viewers show."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from struct import pack

import numpy as np
from contracts.models.geometry import Vector
from contracts.models.scene import Body, BoxGeom, CylinderGeom, Geom, HullGeom, SphereGeom, Surface
from numpy.typing import NDArray

from sim_worker.model.contacts import CONDIM, ROLLING_M, SOLIMP, TORSION_M, ContactCopy, solref
from sim_worker.model.numerics import Timing
from sim_worker.mujoco_api import MjsBody, MjsGeom, MjsMesh, MjSpec, mujoco
from sim_worker.names import COLLISION_GROUP, PARTS_GROUP
from sim_worker.rotations import rotation_matrix
from sim_worker.units import Floats, metres, metres_of

FOLDER = "meshes"


@dataclass(frozen=True)
class GeometryBuilder:
    """Adds the geometry of bodies to a model, and collects the mesh files that the model refers to."""

    spec: MjSpec
    timing: Timing
    boxes_as_hulls: bool = False
    """Whether boxes become hulls of their corners: MuJoCo 4.0 lets a cylinder that rolls over the edge of a box rise by
    up to 10 mm out of nothing, and over that of an equal hull by none.
    """
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    """By path relative to the model."""

    def add(self, added: MjsBody, body: Body, origin_mm: Floats, copies: tuple[ContactCopy, ...]) -> None:
        """Add the geometry of a part to its body in the model, whose frame is unrotated at `origin_mm`."""
        for index, each in enumerate(body.geoms):
            geom = _hull(each) if self.boxes_as_hulls and isinstance(each, BoxGeom) else each
            name = f"{body.origin}-{body.label}-{index}"
            if isinstance(geom, HullGeom):
                self.add_hull(name, geom.vertices_mm, origin_mm)
            for number, copy in enumerate(copies):
                made = added.add_geom(mass=0.0, rgba=list(body.color_rgba))
                _set_shape(made, geom, name, origin_mm)
                self._set_contact(made, copy)
                is_displayed = number == 0 and body.surface is None
                made.group = PARTS_GROUP if is_displayed else COLLISION_GROUP
        if body.surface is not None:
            self._add_surface(added, body, _surface_file(body.surface, origin_mm))

    def add_hull(self, name: str, points_mm: Sequence[Vector], origin_mm: Floats | None = None) -> str:
        """Add a mesh of points, relative to an origin, whose hull MuJoCo computes; return its name."""
        origin = np.zeros(3) if origin_mm is None else origin_mm
        points_m = metres_of(np.array(points_mm) - origin)
        self._add_mesh(name, _msh(points_m, np.zeros((0, 3), dtype=np.int64)))
        return name

    def _set_contact(self, made: MjsGeom, copy: ContactCopy) -> None:
        made.contype, made.conaffinity = copy.contype, copy.conaffinity
        made.friction = [copy.friction, TORSION_M, ROLLING_M]
        made.condim = CONDIM
        made.solref = list(solref(copy.restitution, self.timing.stiffness_s, self.timing.step_s))
        made.solimp[:3] = [*SOLIMP[:2], copy.depth_m]
        made.solmix = SOLIMP[2] / copy.depth_m  # the harder side decides

    def _add_surface(self, added: MjsBody, body: Body, file: bytes) -> None:
        """Add a display surface as a body of its own, because distance sensors measure to all geoms of a body."""
        name = f"{body.origin}-{body.label}-surface"
        mesh = self._add_mesh(name, file)
        mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL  # it need not be closed
        displayed = added.add_body(name=f"picture:{body.label}")
        displayed.add_geom(
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


def _hull(box: BoxGeom) -> HullGeom:
    return HullGeom(vertices_mm=tuple((float(x), float(y), float(z)) for x, y, z in corners_of(box)))


def corners_of(box: BoxGeom) -> Floats:
    """Return (8, 3) the corners of a box in mm."""
    corners = np.array(list(product((-0.5, 0.5), repeat=3))) * box.size_mm
    return corners @ rotation_matrix(np.array(box.quaternion)).T + box.center_mm


def _set_shape(made: MjsGeom, geom: Geom, mesh: str, origin_mm: Floats) -> None:
    if isinstance(geom, HullGeom):
        made.type, made.meshname = mujoco.mjtGeom.mjGEOM_MESH, mesh
    else:
        made.type, made.size, made.quat = primitive(geom)
        made.pos = [float(length) for length in metres_of(np.array(geom.center_mm) - origin_mm)]


def primitive(geom: BoxGeom | CylinderGeom | SphereGeom) -> tuple[int, list[float], list[float]]:
    """Return MuJoCo's geom type, sizes in metres and quaternion (w first)."""
    match geom:
        case BoxGeom():
            return mujoco.mjtGeom.mjGEOM_BOX, [metres(edge) / 2 for edge in geom.size_mm], list(geom.quaternion)
        case CylinderGeom():
            size_m = [metres(geom.radius_mm), metres(geom.length_mm) / 2, 0.0]
            return mujoco.mjtGeom.mjGEOM_CYLINDER, size_m, list(geom.quaternion)
        case SphereGeom():
            return mujoco.mjtGeom.mjGEOM_SPHERE, [metres(geom.radius_mm), 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]


def unpack_surface(surface: Surface) -> tuple[Floats, NDArray[np.int64]]:
    """Return the vertices (n, 3) in millimetres and the triangles (m, 3) of a surface."""
    vertices_mm = np.frombuffer(surface.vertices_mm, "<f4").reshape(-1, 3).astype(np.float64)
    return vertices_mm, np.frombuffer(surface.triangles, "<i4").reshape(-1, 3).astype(np.int64)


def _surface_file(surface: Surface, origin_mm: Floats) -> bytes:
    """Return a surface, relative to an origin, as an MSH file."""
    vertices_mm, triangles = unpack_surface(surface)
    return _msh(metres_of(vertices_mm - origin_mm), triangles)


def _msh(points_m: Floats, triangles: NDArray[np.int64]) -> bytes:
    """Return a mesh in MuJoCo's MSH format: float32 and int32, little-endian."""
    normals = texture_points = 0
    header = pack("<4i", len(points_m), normals, texture_points, len(triangles))
    return header + points_m.astype("<f4").tobytes() + triangles.astype("<i4").tobytes()
