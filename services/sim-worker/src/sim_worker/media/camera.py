"""Camera views: close enough to fill the picture, from where most of the payload's path is visible."""

from dataclasses import dataclass, replace
from math import cos, radians, sin, tan

import numpy as np
from contracts.models.geometry import Box
from contracts.models.scene import Scene

from sim_worker.display_meshes import extreme_points_m
from sim_worker.media.motion import Motion
from sim_worker.mujoco_api import MjData, MjModel, mujoco
from sim_worker.names import FORBID_GROUP, PARTS_GROUP, PAYLOAD
from sim_worker.rotations import rotation_matrix
from sim_worker.units import Floats, metres, metres_each

FOV_DEG = 40.0
MARGIN = 1.08
ORTHOGRAPHIC_MARGIN = 1.2
"""Leaves a strip for the name of the view and its grid."""
ELEVATIONS_DEG = (-24.0, -38.0)
AZIMUTHS_DEG = (-50.0, -25.0, 25.0, 50.0, 130.0, 155.0, 205.0, 230.0)
"""Relative to a look straight at the side of the payload's path; oblique views show depth."""
TURNS_DEG = (30.0, -30.0, 60.0, -60.0, 90.0, -90.0, 130.0, -130.0, 180.0)
STEEP_DEG = (-45.0, -60.0, -75.0)
"""Turns and elevations of the camera for a moment at which the usual view does not see the payload."""
PROBED = ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))
SEEN_AT, LEAST_SEEN = 0.7, 2
"""Of the payload at one moment: points at this share of its radius, and how many of the five must be seen."""
PROBES = 24
CENTRINGS = 6
LOST_M = 0.1
"""A lost payload or part stays in the picture up to this distance from the build zone."""
POSES = 12
"""Of the run, at which everything that moves must be in the picture."""


@dataclass(frozen=True)
class CameraView:
    """A camera on an orbit around a target."""

    target_m: Floats
    """(3,)"""
    distance_m: float
    azimuth_deg: float
    elevation_deg: float
    height_m: float | None = None
    """Height of the picture in the world, if the view is orthographic."""

    @property
    def forward(self) -> Floats:
        """Unit vector (3,) from the camera to its target."""
        azimuth, elevation = radians(self.azimuth_deg), radians(self.elevation_deg)
        return np.array([cos(elevation) * cos(azimuth), cos(elevation) * sin(azimuth), sin(elevation)])

    @property
    def axes(self) -> tuple[Floats, Floats]:
        """Unit vectors (3,) to the right and upwards in the picture."""
        azimuth = radians(self.azimuth_deg)
        right = np.array([sin(azimuth), -cos(azimuth), 0.0])
        return right, np.cross(right, self.forward)

    @property
    def eye_m(self) -> Floats:
        """Position (3,) of the camera."""
        eye: Floats = self.target_m - self.distance_m * self.forward
        return eye

    def pixel(self, point_m: Floats, width_px: int, height_px: int) -> tuple[float, float]:
        """Return where a perspective picture shows a point, from its upper left corner."""
        offset_m = point_m - self.eye_m
        right, up = self.axes
        half_height_m = float(offset_m @ self.forward) * tan(radians(FOV_DEG / 2))
        half_px = height_px / 2
        across, upwards = float(offset_m @ right) / half_height_m, float(offset_m @ up) / half_height_m
        return width_px / 2 + half_px * across, half_px - half_px * upwards


class SceneExtents:
    """Extents of a scene and its motion that a camera must cover."""

    def __init__(self, scene: Scene, motion: Motion) -> None:
        self._scene, self._motion = scene, motion
        self._extremes = {body.label: extreme_points_m(body) for body in scene.bodies}

    @property
    def lowest_m(self) -> float:
        """Height of the lowest body at the start."""
        zones = (self._scene.build_zone, self._scene.goal_zone)
        lowest = [float(points[:, 2].min()) for points in self._extremes.values()]
        return min(lowest, default=metres(min(zone.min_mm[2] for zone in zones)))

    def machine_m(self) -> Floats | None:
        """Return points (n, 3) around the machine at its start; None without one."""
        parts = [self._extremes[body.label] for body in self._scene.bodies if body.origin == "design"]
        return np.concatenate(parts) if parts else None

    def corners_m(self) -> Floats:
        """Return points (n, 3) around everything that must be in the picture: machine, zones and all paths."""
        zone = self._scene.build_zone
        low, high = np.array(metres_each(zone.min_mm)) - LOST_M, np.array(metres_each(zone.max_mm)) + LOST_M
        machine = [
            np.clip(self._path_of_extremes_m(body.label), low, high)
            for body in self._scene.bodies
            if body.origin == "design"
        ]
        boxes = [self._scene.goal_zone, *(forbid.box for forbid in self._scene.forbid_zones)]
        zones = [box_corners_m(box) for box in (boxes if machine else [*boxes, zone])]
        paths = [np.clip(track.position_m, low, high) for track in self._motion.payloads]
        return np.concatenate([*machine, *zones, *paths])

    def _path_of_extremes_m(self, label: str) -> Floats:
        """Return the extreme points (n, 3) of a part; if it moves, at several times."""
        points, track = self._extremes[label], self._motion.bodies.get(label)
        if track is None:
            return points
        samples = np.unique(np.linspace(0, len(self._motion.time_s) - 1, POSES).astype(int))
        rotations = (rotation_matrix(track.quaternion[sample]) for sample in samples)
        moved = [
            (points - track.start_m) @ rotation.T + track.position_m[sample]
            for sample, rotation in zip(samples, rotations, strict=True)
        ]
        return np.concatenate(moved)


