"""Where to look from: near enough to fill the picture, and where most of the payload's way can be seen."""

from dataclasses import dataclass
from math import cos, radians, sin, tan

import numpy as np

from sim_worker.model import FORBID_GROUP, PARTS_GROUP
from sim_worker.mujoco_api import MjData, MjModel, mujoco
from sim_worker.names import PAYLOAD
from sim_worker.units import Floats

FOV_DEG = 40.0
MARGIN = 1.08
ELEVATIONS_DEG = (-24.0, -38.0)
TURNS_DEG = (-50.0, -25.0, 25.0, 50.0, 130.0, 155.0, 205.0, 230.0)
"""Relative to looking straight at the side of the payload's way; oblique views show depth."""
PROBES = 24
CENTRINGS = 6


@dataclass(frozen=True)
class View:
    """A camera that turns round a target."""

    target_m: Floats
    """(3,)"""
    distance_m: float
    azimuth_deg: float
    elevation_deg: float

    @property
    def forward(self) -> Floats:
        """Unit vector (3,) from the camera to its target."""
        azimuth, elevation = radians(self.azimuth_deg), radians(self.elevation_deg)
        return np.array([cos(elevation) * cos(azimuth), cos(elevation) * sin(azimuth), sin(elevation)])

    @property
    def eye_m(self) -> Floats:
        """Place (3,) of the camera."""
        eye: Floats = self.target_m - self.distance_m * self.forward
        return eye


def best_view(model: MjModel, data: MjData, corners_m: Floats, way_m: Floats, aspect: float) -> View:
    """Return the view that sees most of the way (n, 3), with all corners (k, 3) in the picture."""
    across = way_m[-1] - way_m[0]
    side_deg = float(np.degrees(np.arctan2(across[1], across[0]))) + 90.0
    probes = way_m[np.linspace(0, len(way_m) - 1, min(PROBES, len(way_m))).astype(int)]
    views = [
        framed(corners_m, side_deg + turn_deg, elevation_deg, aspect)
        for elevation_deg in ELEVATIONS_DEG
        for turn_deg in TURNS_DEG
    ]
    return max(views, key=lambda view: _visible(model, data, view, probes))


def framed(corners_m: Floats, azimuth_deg: float, elevation_deg: float, aspect: float) -> View:
    """Return the nearest view in that direction that shows all corners, with as much room on either side."""
    target_m: Floats = (corners_m.min(axis=0) + corners_m.max(axis=0)) / 2
    forward = View(target_m, 1.0, azimuth_deg, elevation_deg).forward
    right = np.array([sin(radians(azimuth_deg)), -cos(radians(azimuth_deg)), 0.0])
    up = np.cross(right, forward)
    half_height = tan(radians(FOV_DEG / 2)) / MARGIN
    distance_m = 0.0
    for _ in range(CENTRINGS):
        away_m = corners_m - target_m
        nearness_m = away_m @ forward
        needed_m = np.maximum(np.abs(away_m @ up) / half_height, np.abs(away_m @ right) / (half_height * aspect))
        distance_m = float((needed_m - nearness_m).max())
        depth_m = nearness_m + distance_m
        for axis in (right, up):
            seen = (away_m @ axis) / depth_m
            target_m = target_m + axis * (seen.min() + seen.max()) / 2 * distance_m
    return View(target_m, distance_m, azimuth_deg, elevation_deg)


def _visible(model: MjModel, data: MjData, view: View, probes_m: Floats) -> int:
    """Return how well the places (n, 3) can be seen: 2 for each in plain view, 1 through a forbid zone."""
    solid, solid_or_forbid = np.zeros(6, np.uint8), np.zeros(6, np.uint8)
    solid[PARTS_GROUP] = solid_or_forbid[PARTS_GROUP] = solid_or_forbid[FORBID_GROUP] = 1
    payload = model.body(PAYLOAD).id
    hit, score = np.zeros(1, np.int32), 0
    for probe_m in probes_m:
        ray = probe_m - view.eye_m
        length_m = float(np.linalg.norm(ray))
        for groups in (solid, solid_or_forbid):
            stop_m = mujoco.mj_ray(model, data, view.eye_m, ray / length_m, groups, 1, payload, hit, None)
            score += stop_m < 0 or stop_m >= length_m
    return score
