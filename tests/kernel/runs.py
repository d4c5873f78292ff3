"""A simulated run of 3 s: an arm turns at 20 degrees per second, the payload falls at 100 mm/s."""

import io
from typing import Any

import numpy as np
from contracts.models.simulation import PhysicalEvent, SimulationResult

from tests.contracts import example_values as values

TIME_S = np.arange(0, 3.0001, 1 / 60)


def trajectory(**changes: Any) -> bytes:
    """Return the trajectory file, with some arrays replaced."""
    count = len(TIME_S)
    arrays: dict[str, Any] = {
        "time_s": TIME_S,
        "payload_mm": np.stack([np.zeros(count), np.full(count, 5.0), 400 - 100 * TIME_S], axis=1),
        "payload_quaternion": np.tile([1.0, 0, 0, 0], (count, 1)),
        "bodies": np.array(["arm", "wheel"]),
        "body_mm": np.stack([np.stack([TIME_S * 10, TIME_S * 0, TIME_S * 0], axis=1)] * 2, axis=1),
        "body_quaternion": np.tile([1.0, 0, 0, 0], (count, 2, 1)),
        "joints": np.array(["hinge"]),
        "joint_position": 20 * TIME_S[:, None],
        "motors": np.array(["motor"]),
        "motor_torque_n_m": np.sin(TIME_S)[:, None],
        "motor_power_w": np.cos(TIME_S)[:, None] + 1,
    }
    file = io.BytesIO()
    np.savez(file, **(arrays | changes))
    return file.getvalue()


def _contact(time_s: float) -> PhysicalEvent:
    return PhysicalEvent(time_s=time_s, kind="contact", subject="payload", other="floor", place_mm=(0, 0, 0))


def result(digest: str = "first") -> SimulationResult:
    """Return a result with events at 0.5, 1.5 and 2.75 s; `digest` tells runs apart."""
    changes: dict[str, Any] = {
        "trajectory_digest": values.digest(digest),
        "events": (_contact(0.5), _contact(1.5), _contact(2.75)),
        "summary_md": "**FAILED**: the payload touched the forbid zone `wall` after 1.50 s.\n\n## Nominal run\n",
    }
    return values.RESULT.model_copy(update=changes)