def box_corners_m(box: Box) -> Floats:
    """Return the corners (8, 3) of a box."""
    (x0, y0, z0), (x1, y1, z1) = metres_each(box.min_mm), metres_each(box.max_mm)
    return np.array([(x, y, z) for x in (x0, x1) for y in (y0, y1) for z in (z0, z1)])


def best_view(model: MjModel, data: MjData, corners_m: Floats, path_m: Floats, aspect: float) -> CameraView:
    """Return the view that sees most of the path (n, 3), with all corners (k, 3) in the picture."""
    across = path_m[-1] - path_m[0]
    side_deg = float(np.degrees(np.arctan2(across[1], across[0]))) + 90.0
    probes = path_m[np.linspace(0, len(path_m) - 1, min(PROBES, len(path_m))).astype(int)]
    views = [
        closest_view(corners_m, side_deg + azimuth_deg, elevation_deg, aspect)
        for elevation_deg in ELEVATIONS_DEG
        for azimuth_deg in AZIMUTHS_DEG
    ]
    return max(views, key=lambda view: _visibility(model, data, view, probes))


def view_of_moment(model: MjModel, data: MjData, usual: CameraView, corners_m: Floats, aspect: float) -> CameraView:
    """Return the usual view if it sees the payload in the present pose, or the one nearest to it that does.

    Return the usual view, too, if none sees the payload, which is then covered on all sides.
    """
    if sees_payload(model, data, usual):
        return usual
    turns_deg = sorted(TURNS_DEG, key=abs)
    others = (
        closest_view(corners_m, usual.azimuth_deg + turn_deg, elevation_deg, aspect)
        for elevation_deg in (usual.elevation_deg, *STEEP_DEG)
        for turn_deg in turns_deg
    )
    return next((view for view in others if sees_payload(model, data, view)), usual)


def orthographic_view(corners_m: Floats, azimuth_deg: float, elevation_deg: float, aspect: float) -> CameraView:
    """Return the closest centred view without perspective that shows all corners."""
    target_m: Floats = (corners_m.min(axis=0) + corners_m.max(axis=0)) / 2
    view = CameraView(target_m, 2 * float(np.linalg.norm(np.ptp(corners_m, axis=0))), azimuth_deg, elevation_deg)
    right, up = ((corners_m - target_m) @ axis for axis in view.axes)
    height_m = 2 * ORTHOGRAPHIC_MARGIN * max(float(np.abs(up).max()), float(np.abs(right).max()) / aspect)
    return replace(view, height_m=height_m)


def closest_view(corners_m: Floats, azimuth_deg: float, elevation_deg: float, aspect: float) -> CameraView:
    """Return the closest centred view in a direction that shows all corners."""
    target_m: Floats = (corners_m.min(axis=0) + corners_m.max(axis=0)) / 2
    forward = CameraView(target_m, 1.0, azimuth_deg, elevation_deg).forward
    right = np.array([sin(radians(azimuth_deg)), -cos(radians(azimuth_deg)), 0.0])
    up = np.cross(right, forward)
    half_height = tan(radians(FOV_DEG / 2)) / MARGIN
    distance_m = 0.0
    for _ in range(CENTRINGS):
        offsets_m = corners_m - target_m
        forward_m = offsets_m @ forward
        needed_m = np.maximum(np.abs(offsets_m @ up) / half_height, np.abs(offsets_m @ right) / (half_height * aspect))
        distance_m = float((needed_m - forward_m).max())
        depth_m = forward_m + distance_m
        for axis in (right, up):
            projected = (offsets_m @ axis) / depth_m
            target_m = target_m + axis * (projected.min() + projected.max()) / 2 * distance_m
    return CameraView(target_m, distance_m, azimuth_deg, elevation_deg)


def sees_payload(model: MjModel, data: MjData, view: CameraView) -> bool:
    """Return whether a good part of the payload is seen in its present pose."""
    center_m, radius_m = np.array(data.body(PAYLOAD).xpos), float(model.geom(PAYLOAD).size[0])
    right, up = view.axes
    probes_m = np.array([center_m + SEEN_AT * radius_m * (x * right + y * up) for x, y in PROBED])
    return _visibility(model, data, view, probes_m) >= 2 * LEAST_SEEN


def _visibility(model: MjModel, data: MjData, view: CameraView, probes_m: Floats) -> int:
    """Return a score of how visible points (n, 3) are: 2 for each in plain view, 1 through a forbid zone."""
    solid, solid_or_forbid = np.zeros(6, np.uint8), np.zeros(6, np.uint8)
    solid[PARTS_GROUP] = solid_or_forbid[PARTS_GROUP] = solid_or_forbid[FORBID_GROUP] = 1
    payload = model.body(PAYLOAD).id
    hit, score = np.zeros(1, np.int32), 0
    for probe_m in probes_m:
        ray = probe_m - view.eye_m
        length_m = float(np.linalg.norm(ray))
        for groups in (solid, solid_or_forbid):
            hit_m = mujoco.mj_ray(model, data, view.eye_m, ray / length_m, groups, 1, payload, hit, None)
            score += hit_m < 0 or hit_m >= length_m
    return score
