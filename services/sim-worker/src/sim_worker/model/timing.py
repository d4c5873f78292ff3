"""How finely time is cut, by how small the payload is."""

from dataclasses import dataclass

STEP_S = 0.001
SMALL_STEP_S = 0.0005
TINY_STEP_S = 0.00025
SMALL_PAYLOAD_MM = 40.0
"""Payloads below this gain energy from nothing at the ordinary step."""
TINY_PAYLOAD_MM = 15.0


@dataclass(frozen=True)
class Timing:
    """What is chosen by the size of the payload."""

    step_s: float
    stiffness_s: float
    """Time constant times damping ratio of contacts: the smaller, the harder they are."""

    @classmethod
    def of(cls, payload_mm: float) -> "Timing":
        """Return the timing for a payload of that size.

        At 2.4 m/s a ball sinks in by 1.8 mm at the first two stiffnesses, which a tiny one cannot afford.
        """
        if payload_mm < TINY_PAYLOAD_MM:
            return cls(TINY_STEP_S, stiffness_s=0.00075)
        return cls(SMALL_STEP_S if payload_mm < SMALL_PAYLOAD_MM else STEP_S, stiffness_s=0.0015)
