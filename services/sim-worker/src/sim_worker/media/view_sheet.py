"""Geometry on a sheet of views, for a cell that wants to see what it has built."""

from typing import Literal

import numpy as np
from contracts.events.rendering import Mesh, Meshes, View
from numpy.typing import NDArray

from sim_worker.media.camera import FOV_DEG, framed
from sim_worker.media.canvas import Brush, Canvas, Picture
from sim_worker.mujoco_api import MjModel, MjSpec, mujoco
from sim_worker.units import MM_PER_M, Floats

Reason = Literal["meshes_invalid", "nothing_to_see", "too_large"]
Indices = NDArray[np.int32]

MAX_TRIANGLES = 300_000
MAX_MESHES = 300
MIN_VERTICES = 4
"""MuJoCo takes no fewer, though a triangle has three."""
COLUMNS = 2
PAPER = (0.95, 0.96, 0.98)
DIRECTIONS_DEG: dict[View, tuple[float, float]] = {
    "iso": (125.0, -30.0),
    "front": (90.0, 0.0),
    "back": (-90.0, 0.0),
    "left": (0.0, 0.0),
    "right": (180.0, 0.0),
    "top": (90.0, -89.99),
    "bottom": (90.0, 89.99),
}
"""Azimuth and elevation of the look; straight down the camera would not know what is up."""


class NotDrawableError(Exception):
    """The geometry cannot be drawn; the handlers make an outcome of it."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason: Reason = reason


def photograph(meshes: Meshes, views: tuple[View, ...], width: int, height: int) -> Picture:
    """Return one sheet, two views to a row, each `width` x `height` pixels with its name in a corner.

    Raises `NotDrawableError`.
    """
    shown = _readable(meshes)
    corners_m = np.concatenate([corners for _, corners, _ in shown])
    model = _model(shown, width, height)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    with Canvas(model, width, height, is_fine=True) as canvas:
        fields = [
            canvas.draw(data, framed(corners_m, *DIRECTIONS_DEG[view], width / height), _nothing_more, view)
            for view in views
        ]
    return _sheet(fields)


def _readable(meshes: Meshes) -> list[tuple[Mesh, Floats, Indices]]:
    """Return the meshes that have a surface, with vertices (n, 3) in metres and triangles (k, 3)."""
    triangles = sum(len(mesh.triangles) for mesh in meshes.meshes)
    if triangles > MAX_TRIANGLES or len(meshes.meshes) > MAX_MESHES:
        raise NotDrawableError(
            "too_large",
            f"{len(meshes.meshes)} solids of {triangles} triangles together; "
            f"at most {MAX_MESHES} and {MAX_TRIANGLES} can be drawn, show parts of it",
        )
    read = [(mesh, *_arrays(mesh)) for mesh in meshes.meshes if mesh.triangles]
    visible = [each for each in read if _area(each[1], each[2]) > 0]
    if not visible:
        raise NotDrawableError("nothing_to_see", "there is no surface in it: show a solid that has a volume")
    return visible


def _arrays(mesh: Mesh) -> tuple[Floats, Indices]:
    places: Floats = np.array(mesh.vertices_mm, dtype=np.float64).reshape(-1, 3) / MM_PER_M
    triangles: Indices = np.array(mesh.triangles, dtype=np.int32)
    if triangles.max() >= len(places) or not np.isfinite(places).all():
        raise NotDrawableError("meshes_invalid", f"the mesh of {mesh.label!r} names vertices that it does not have")
    if len(places) < MIN_VERTICES:
        places = np.concatenate([places, np.repeat(places[-1:], MIN_VERTICES - len(places), axis=0)])
    return places, triangles


def _area(places: Floats, triangles: Indices) -> float:
    first, second, third = (places[triangles[:, corner]] for corner in range(3))
    return float(np.linalg.norm(np.cross(second - first, third - first), axis=1).sum())


def _model(shown: list[tuple[Mesh, Floats, Indices]], width: int, height: int) -> MjModel:
    spec = mujoco.MjSpec()
    spec.visual.global_.offwidth, spec.visual.global_.offheight = width, height
    spec.visual.global_.fovy = FOV_DEG
    spec.visual.headlight.ambient = [0.42, 0.42, 0.44]
    spec.visual.headlight.diffuse = [0.5, 0.5, 0.5]
    spec.visual.headlight.specular = [0.08, 0.08, 0.08]
    spec.visual.map.znear, spec.visual.map.zfar = 0.05, 50.0
    places = np.concatenate([corners for _, corners, _ in shown])
    low, high = places.min(axis=0), places.max(axis=0)
    spec.stat.center, spec.stat.extent = (low + high) / 2, float(np.linalg.norm(high - low))
    _add_paper(spec)
    for number, (mesh, corners, triangles) in enumerate(shown):
        _add_mesh(spec, f"mesh-{number}", mesh, corners, triangles)
    try:
        return spec.compile()
    except ValueError as error:
        raise NotDrawableError("meshes_invalid", f"MuJoCo cannot read a mesh: {error}") from error


def _add_paper(spec: MjSpec) -> None:
    spec.add_texture(
        name="paper",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_FLAT,
        rgb1=PAPER,
        rgb2=PAPER,
        width=16,
        height=96,
    )


def _add_mesh(spec: MjSpec, name: str, mesh: Mesh, corners: Floats, triangles: Indices) -> None:
    """Add it as a shell: what is flat, open or inside out can be seen as well."""
    spec.add_mesh(
        name=name,
        uservert=corners.flatten().tolist(),
        userface=triangles.flatten().tolist(),
        inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
    )
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_MESH,
        meshname=name,
        rgba=list(mesh.color_rgba),
        contype=0,
        conaffinity=0,
    )


def _nothing_more(_: Brush) -> None:
    """Draw nothing beside the meshes."""


def _sheet(fields: list[Picture]) -> Picture:
    """Put the views in rows; what is left of the last row stays white."""
    columns = min(COLUMNS, len(fields))
    fields = fields + [np.full_like(fields[0], 255)] * (-len(fields) % columns)
    rows = [np.concatenate(fields[start : start + columns], axis=1) for start in range(0, len(fields), columns)]
    sheet: Picture = np.concatenate(rows, axis=0)
    return sheet
