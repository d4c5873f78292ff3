"""The only import of MuJoCo, which ships no type information: names for its types in typed code."""

from typing import Any, TypeAlias

import mujoco as _mujoco  # pyright: ignore[reportMissingTypeStubs] - MuJoCo ships neither stubs nor py.typed
import mujoco.batch as _batch  # pyright: ignore[reportMissingTypeStubs] - as above

mujoco: Any = _mujoco
batch: Any = _batch

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
