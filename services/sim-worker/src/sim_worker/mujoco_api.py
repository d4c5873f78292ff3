"""The one place where MuJoCo, which ships no type information, enters typed code."""

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
MjBody: TypeAlias = Any
"""Of a specification."""
Batch: TypeAlias = Any
