"""Random deviations of replicas from the nominal run, within usual workshop tolerances."""

from dataclasses import dataclass, field

import numpy as np
from contracts.criteria import JITTER_FRICTION, JITTER_MASS, JITTER_START_MM

from sim_worker.units import Floats, metres_each

PART_MASS = (0.95, 1.05)
"""Of a moving part: density and tolerances. The payload, which is given, is known less well."""
MOTOR = (0.9, 1.1)
"""Of a motor's stall torque, at the same no-load speed: the tolerance that catalogs state."""
YAW_RAD = 0.05
SURFACES = 46
"""Of the stream of surfaces, beside the seed."""


@dataclass(frozen=True)
class PayloadJitter:
    """Deviations of one payload in `n` replicas."""

    start_m: Floats
    """(n, 3)"""
    yaw_rad: Floats
    """(n,)"""
    mass_factor: Floats
    """(n,)"""


@dataclass(frozen=True)
class Jitter:
    """Deviations of `n` replicas from the nominal run."""

    start_m: Floats
    """(n, 3)"""
    yaw_rad: Floats
    """(n,)"""
    friction_factor: Floats
    """(n,) of every contact."""
    mass_factor: Floats
    """(n,) of the payload."""
    part_mass_factor: Floats
    """(n, moving bodies)"""
    motor_factor: Floats
    """(n, motors)"""
    more_payloads: tuple[PayloadJitter, ...] = ()
    """Of the payloads besides the first."""
    surface_m: Floats = field(default_factory=lambda: np.zeros((1, 0)))
    """(n, bodies) by which the surfaces of each body lie before what is drawn; no column: none is moved."""

    @property
    def payloads(self) -> tuple[PayloadJitter, ...]:
        """Of all payloads."""
        return (PayloadJitter(self.start_m, self.yaw_rad, self.mass_factor), *self.more_payloads)

    @property
    def replicas(self) -> int:
        """Number of replicas."""
        return len(self.yaw_rad)


def no_jitter(parts: int = 0, motors: int = 0, payloads: int = 1) -> Jitter:
    """Return one replica without any deviation."""
    none = PayloadJitter(np.zeros((1, 3)), np.zeros(1), np.ones(1))
    return Jitter(
        none.start_m,
        none.yaw_rad,
        np.ones(1),
        none.mass_factor,
        np.ones((1, parts)),
        np.ones((1, motors)),
        (none,) * (payloads - 1),
    )


def random_jitter(  # noqa: PLR0913, PLR0917 - what there is to vary
    replicas: int,
    seed: int,
    parts: int = 0,
    motors: int = 0,
    start_mm: float = JITTER_START_MM,
    payloads: int = 1,
    tolerances_m: Floats | None = None,
) -> Jitter:
    """Return deviations for a number of replicas, moving parts, motors and payloads; the same seed gives the same ones.

    `start_mm`: the most by which a start deviates along each axis; `tolerances_m`: (bodies,) by which surfaces do.
    """
    random = np.random.default_rng(seed)
    reach_m = np.array(metres_each((start_mm, start_mm, start_mm)))
    return Jitter(
        start_m=random.uniform((-1.0, -1.0, 0.0), 1.0, (replicas, 3)) * reach_m,
        yaw_rad=random.uniform(-YAW_RAD, YAW_RAD, replicas),
        friction_factor=random.uniform(*JITTER_FRICTION, replicas),
        mass_factor=random.uniform(*JITTER_MASS, replicas),
        part_mass_factor=random.uniform(*PART_MASS, (replicas, parts)),
        motor_factor=random.uniform(*MOTOR, (replicas, motors)),
        # drawn last, so that all other deviations are the same for any number of payloads
        more_payloads=tuple(
            PayloadJitter(
                start_m=random.uniform((-1.0, -1.0, 0.0), 1.0, (replicas, 3)) * reach_m,
                yaw_rad=random.uniform(-YAW_RAD, YAW_RAD, replicas),
                mass_factor=random.uniform(*JITTER_MASS, replicas),
            )
            for _ in range(payloads - 1)
        ),
        surface_m=_drawn_surfaces(replicas, seed, np.zeros(0) if tolerances_m is None else tolerances_m),
    )


def _drawn_surfaces(replicas: int, seed: int, tolerances_m: Floats) -> Floats:
    """Return (n, bodies), of a stream of their own, so that all other deviations are the same for any bodies.

    A process that just holds its tolerance has three standard deviations within it.
    """
    random = np.random.default_rng([seed, SURFACES])
    return random.normal(0.0, 1 / 3, (replicas, len(tolerances_m))).clip(-1.0, 1.0) * tolerances_m
