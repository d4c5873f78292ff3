"""Views of geometry on one sheet, for cells that show what they have built."""

from typing import Literal

import numpy as np
from contracts.events.rendering import Mesh, Meshes, View

from sim_worker.display_meshes import Indices
from sim_worker.media.camera import CameraView, closest_view, orthographic_view
from sim_worker.media.canvas import FINE, Brush, Canvas, Picture
from sim_worker.media.display_model import add_paper, add_shell, lit_spec
from sim_worker.media.images import tiled
from sim_worker.mujoco_api import MjData, MjModel, mujoco
from sim_worker.units import Floats, metres_of, millimetres

Reason = Literal["meshes_invalid", "nothing_to_see", "too_large"]

MAX_TRIANGLES = 300_000
MAX_MESHES = 300
MIN_VERTICES = 4
"""Of a mesh in MuJoCo, though a triangle has three."""
COLUMNS = 2
GRID = (0.80, 0.82, 0.86, 1.0)
GRID_LINES = 12
DIRECTIONS_DEG: dict[View, tuple[float, float]] = {
    "iso": (125.0, -30.0),
    "front": (90.0, 0.0),
    "back": (-90.0, 0.0),
    "left": (0.0, 0.0),
    "right": (180.0, 0.0),
    "top": (90.0, -89.99),
    "bottom": (90.0, 89.99),
}
"""Azimuth and elevation of the look; straight down, the camera's upward direction would be undefined."""


class NotDrawableError(Exception):
    """The geometry cannot be drawn; the handlers turn this into an outcome."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason: Reason = reason


def draw_view_sheet(meshes: Meshes, views: tuple[View, ...], width: int, height: int) -> Picture:
    """Return one sheet, two views to a row, each `width` x `height` pixels with its name in a corner.

    Raises `NotDrawableError`.
    """
    visible = _visible_meshes(meshes)
    corners_m = np.concatenate([points for _, points, _ in visible])
    model = _build_model(visible, corners_m, width, height)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    with Canvas(model, width, height, FINE) as canvas:
        pictures = [_draw_view(canvas, data, corners_m, view, width / height) for view in views]
    return tiled(pictures, COLUMNS)


def _visible_meshes(meshes: Meshes) -> list[tuple[Mesh, Floats, Indices]]:
    """Return the meshes that have a surface, with points (n, 3) in metres and triangles (k, 3)."""
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
        raise NotDrawableError("nothing_to_see", "nothing in it has a surface: show a solid that has a volume")
    return visible


def _arrays(mesh: Mesh) -> tuple[Floats, Indices]:
    points = metres_of(np.array(mesh.vertices_mm, dtype=np.float64).reshape(-1, 3))
    triangles: Indices = np.array(mesh.triangles, dtype=np.int64)
    if triangles.max() >= len(points) or not np.isfinite(points).all():
        raise NotDrawableError("meshes_invalid", f"the mesh of {mesh.label!r} names vertices that it does not have")
    if len(points) < MIN_VERTICES:
        points = np.concatenate([points, np.repeat(points[-1:], MIN_VERTICES - len(points), axis=0)])
    return points, triangles


def _area(points: Floats, triangles: Indices) -> float:
    """Return twice the area."""
    first, second, third = (points[triangles[:, corner]] for corner in range(3))
    return float(np.linalg.norm(np.cross(second - first, third - first), axis=1).sum())


def _build_model(visible: list[tuple[Mesh, Floats, Indices]], corners_m: Floats, width: int, height: int) -> MjModel:
    spec = lit_spec(width, height, ambient=[0.42, 0.42, 0.44], diffuse=[0.5, 0.5, 0.5], specular=[0.08, 0.08, 0.08])
    spec.visual.map.znear, spec.visual.map.zfar = 0.05, 50.0
    low, high = corners_m.min(axis=0), corners_m.max(axis=0)
    spec.stat.center, spec.stat.extent = (low + high) / 2, float(np.linalg.norm(high - low))
    add_paper(spec)
    for mesh, points, triangles in visible:
        add_shell(spec, spec.worldbody, points, triangles, rgba=list(mesh.color_rgba))
    try:
        return spec.compile()
    except ValueError as error:
        raise NotDrawableError("meshes_invalid", f"MuJoCo cannot read a mesh: {error}") from error


def _draw_view(canvas: Canvas, data: MjData, corners_m: Floats, name: View, aspect: float) -> Picture:
    """Draw one view: oblique with perspective, along an axis without it, over a grid whose spacing it names."""
    if name == "iso":
        return canvas.draw(data, closest_view(corners_m, *DIRECTIONS_DEG[name], aspect), _no_decoration, name)
    view = orthographic_view(corners_m, *DIRECTIONS_DEG[name], aspect)
    assert view.height_m is not None
    grid_m = grid_spacing_m(view.height_m)
    caption = f"{name}, grid {millimetres(grid_m):g} mm"
    return canvas.draw(data, view, lambda brush: draw_grid(brush, view, corners_m, grid_m, aspect), caption)


def grid_spacing_m(height_m: float) -> float:
    """Return a spacing of 1, 2 or 5 times a power of ten that gives 5 to 12 lines over a height."""
    power = 10.0 ** np.floor(np.log10(height_m / GRID_LINES))
    return float(next(each * power for each in (1, 2, 5, 10) if each * power * GRID_LINES >= height_m * 0.999))


def draw_grid(brush: Brush, view: CameraView, corners_m: Floats, grid_m: float, aspect: float) -> None:
    """Draw lines at whole multiples of the spacing, in world coordinates, behind everything."""
    assert view.height_m is not None
    right, up = view.axes
    behind = view.forward * float(((corners_m - view.target_m) @ view.forward).max() + grid_m)
    half = np.array([view.height_m * aspect / 2, view.height_m / 2])
    center = np.array([view.target_m @ right, view.target_m @ up])
    depth = behind + view.forward * float(view.target_m @ view.forward)
    low, high = center - half, center + half
    for axis, across, line, other in ((right, up, 0, 1), (up, right, 1, 0)):
        for number in range(int(np.ceil(low[line] / grid_m)), int(np.floor(high[line] / grid_m)) + 1):
            at = depth + axis * number * grid_m
            brush.edge(at + across * low[other], at + across * high[other], GRID)


def _no_decoration(_: Brush) -> None:
    """Draw the meshes alone."""
