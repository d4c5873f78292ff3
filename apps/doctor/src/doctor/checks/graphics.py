"""Pictures: one frame is drawn in a process of its own, and what that says is put into words."""

from collections.abc import Mapping

from sim_worker.media.graphics_check import check as draw

from doctor.check import Check, failed, passed

INSTALL = "apt-get install --no-install-recommends"
ALL = f"{INSTALL} libegl1 libgl1 libegl-mesa0 libgl1-mesa-dri"
MEANINGS: Mapping[str, tuple[str, str]] = {
    "has no attribute 'eglQueryString'": (
        "there is no libEGL",
        f"{INSTALL} libegl1 libgl1 libegl-mesa0 libgl1-mesa-dri",
    ),
    "has no attribute 'glGetError'": ("there is no OpenGL library beside libEGL", f"{INSTALL} libgl1 libgl1-mesa-dri"),
    "PLATFORM_DEVICE": ("there is no EGL device", f"{INSTALL} libegl-mesa0 libgl1-mesa-dri"),
    "environment variable MUJOCO_GL": ("MUJOCO_GL names no way to draw", "unset MUJOCO_GL, or set it to egl"),
    "OpenGL platform library": ("MuJoCo loaded no OpenGL", "set MUJOCO_GL=egl"),
    "the picture is blank": ("pictures stay blank", f"{ALL} (newer drivers)"),
    "longer than": (
        "drawing hangs",
        f"{ALL}, and unset variables that choose a driver, such as MESA_LOADER_DRIVER_OVERRIDE",
    ),
    "libGL": ("there is no libGL", f"{INSTALL} libgl1 libgl1-mesa-dri"),
}
"""What stands in a complaint, what it means, and the mend."""


def check_drawing() -> Check:
    """One frame."""
    complaint = draw()
    if complaint is None:
        return passed("graphics", "drawing", "one frame drawn by EGL")
    what, mend = next(
        (meaning for words, meaning in MEANINGS.items() if words in complaint), ("nothing can be drawn", ALL)
    )
    return failed("graphics", "drawing", what, mend, complaint)
