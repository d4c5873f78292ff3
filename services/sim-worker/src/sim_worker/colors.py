"""Colours of payload, trail and zones, the same in MJCF, video, poster and GLB. Bodies bring their own, by material."""

Rgba = tuple[float, float, float, float]

PAYLOAD: Rgba = (0.96, 0.45, 0.08, 1.0)
TRAIL: Rgba = (0.98, 0.62, 0.16, 1.0)
GOAL: Rgba = (0.10, 0.75, 0.30, 0.16)
FORBID: Rgba = (0.90, 0.12, 0.14, 0.18)
BUILD: Rgba = (0.25, 0.50, 0.95, 0.07)
GOAL_EDGES: Rgba = (*GOAL[:3], 0.8)
FORBID_EDGES: Rgba = (*FORBID[:3], 0.8)
BUILD_EDGES: Rgba = (*BUILD[:3], 0.35)
