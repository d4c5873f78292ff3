"""What handlers of a simulation answer."""

from contracts.envelope import Event, answering
from contracts.events.simulation import SimulationFailed, SimulationRequested


def outcome_of(request: Event, detail: str = "no") -> SimulationFailed:
    """Return an outcome of a request of a simulation."""
    return SimulationFailed(**answering(request, "sim-worker"), reason="scene_invalid", detail=detail)


async def simulate(request: SimulationRequested) -> SimulationFailed:
    """Answer at once."""
    return outcome_of(request)
