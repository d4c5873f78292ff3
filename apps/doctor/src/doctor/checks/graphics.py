"""The check of headless rendering: draws one frame in a child process, and explains a failure."""

from collections.abc import Mapping

from sim_worker.media.graphics_check import check as draw

from doctor.check import Check, failed, passed

INSTALL = "apt-get install --no-install-recommends"
ALL = f"{INSTALL} libegl1 libgl1 libegl-mesa0 libgl1-mesa-dri"
EXPLANATIONS: Mapping[str, tuple[str, str]] = {
    "has no attribute 'eglQueryString'": ("libEGL is missing", ALL),
    "has no attribute 'glGetError'": (
        "libEGL is installed, but no OpenGL library",
        f"{INSTALL} libgl1 libgl1-mesa-dri",
    ),
    "PLATFORM_DEVICE": ("the EGL device is missing", f"{INSTALL} libegl-mesa0 libgl1-mesa-dri"),
    "environment variable MUJOCO_GL": ("MUJOCO_GL has an invalid value", "unset MUJOCO_GL, or set it to egl"),
    "OpenGL platform library": ("MuJoCo loaded no OpenGL", "set MUJOCO_GL=egl"),
    "the picture is blank": ("frames stay blank", f"{ALL} (newer drivers)"),
    "longer than": (
        "drawing hangs",
        f"{ALL}, and unset variables that choose a driver, such as MESA_LOADER_DRIVER_OVERRIDE",
    ),
    "libGL": ("libGL is missing", f"{INSTALL} libgl1 libgl1-mesa-dri"),
}
"""By a part of the error message: its meaning, and the fix."""


def check_drawing() -> Check:
    """Check that one frame can be drawn."""
    problem = draw()
    if problem is None:
        return passed("graphics", "drawing", "one frame drawn by EGL")
    what, fix = next(
        (explanation for part, explanation in EXPLANATIONS.items() if part in problem), ("no frame can be drawn", ALL)
    )
    return failed("graphics", "drawing", what, fix, problem)
