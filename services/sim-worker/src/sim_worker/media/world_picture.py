"""The picture of a world without a machine: solids, zones, the payload's start, and where it goes by itself."""

from sim_worker.media.film import SceneRenderer, VideoFormat
from sim_worker.media.motion import Motion
from sim_worker.world_check import CheckedWorld

FORMAT = VideoFormat(width=960, height=720)


def draw_world(checked: CheckedWorld) -> bytes:
    """Return a PNG: the payload at its end, and paler ones along its way from the start."""
    motion = Motion.of(checked.trajectory)
    return SceneRenderer(checked.world.scene, motion, FORMAT).stills(()).poster_png
