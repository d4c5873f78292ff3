"""The cost of a simulation, known before the first step: degrees of freedom times steps.

A step takes about 1.3 microseconds per degree of freedom, whatever touches whatever, and a verdict takes 33 runs. The
limit is the same for a preview as for a verdict, and depends on no clock: the same design is refused on any machine.
"""

import math

from contracts.models.scene import Scene

from sim_worker.model.numerics import Numerics
from sim_worker.mujoco_api import MjModel
from sim_worker.rejection import SceneRejectedError

MAX_WORK = 5_000_000
"""Degrees of freedom times steps of one run, which takes 6 s of a processor then."""
LEAST_FREEDOM = 36
"""Degrees of freedom that any run may have, however long: those of the payload and of a machine of many joints."""
_NAMED = 5


def reject_costly(scene: Scene, model: MjModel, moving: tuple[str, ...], numerics: Numerics) -> None:
    """Raise `SceneRejectedError` if the bodies move in more ways than can be simulated for so long.

    Finer steps do not count: a second opinion may take longer.
    """
    steps = math.ceil(scene.duration_s / (numerics.refinement * float(model.opt.timestep)))
    limit, freedom = max(LEAST_FREEDOM, MAX_WORK // steps), int(model.nv)
    if freedom <= limit:
        return
    more = f" and {len(moving) - _NAMED} more" if len(moving) > _NAMED else ""
    detail = (
        f"{len(moving)} bodies and the payload have {freedom} degrees of freedom, and in a run of "
        f"{scene.duration_s:g} s with {steps} steps at most {limit} can be simulated; a loose body has 6, one on a "
        f"hinge or slide 1: glue or screw parts together that need not move on their own "
        f"({', '.join(moving[:_NAMED])}{more}), or use fewer"
    )
    raise SceneRejectedError("scene_invalid", detail)
