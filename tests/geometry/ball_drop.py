"""A ball among collision geoms in plain MuJoCo, to probe their shape."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# mujoco ships no stubs

from collections.abc import Sequence

import mujoco
import numpy as np
from contracts.models.scene import Geom, HullGeom
from numpy.typing import NDArray


def ball_path_mm(
    geoms: Sequence[Geom], radius_mm: float, start_mm: tuple[float, float, float], seconds: float, tilt_deg: float = 0.0
) -> NDArray[np.float64]:
    """Return the path (n, 3) of the ball's centre, every millisecond; gravity is tilted towards +x."""
    spec = mujoco.MjSpec()
    spec.option.timestep = 0.001
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    angle = np.radians(tilt_deg)
    spec.option.gravity = [9.81 * np.sin(angle), 0, -9.81 * np.cos(angle)]
    for number, geom in enumerate(geoms):
        assert isinstance(geom, HullGeom)
        spec.add_mesh(name=f"m{number}", uservert=(np.array(geom.vertices_mm) / 1000).reshape(-1).tolist())
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=f"m{number}", **CONTACT)
    body = spec.worldbody.add_body(pos=[value / 1000 for value in start_mm])
    body.add_freejoint()
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[radius_mm / 1000, 0, 0], density=1400, **CONTACT)
    model = spec.compile()
    data = mujoco.MjData(model)
    path = np.empty((int(seconds * 1000), 3))
    for row in path:
        mujoco.mj_step(model, data)
        row[:] = data.qpos[:3] * 1000
    return path


CONTACT = {"solref": [0.004, 1.0], "solimp": [0.99, 0.99, 0.001, 0.5, 2.0]}
