"""The picture of a world without a machine: solids, zones, and the way that the payload takes by itself."""

import numpy as np

from sim_worker.media.film import SceneRenderer, VideoFormat
from sim_worker.media.moments import Moment
from sim_worker.media.motion import Motion
from sim_worker.world_check import CheckedWorld

FORMAT = VideoFormat(width=960, height=720)


def draw_world(checked: CheckedWorld) -> bytes:
    """Return a PNG of two pictures: at the release, and at the end without a machine."""
    motion = Motion.of(checked.trajectory)
    end_s = float(np.max(motion.time_s))
    moments = (
        Moment(0.0, ("at the start: green goal, red forbidden, edges of the build zone",)),
        Moment(end_s, (f"without a machine, after {end_s:.2f} s",)),
    )
    return SceneRenderer(checked.world.scene, motion, FORMAT).stills(moments).contact_sheet_png
