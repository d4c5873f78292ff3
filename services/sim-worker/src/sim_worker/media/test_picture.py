"""A small test picture; the process fails if it cannot be drawn. `graphics_check` runs it."""

import sys

import numpy as np

from sim_worker.media.camera import CameraView
from sim_worker.media.canvas import PLAIN, Canvas, Picture
from sim_worker.mujoco_api import mujoco

WORLD = """<mujoco><worldbody><light pos="0 0 3"/><geom type="sphere" size="0.3"/></worldbody></mujoco>"""


def draw() -> Picture:
    """Return a picture of a ball."""
    model = mujoco.MjModel.from_xml_string(WORLD)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    with Canvas(model, 64, 48, PLAIN) as canvas:
        return canvas.draw(data, CameraView(np.zeros(3), 1.0, 90.0, -30.0), lambda _: None)


def main() -> None:
    """Draw the picture, or exit with an error message."""
    if draw().std() == 0:
        sys.exit("the picture is blank")
