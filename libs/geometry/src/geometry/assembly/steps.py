"""Steps of an order of assembly; apart from how it is found, since hosts that never load the CAD library name them."""

from dataclasses import dataclass

from contracts.models.geometry import Vector


@dataclass(frozen=True)
class AssemblyStep:
    """Parts that are put in place together, having been put together before."""

    labels: tuple[str, ...]
    onto: tuple[str, ...]
    """The parts that are there, put together before."""
    direction: Vector | None
    """Unit vector of the motion into place; None: on a way that is not straight."""
