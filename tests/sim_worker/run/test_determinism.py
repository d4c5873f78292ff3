"""The same scene gives the same trajectory, to the last bit, wherever and however it is run."""

import subprocess
import sys
from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest
from contracts.models.scene import Scene
from sim_worker.simulator import SimulationSettings, Simulator

from tests.sim_worker import machines, scenes

RUN = """
import sys
from contracts.models.scene import Scene
from sim_worker.simulator import SimulationSettings, Simulator
scene = Scene.model_validate_json(sys.stdin.read())
result = Simulator(int(sys.argv[1])).simulate(scene, SimulationSettings(replicas=4, seed=2)).result
print(result.trajectory_digest)
print(result.model_dump_json())
"""


def simulate_in_process(scene: Scene, threads: int) -> list[str]:
    command = [sys.executable, "-c", RUN, str(threads)]
    printed = subprocess.run(command, input=scene.model_dump_json(), capture_output=True, text=True, check=True)
    return printed.stdout.splitlines()


@pytest.mark.sample(1)
@pytest.mark.parametrize("scene", [scenes.chute_scene(), machines.sweeper()], ids=["chute", "sweeper"])
def test_result_is_equal_across_processes_and_threads(scene: Scene) -> None:
    one, two = simulate_in_process(scene, threads=1), simulate_in_process(scene, threads=2)
    assert one == two
    assert Simulator(1).simulate(scene, SimulationSettings(replicas=1, seed=0)).result.trajectory_digest == one[0]


def test_digest_covers_moving_bodies() -> None:
    original = Simulator(1).simulate(machines.sweeper(), SimulationSettings(replicas=1, seed=0)).trajectory
    moved_m = original.body_m.copy()
    moved_m[3, 0, 1] = np.nextafter(moved_m[3, 0, 1], 1.0)
    assert replace(original, body_m=moved_m).digest != original.digest


def test_npz_has_units_shapes_and_labels() -> None:
    trajectory = Simulator(1).simulate(machines.sweeper(), SimulationSettings(replicas=1, seed=0)).trajectory
    packed = trajectory.as_npz()
    assert packed == trajectory.as_npz()
    file = np.load(BytesIO(packed))
    samples = len(file["time_s"])
    assert list(file["bodies"]) == ["arm"]
    assert list(file["joints"]) == ["hinge"]
    assert list(file["motors"]) == ["motor"]
    assert file["body_mm"].shape == (samples, 1, 3)
    assert file["body_quaternion"].shape == (samples, 1, 4)
    np.testing.assert_allclose(file["body_mm"][0, 0], (110, 0, 45), atol=1e-9)
    np.testing.assert_allclose(np.diff(file["time_s"])[:-1], 0.017, atol=1e-12)
    turned_deg = 2 * np.degrees(np.arctan2(file["body_quaternion"][:, 0, 3], file["body_quaternion"][:, 0, 0]))
    np.testing.assert_allclose(file["joint_position"][:, 0], turned_deg, atol=1e-6)
    assert turned_deg[-1] > 30.0
    assert file["motor_torque_n_m"].shape == file["motor_power_w"].shape == (samples, 1)
