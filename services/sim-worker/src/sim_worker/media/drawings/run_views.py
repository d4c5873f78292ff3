"""Front, right and top view of a run on one sheet at one scale: machine, payload's path, zones, rulers and a grid.

The views lie as on an engineering drawing in third angle: the top view above the front view, the right view beside it,
so that what belongs together is in line.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from contracts.models.scene import Scene
from PIL import Image, ImageDraw

from sim_worker.media.camera import CameraView, SceneExtents, box_corners_m
from sim_worker.media.canvas import FINE, Brush, Canvas, Picture
from sim_worker.media.display_model import build_drawing_model, set_pose
from sim_worker.media.drawings import legend
from sim_worker.media.drawings.captions import INK, PAPER, font
from sim_worker.media.drawings.view_plane import Overlay, ViewPlane
from sim_worker.media.motion import Motion, PoseTrack
from sim_worker.media.view_sheet import DIRECTIONS_DEG, draw_grid, grid_spacing_m
from sim_worker.mujoco_api import MjData, mujoco
from sim_worker.names import PARTS_GROUP
from sim_worker.payload_shape import PayloadOutline
from sim_worker.rotations import rotation_matrix
from sim_worker.units import Floats, millimetres

Name: TypeAlias = Literal["front", "right", "top"]
AXES: dict[Name, tuple[int, int]] = {"front": (0, 2), "right": (1, 2), "top": (0, 1)}
"""Of the world, to the right and upwards in each view."""
AXIS_NAMES = "xyz"
WIDTH_PX, HEIGHT_PX = 1024, 900
"""Of the views together, at most: agents see pictures of up to 1024 pixels."""
LEFT_PX, BELOW_PX, ABOVE_PX, BESIDE_PX = 46, 34, 24, 14
"""Around each view, for its ruler and name."""
LEAST_PX = 120
"""Of a view in each direction."""
RESERVE = 1.06
"""Of the extents around what is drawn."""
TEXT_PX = 13
"""Size of letters."""
MAX_DOTS = 12
DOT_STEPS_S = (0.05, 0.1, 0.2, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0)
"""Between dots on the path."""
FRAME = (150, 155, 165)
CIRCLE_POINTS = 24


@dataclass(frozen=True)
class RunViews:
    """The sheet, and in words what it shows."""

    picture: Picture
    description: str


class RunViewSheet:
    """Draws the views of one run."""

    def __init__(self, scene: Scene, motion: Motion) -> None:
        self._scene, self._motion = scene, motion
        corners_m = np.concatenate([SceneExtents(scene, motion).corners_m(), box_corners_m(scene.build_zone)])
        low_m, high_m = corners_m.min(axis=0), corners_m.max(axis=0)
        self.center_m: Floats = (low_m + high_m) / 2
        """Of what is drawn, (3,)."""
        self.size_m: Floats = RESERVE * np.maximum(high_m - low_m, 1e-3)
        """Along x, y and z."""
        x, y, z = self.size_m
        across = (WIDTH_PX - 2 * (LEFT_PX + BESIDE_PX)) / (x + y)
        upwards = (HEIGHT_PX - 2 * (ABOVE_PX + BELOW_PX)) / (y + z)
        self.px_per_m = float(min(across, upwards))
        self._grid_m = grid_spacing_m(float(max(x, y, z)))
        self._dots_s = next((each for each in DOT_STEPS_S if self._duration_s / each <= MAX_DOTS), DOT_STEPS_S[-1])

    def draw(self) -> RunViews:
        """Return the sheet."""
        sizes = {name: self._size_px(name) for name in AXES}
        width, height = (max(size[edge] for size in sizes.values()) for edge in range(2))
        model = build_drawing_model(self._scene, self._motion, width, height)
        data = mujoco.MjData(model)
        set_pose(model, data, self._motion, len(self._motion.time_s) - 1)
        with Canvas(model, width, height, FINE) as canvas:
            views: dict[Name, Picture] = {
                name: self._view(canvas, data, name, (width, height), sizes[name]) for name in AXES
            }
        return RunViews(self._sheet(views), self._description())

    @property
    def _duration_s(self) -> float:
        return float(self._motion.time_s[-1] - self._motion.time_s[0])

    def _size_px(self, name: Name) -> tuple[int, int]:
        width, height = (max(LEAST_PX, round(self.size_m[axis] * self.px_per_m)) for axis in AXES[name])
        return width, height

    def _view(self, canvas: Canvas, data: MjData, name: Name, drawn: tuple[int, int], size: tuple[int, int]) -> Picture:
        """Draw one view, cut out of the middle of a canvas, with its overlay."""
        distance_m = 2 * float(np.linalg.norm(self.size_m))
        view = CameraView(self.center_m, distance_m, *DIRECTIONS_DEG[name], drawn[1] / self.px_per_m)
        corners_m = np.array([self.center_m + sign * self.size_m / 2 for sign in (-1, 1)])

        def decorate(brush: Brush) -> None:
            draw_grid(brush, view, corners_m, self._grid_m, drawn[0] / drawn[1])

        whole = canvas.draw(data, view, decorate)
        whole[canvas.outlines(data, view, PARTS_GROUP)] //= 3
        left, top = ((whole_px - own) // 2 for whole_px, own in zip(drawn, size, strict=True))
        cut = np.ascontiguousarray(whole[top : top + size[1], left : left + size[0]])
        overlay = Overlay(ViewPlane(view, *size, self.px_per_m), cut)
        self._draw_zones(overlay)
        self._draw_path(overlay)
        return overlay.picture

    def _draw_zones(self, overlay: Overlay) -> None:
        scene = self._scene
        left, top, right, bottom = overlay.plane.rectangle(scene.build_zone)
        outline = np.array([(left, top), (right, top), (right, bottom), (left, bottom), (left, top)])
        overlay.dashes(outline, legend.BUILD)
        zones = [(scene.goal_zone, legend.GOAL), *((each.box, legend.FORBID) for each in scene.forbid_zones)]
        for box, ink in zones:
            left, top, right, bottom = overlay.plane.rectangle(box)
            corners = np.array([(left, top), (right, top), (right, bottom), (left, bottom)])
            overlay.polygon(corners, (*ink[:3], legend.FILL_ALPHA), ink, 2.0)

    def _draw_path(self, overlay: Overlay) -> None:
        motion, plane = self._motion, overlay.plane
        for payload, track in zip(self._scene.payloads, motion.payloads, strict=True):
            outline, places = PayloadOutline.of(payload), plane.pixels(track.position_m)
            self._draw_payload(overlay, outline, track, 0, None)
            overlay.line(places, legend.PATH, 2.0)
            for time_s in np.arange(motion.time_s[0] + self._dots_s, motion.time_s[-1], self._dots_s):
                overlay.disc(places[motion.sample_at(float(time_s))], 3.0, legend.PAPER, legend.PATH, 1.5)
            self._draw_payload(overlay, outline, track, len(places) - 1, (*legend.PATH[:3], 110))

    def _draw_payload(
        self,
        overlay: Overlay,
        outline: PayloadOutline,
        track: PoseTrack,
        sample: int,
        fill: tuple[int, int, int, int] | None,
    ) -> None:
        """Draw the outline of a payload at a sample."""
        corners_m = outline.corners_m @ rotation_matrix(track.quaternion[sample]).T + track.position_m[sample]
        places, radius_px = overlay.plane.pixels(corners_m), outline.rounding_m * overlay.plane.px_per_m
        if len(places) == 1:
            overlay.disc(places[0], radius_px, fill, legend.PATH, 2.0)
        else:
            overlay.polygon(_hull(_grown(places, radius_px)), fill, legend.PATH, 2.0)

    def _sheet(self, views: dict[Name, Picture]) -> Picture:
        """Lay the views out: the top view above, below it front and right view, and the legend at the bottom."""
        left, right = (views[name].shape[1] for name in ("front", "right"))
        upper, lower = (views[name].shape[0] for name in ("top", "front"))
        column = LEFT_PX + left + BESIDE_PX
        row = ABOVE_PX + upper + BELOW_PX
        width = column + LEFT_PX + right + BESIDE_PX
        words = legend.lines(self._scene, self._grid_text(), self._moment_text(), width - 2 * BESIDE_PX, TEXT_PX)
        height = row + ABOVE_PX + lower + BELOW_PX
        sheet = Image.new("RGB", (width, height + legend.height_px(words, TEXT_PX)), PAPER)
        places: dict[Name, tuple[int, int]] = {
            "top": (LEFT_PX, ABOVE_PX),
            "front": (LEFT_PX, row + ABOVE_PX),
            "right": (column + LEFT_PX, row + ABOVE_PX),
        }
        for name, place in places.items():
            self._place(sheet, views[name], name, place)
        legend.draw(sheet, words, BESIDE_PX, height, TEXT_PX)
        return np.asarray(sheet)

    def _place(self, sheet: Image.Image, view: Picture, name: Name, place: tuple[int, int]) -> None:
        """Paste a view with its frame, its name above it and rulers on its left and below it."""
        (left, top), (height, width) = place, view.shape[:2]
        sheet.paste(Image.fromarray(view), place)
        draw = ImageDraw.Draw(sheet)
        draw.rectangle((left - 1, top - 1, left + width, top + height), outline=FRAME)
        draw.text((left, top - ABOVE_PX + 4), name, INK, font(TEXT_PX + 2))
        across, upwards = AXES[name]
        for at, value in self._ticks(across, width):
            draw.line((left + at, top + height, left + at, top + height + 4), INK)
            draw.text((left + at, top + height + 6), value, INK, font(TEXT_PX - 2), anchor="mt")
        for at, value in self._ticks(upwards, height):
            y = top + height - at
            draw.line((left - 5, y, left - 1, y), INK)
            draw.text((left - 7, y), value, INK, font(TEXT_PX - 2), anchor="rm")
        end = (left + width, top + height + 20)
        draw.text(end, f"{AXIS_NAMES[across]} in mm", INK, font(TEXT_PX - 1), anchor="rt")
        draw.text((left - LEFT_PX + 4, top - ABOVE_PX + 5), f"{AXIS_NAMES[upwards]}", INK, font(TEXT_PX))

    def _ticks(self, axis: int, length_px: int) -> list[tuple[float, str]]:
        """Return the places of the grid's lines along an axis, from its low end, with their coordinates in mm."""
        low_m = self.center_m[axis] - length_px / 2 / self.px_per_m
        first, last = (
            int(np.ceil(low_m / self._grid_m)),
            int(np.floor((low_m + length_px / self.px_per_m) / self._grid_m)),
        )
        return [
            ((number * self._grid_m - low_m) * self.px_per_m, f"{millimetres(number * self._grid_m):.6g}")
            for number in range(first, last + 1)
        ]

    def _grid_text(self) -> str:
        return f"grid {millimetres(self._grid_m):g} mm"

    def _moment_text(self) -> str:
        start_s, end_s = float(self._motion.time_s[0]), float(self._motion.time_s[-1])
        span = f"{start_s:.2f} s to {end_s:.2f} s, a dot every {self._dots_s:g} s"
        return f"{span}, hollow at the start; the machine at the end"

    def _description(self) -> str:
        """Return what the sheet shows, for a model that looks at it."""
        return (
            "Orthographic views at one scale in third angle: top (x right, y up) above front (x right, z up), and "
            f"right (y right, z up) beside it; rulers in mm, {self._grid_text()}. Orange: outline and path of the "
            f"payload, {self._moment_text()}. Green: goal zone. Red: forbid zones. Dashed blue: build zone. Grey, "
            "translucent: environment."
        )


def _grown(places: Floats, radius_px: float) -> Floats:
    """Return points (n, 2) on circles around places, whose hull is that of the places grown by a radius."""
    if not radius_px:
        return places
    turns = np.linspace(0.0, 2 * np.pi, CIRCLE_POINTS, endpoint=False)
    circle = radius_px * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    return (places[:, None] + circle).reshape(-1, 2)


def _hull(places: Floats) -> Floats:
    """Return the convex hull (k, 2) of places (n, 2), in order around it."""
    ordered = places[np.lexsort((places[:, 1], places[:, 0]))]
    return np.array([*_half_hull(ordered)[:-1], *_half_hull(ordered[::-1])[:-1]])


def _half_hull(ordered: Floats) -> list[Floats]:
    half: list[Floats] = []
    for place in ordered:
        while len(half) > 1 and np.linalg.det(np.array([half[-1] - half[-2], place - half[-1]])) <= 0:
            half.pop()
        half.append(place)
    return half
