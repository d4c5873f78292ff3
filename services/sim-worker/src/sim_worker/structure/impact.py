"""Blows of payloads: the peak force from the energy of the blow and the stiffness and inertia of what is hit.

MuJoCo stops a body within a step or two, whatever it hits; only the momentum of its force is right. An elastic part is
pressed in until it has taken up the energy m v² / 2 = F² / (2 k). Before that, its own inertia resists: a force F moves
the point of a plate that it presses on at F / (8 sqrt(D m')), with the plate's stiffness D and its mass per area m',
until the wave returns (Cremer and Heckl, Structure-Borne Sound). So a short blow on a plate has at most the force
8 v sqrt(D m').
"""

from dataclasses import dataclass

import numpy as np
from contracts.models.scene import Scene

from sim_worker.run.readings import Readings
from sim_worker.units import Floats

BEFORE_S = 0.02
"""How long before the end of a window a payload may still have been on its way."""
LEAST_M_S = 0.05
"""A slower meeting is not a blow."""


@dataclass(frozen=True)
class Blow:
    """A payload that hits a part."""

    mass_kg: float
    """Of the payload; reduced by the part's own if nothing holds the part."""
    speed_m_s: float
    """Along the force between the two, before they met."""

    @property
    def energy_j(self) -> float:
        """What the part must take up."""
        return self.mass_kg * self.speed_m_s**2 / 2

    def plate_force_n(self, modulus_mpa: float, poisson: float, thickness_mm: float, density_kg_m3: float) -> float:
        """Return the peak force that the inertia of a plate allows."""
        thickness_m = thickness_mm / 1000
        stiffness_n_m = modulus_mpa * 1e6 * thickness_m**3 / 12 / (1 - poisson**2)
        return self.speed_m_s * 8 * float(np.sqrt(stiffness_n_m * density_kg_m3 * thickness_m))

    def force_n(self, stiffness_n_mm: float) -> float:
        """Return the peak force for a stiffness of the part where it is hit."""
        return float(np.sqrt(2 * self.energy_j * stiffness_n_mm * 1000))


def blow_at(scene: Scene, payload_kg: tuple[float, ...], label: str, readings: Readings, end: int) -> Blow | None:
    """Return the hardest blow on a part in the window that ends at a step; None if no payload hit it."""
    index = [body.label for body in scene.bodies].index(label)
    step_s = float(readings.time_s[1] - readings.time_s[0]) if len(readings.time_s) > 1 else 1.0
    first = max(0, end - round(BEFORE_S / step_s))
    force = -readings.contact_load(label)[first : end + 1, :3]
    mean: Floats = force.mean(axis=0)
    if not mean.any():
        return None
    direction = mean / np.linalg.norm(mean)
    blows = [
        Blow(mass_kg, float((each.velocity_m_s[first : end + 1] @ direction).max()))
        for mass_kg, each in zip(payload_kg, readings.payloads, strict=True)
        if each.touching[first : end + 1, index].any()
    ]
    hardest = max(blows, key=lambda blow: blow.energy_j, default=None)
    return hardest if hardest is not None and hardest.speed_m_s > LEAST_M_S else None
