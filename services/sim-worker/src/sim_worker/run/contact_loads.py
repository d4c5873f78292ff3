"""Contact forces on parts at the samples of a trajectory, for pictures."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim_worker.run.readings import Readings
from sim_worker.units import Floats

LEAST_N = 0.001
"""A part that never bears more is left out."""


@dataclass(frozen=True)
class ContactLoads:
    """Net contact forces on the parts that have a strength, those that ever bear one."""

    bodies: tuple[str, ...]
    """Labels."""
    force_n: Floats
    """(n, bodies, 3), what everything that touches it exerts on a part: the largest since the previous sample, so that
    a blow between two samples is not lost."""
    place_m: Floats
    """(n, bodies, 3), the centre of these contacts; meaningless without a force."""

    @classmethod
    def of(cls, readings: Readings, steps: NDArray[np.intp]) -> "ContactLoads":
        """Return the loads at sampled steps (n,), which rise."""
        found = {label: _largest(readings.contact_load(label), steps) for label in readings.layout.contact_loads}
        loads = {label: load for label, load in found.items() if np.linalg.norm(load[:, :3], axis=1).max() >= LEAST_N}
        both = np.stack(list(loads.values()), axis=1) if loads else np.zeros((len(steps), 0, 6))
        return cls(tuple(loads), both[:, :, :3], both[:, :, 3:])


def _largest(load: Floats, steps: NDArray[np.intp]) -> Floats:
    """Return force on the body and its place (n, 6) of the step with the largest force since the previous sample.

    `load`: (steps, 9), force and moment that the body exerts, and their centre.
    """
    newtons = np.linalg.norm(load[:, :3], axis=1)
    firsts = np.append(0, steps[:-1] + 1)
    chosen = [int(first + np.argmax(newtons[first : last + 1])) for first, last in zip(firsts, steps, strict=True)]
    rows: Floats = np.concatenate([-load[chosen, :3], load[chosen, 6:9]], axis=1)
    return rows
