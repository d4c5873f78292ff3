"""A trajectory file with arrays that this kernel does not know."""

import io

import numpy as np
from kernel.api.simulation_run import Recording


def test_unknown_arrays_of_a_trajectory_are_left_out() -> None:
    numbers = {name: np.zeros((2, 1)) for name in ("joint_position", "motor_torque_n_m", "motor_power_w")}
    bodies = {"body_mm": np.ones((2, 1, 3)), "body_quaternion": np.zeros((2, 1, 4))}
    payload = {"time_s": np.arange(2.0), "payload_mm": np.zeros((2, 3)), "payload_quaternion": np.zeros((2, 4))}
    labels = {name: np.array(["x"]) for name in ("bodies", "joints", "motors", "contact_bodies")}
    file = io.BytesIO()
    forces = np.zeros((2, 1, 3))
    np.savez(file, allow_pickle=False, **numbers, **bodies, **payload, **labels, contact_force_n=forces)
    recording = Recording.read(file.getvalue())
    assert recording.bodies == ("x",)
    assert recording.body_start_mm.tolist() == [[1.0, 1.0, 1.0]]
