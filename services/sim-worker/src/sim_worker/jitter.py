"""How replicas differ from the nominal run: what no workshop can hold exactly."""

from dataclasses import dataclass

import numpy as np

from sim_worker.units import Floats, metres_each

START_MM = 5.0
"""Sideways either way; upwards only, because downwards is where the payload may rest on something."""
FRICTION = (0.8, 1.2)
MASS = (0.9, 1.1)
YAW_RAD = 0.05


@dataclass(frozen=True)
class Jitter:
    """Deviations of `n` replicas from the nominal run."""

    start_m: Floats
    """(n, 3)"""
    yaw_rad: Floats
    """(n,)"""
    friction_factor: Floats
    """(n,)"""
    mass_factor: Floats
    """(n,)"""

    @property
    def replicas(self) -> int:
        """How many they are."""
        return len(self.yaw_rad)


def nominal() -> Jitter:
    """Return the one run without any deviation."""
    return Jitter(np.zeros((1, 3)), np.zeros(1), np.ones(1), np.ones(1))


def jittered(replicas: int, seed: int) -> Jitter:
    """Return as many deviations; the same for the same seed."""
    random = np.random.default_rng(seed)
    reach_m = np.array(metres_each((START_MM, START_MM, START_MM)))
    return Jitter(
        start_m=random.uniform((-1.0, -1.0, 0.0), 1.0, (replicas, 3)) * reach_m,
        yaw_rad=random.uniform(-YAW_RAD, YAW_RAD, replicas),
        friction_factor=random.uniform(*FRICTION, replicas),
        mass_factor=random.uniform(*MASS, replicas),
    )
