"""The only import of MuJoCo here, which ships no type information: names for its types in typed code."""

import logging
from typing import Any, TypeAlias

import mujoco as _mujoco  # pyright: ignore[reportMissingTypeStubs] - MuJoCo ships neither stubs nor py.typed

mujoco: Any = _mujoco

# Else MuJoCo writes warnings to MUJOCO_LOG.TXT in the working directory.
mujoco.set_mju_user_warning(logging.getLogger(__name__).debug)

MjSpec: TypeAlias = Any
MjModel: TypeAlias = Any
"""Also of a body and of the parts of a spec."""
