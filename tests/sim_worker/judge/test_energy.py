"""How much energy and speed a sound run can have: from heights, and from the work of motors."""

import numpy as np
import pytest
from sim_worker.judge.energy import EnergyMonitor
from sim_worker.judge.hold_timer import Flags
from sim_worker.run.readings import Readings
from sim_worker.units import GRAVITY_M_S2, Floats

from tests.sim_worker.judge import synthetic_readings as synthetic
from tests.sim_worker.judge.synthetic_readings import MOVING_KG, STEP_S, still

SLACK_J = MOVING_KG * 9.81 * 0.005


def spurious(readings: Readings, chunk: int, *, is_payload_alone: bool = False) -> Flags:
    monitor = EnergyMonitor(MOVING_KG, is_payload_alone)
    flags = [monitor.is_spurious(readings[first : first + chunk]) for first in range(0, len(readings.time_s), chunk)]
    return np.concatenate(flags)


def driven(torque_n_m: Floats, speed_rad_s: Floats) -> Readings:
    readings = still(len(torque_n_m) * STEP_S)
    readings.rows[:, synthetic.TORQUE], readings.rows[:, synthetic.SPEED] = torque_n_m, speed_rad_s
    return readings


TIME_S: Floats = np.arange(60).astype(np.float64) * STEP_S


@pytest.mark.parametrize("chunk", [1, 7, 1000])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_work_is_torque_times_angle_from_step_to_step(chunk: int, sign: float) -> None:
    """2 N m at a speed that grows by 3 rad/s²: 3 t² J after t."""
    readings = driven(np.full(60, sign * 2.0), sign * 3.0 * TIME_S)
    start_j = 0.7
    most_j = SLACK_J + 1.05 * 3.0 * TIME_S**2
    most_j[0] = 0.0
    readings.rows[:, synthetic.KINETIC] = start_j + 0.9999 * most_j
    assert not spurious(readings, chunk).any()
    readings.rows[:, synthetic.KINETIC] = start_j + 1.0001 * most_j
    assert spurious(readings, chunk).tolist() == [False, *[True] * 59]


@pytest.mark.parametrize("chunk", [1, 7, 1000])
def test_torque_acts_from_its_step_to_the_next(chunk: int) -> None:
    """5 N m at step 20 alone, 4 rad/s until step 20, 8 from 21 on: the mean of both counts."""
    torque, speed = np.zeros(60), np.full(60, 4.0)
    torque[20], speed[21:] = 5.0, 8.0
    readings = driven(torque, speed)
    readings.rows[21:, synthetic.KINETIC] = SLACK_J + 1.05 * 5.0 * 6.0 * STEP_S * 0.9999
    assert not spurious(readings, chunk).any()
    readings.rows[20, synthetic.KINETIC] = SLACK_J * 1.001
    readings.rows[21:, synthetic.KINETIC] *= 1.001
    assert np.flatnonzero(spurious(readings, chunk)).tolist() == list(range(20, 60))


@pytest.mark.parametrize("chunk", [1, 7, 1000])
@pytest.mark.parametrize(("start_m_s", "fallen_m"), [(0.0, 0.2), (1.5, 0.0), (1.5, 0.2)])
def test_lone_payload_is_limited_by_its_start_and_the_depth_of_its_fall(
    chunk: int, start_m_s: float, fallen_m: float
) -> None:
    """A fifth more than the speed of the fall, and 0.1 m/s; it stays allowed where the payload rises again."""
    readings = still(0.6)
    readings.rows[:, synthetic.VELOCITY.start] = start_m_s
    readings.rows[:, 2] = 0.4
    readings.rows[20:25, 2] = 0.4 - fallen_m
    limit_m_s = 1.2 * np.sqrt(start_m_s**2 + 2 * GRAVITY_M_S2 * fallen_m) + 0.1
    readings.rows[40, synthetic.VELOCITY.start] = limit_m_s - 0.01
    assert not spurious(readings, chunk, is_payload_alone=True).any()
    readings.rows[40, synthetic.VELOCITY.start] = limit_m_s + 0.01
    assert np.flatnonzero(spurious(readings, chunk, is_payload_alone=True)).tolist() == [40]
    assert not spurious(readings, chunk).any(), "of a machine only the energy counts"


@pytest.mark.parametrize("chunk", [1, 7, 1000])
def test_speed_before_the_fall_is_not_allowed_by_it(chunk: int) -> None:
    readings = still(0.6)
    readings.rows[30:, 2] = -0.2
    readings.rows[[29, 30], synthetic.VELOCITY.start] = 2.0
    assert np.flatnonzero(spurious(readings, chunk, is_payload_alone=True)).tolist() == [29]


def test_height_above_the_start_allows_no_speed() -> None:
    readings = still(0.6)
    readings.rows[10:, 2] = 0.3
    readings.rows[20, synthetic.VELOCITY.start] = 0.11
    assert np.flatnonzero(spurious(readings, 7, is_payload_alone=True)).tolist() == [20]


@pytest.mark.parametrize("is_payload_alone", [True, False])
def test_lone_payload_may_not_gain_energy_either(is_payload_alone: bool) -> None:
    readings = still(0.6)
    readings.rows[30:, synthetic.KINETIC] = 1.01 * SLACK_J
    assert np.flatnonzero(spurious(readings, 7, is_payload_alone=is_payload_alone)).tolist() == list(range(30, 60))
