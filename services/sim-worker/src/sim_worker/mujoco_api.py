"""The only import of MuJoCo, which ships no type information: names for its types in typed code."""

import logging
from typing import Any, TypeAlias

import mujoco as _mujoco  # pyright: ignore[reportMissingTypeStubs] - MuJoCo ships neither stubs nor py.typed
import mujoco.batch as _batch  # pyright: ignore[reportMissingTypeStubs] - as above

mujoco: Any = _mujoco
batch: Any = _batch

# Else MuJoCo writes warnings to MUJOCO_LOG.TXT in the working directory; the simulation counts them itself.
mujoco.set_mju_user_warning(logging.getLogger(__name__).debug)

MjSpec: TypeAlias = Any
MjsBody: TypeAlias = Any
MjsGeom: TypeAlias = Any
MjsActuator: TypeAlias = Any
MjsJoint: TypeAlias = Any
MjsMesh: TypeAlias = Any
MjModel: TypeAlias = Any
MjData: TypeAlias = Any
MjvScene: TypeAlias = Any
Batch: TypeAlias = Any
