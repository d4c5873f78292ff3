"""Electrical power of motors, from the straight lines of their data sheets."""

from collections.abc import Sequence

import numpy as np
from contracts.models.scene import Drive

from sim_worker.units import Floats


class MotorCurves:
    """Torque, speed and current lines of `k` motors, as arrays."""

    def __init__(self, drives: Sequence[Drive]) -> None:
        self._voltage_v = np.array([drive.nominal_voltage_v for drive in drives])
        self._stall_n_m = np.array([drive.stall_torque_n_m for drive in drives])
        self._no_load_rad_s = np.array([drive.no_load_speed_rad_s for drive in drives])
        self._stall_a = np.array([drive.stall_current_a for drive in drives])
        self._no_load_a = np.array([drive.no_load_current_a for drive in drives])

    def power_w(self, torque_n_m: Floats, speed_rad_s: Floats) -> Floats:
        """Return the electrical power (n, k) of motors that give a torque (n, k) at a speed (n, k).

        On the torque line, the applied share of the nominal voltage is torque / stall + speed / no-load, for a servo as
        for a motor with a fixed voltage. The current runs on a straight line from no-load to stall. A braking motor
        returns no power to the supply.
        """
        share = np.clip(torque_n_m / self._stall_n_m + speed_rad_s / self._no_load_rad_s, -1.0, 1.0)
        current_a = self._no_load_a + (self._stall_a - self._no_load_a) * np.abs(torque_n_m) / self._stall_n_m
        is_braking = share * torque_n_m < 0.0
        power: Floats = np.where(is_braking, 0.0, np.abs(share) * self._voltage_v * current_a)
        return power
