"""Pictures of worlds without a machine: solids, zones, and the way that the payload takes by itself."""

import math
from collections.abc import Mapping

import numpy as np

from sim_worker.media.display_model import pictured
from sim_worker.media.drawings.captions import with_captions
from sim_worker.media.film import CONTACT_SHEET_COLUMNS, SHEET_TEXT_SHARE, SceneRenderer, VideoFormat
from sim_worker.media.images import halved, png, tiled
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
        Moment(end_s, ("without a machine",)),
    )
    return SceneRenderer(pictured(checked.world.scene), motion, FORMAT).stills(moments).contact_sheet_png


def draw_side_by_side(worlds: Mapping[str, CheckedWorld]) -> bytes:
    """Return a PNG with the release in each of these worlds, and its name."""
    pictures = [
        halved(SceneRenderer(pictured(each.world.scene), Motion.of(each.trajectory), FORMAT).first_picture())
        for each in worlds.values()
    ]
    named = with_captions(pictures, [(name,) for name in worlds], round(SHEET_TEXT_SHARE * FORMAT.width / 2))
    return png(tiled(named, max(CONTACT_SHEET_COLUMNS, round(math.sqrt(len(named))))))
