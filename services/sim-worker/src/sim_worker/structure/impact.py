"""Blows of payloads: the peak force from the energy of the blow and the stiffness and inertia of what is hit.

MuJoCo stops a body within a step or two, whatever it hits; only the momentum of its force is right. Elastic parts are
pressed in until they have taken up the energy: F² / (2 k) in the part, 2/5 F^(5/3) / K^(2/3) at the contact, with
Hertz's K = 4/3 E / (1 - nu²) sqrt(R) of a hard ball (Johnson, Contact Mechanics). The mass of what is hit takes a share
of it away: Roark's factor for a bar that is struck at its free end, the least that any bar takes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from contracts.models.scene import Scene, Strength

from sim_worker.structure.window_means import RunMeans
from sim_worker.units import Floats

BEFORE_S = 0.02
"""How long before the end of a window a payload may still have been on its way."""
LEAST_M_S = 0.05
"""A slower meeting is not a blow."""
HALVINGS = 60


@dataclass(frozen=True)
class Blow:
    """A payload that hits a part."""

    mass_kg: float
    """Of the payload."""
    radius_mm: float
    """Half its size."""
    speed_m_s: float
    """Along the force between the two, before they met."""
    share: float = 1.0
    """Of its momentum that the part takes: others may take the rest."""

    def energy_j(self, part_kg: float) -> float:
        """Return what parts must take up."""
        ratio = part_kg / self.mass_kg
        left = (1 + 33 / 140 * ratio) / (1 + 3 / 8 * ratio) ** 2
        return left * self.share * self.mass_kg * self.speed_m_s**2 / 2

    def force_n(self, energy_j: float, yield_mm_per_n: float, strength: Strength) -> float:
        """Return the peak force for that energy, where the part gives way by so much for each newton."""
        hertz = self._hertz(strength)
        low, high = 0.0, (5 / 2 * energy_j * 1000 * hertz ** (2 / 3)) ** 0.6
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            taken = middle**2 * yield_mm_per_n / 2 + 2 / 5 * middle ** (5 / 3) / hertz ** (2 / 3)
            low, high = (middle, high) if taken < energy_j * 1000 else (low, middle)
        return high

    def patch_mm(self, force_n: float, strength: Strength) -> float:
        """Return the radius of the surface that touches at a force."""
        return (self.radius_mm * (force_n / self._hertz(strength)) ** (2 / 3)) ** 0.5

    def _hertz(self, strength: Strength) -> float:
        """Return K of force = K depth^(3/2), N and mm."""
        return 4 / 3 * strength.modulus_mpa / (1 - strength.poisson_ratio**2) * self.radius_mm**0.5


def blow_at(scene: Scene, payload_kg: Sequence[float], label: str, run: RunMeans, row: int) -> Blow | None:
    """Return the hardest blow on a part in a window and the one before; None if no payload hit it."""
    index = [body.label for body in scene.bodies].index(label)
    end = int(np.searchsorted(run.time_s, float(run.windows.time_s[row]) - 1e-9))
    first = int(np.searchsorted(run.time_s, float(run.time_s[end]) - BEFORE_S - 1e-9))
    around = run.windows[max(0, row - 1) : row + 1]
    mean: Floats = -around.contact_load(label)[:, :3].mean(axis=0)
    if not mean.any():
        return None
    speeds: Floats = (run.velocities_m_s[first : end + 1] @ (mean / np.linalg.norm(mean))).max(axis=0)
    blows = [
        Blow(mass_kg, payload.size_mm / 2, float(speed))
        for payload, mass_kg, speed, each in zip(scene.payloads, payload_kg, speeds, around.payloads, strict=True)
        if each.touching[:, index].any()
    ]
    hardest = max(blows, key=lambda blow: blow.mass_kg * blow.speed_m_s, default=None)
    return hardest if hardest is not None and hardest.speed_m_s > LEAST_M_S else None
