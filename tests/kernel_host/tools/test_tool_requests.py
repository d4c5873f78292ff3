"""Requests of tools: the outcome that the log has of another request is never returned."""

from uuid import UUID

import pytest
from chassis.testing import FakeBus
from contracts.envelope import answering, during
from contracts.events.session import CellRequested
from contracts.events.simulation import SimulationFailed, SimulationRequested
from contracts.models.artifact import ArtifactRef
from kernel_host.tools.requests import ToolRequests

CELL = CellRequested(
    id=UUID(int=1), run_id=UUID(int=2), role="engineer", producer="engineer", purpose="try", code="", timeout_s=1.0
)


def simulation_of(scene: str) -> SimulationRequested:
    """Request the first simulation of the cell."""
    ref = ArtifactRef(sha256=scene * 64, media_type="application/json", size_bytes=1)
    return SimulationRequested(**during(CELL, "simulate 0", "cad-worker"), scene=ref)


@pytest.fixture
def bus() -> FakeBus:
    """A simulator whose outcome names the scene."""
    bus = FakeBus()

    async def simulated(request: SimulationRequested) -> SimulationFailed:
        detail = request.scene.sha256[0]
        return SimulationFailed(**answering(request, "sim-worker"), reason="scene_invalid", detail=detail)

    bus.answers(SimulationRequested, simulated)
    return bus


async def details(bus: FakeBus, *scenes: str) -> list[str]:
    """Simulate the scenes as the first call of the cell, each in another run of it."""
    outcomes = [await ToolRequests(bus).ask(simulation_of(scene)) for scene in scenes]
    return [outcome.detail for outcome in outcomes if isinstance(outcome, SimulationFailed)]


async def test_repeated_request_returns_the_recorded_outcome(bus: FakeBus) -> None:
    assert await details(bus, "a", "a") == ["a", "a"]
    assert len(bus.events) == 2


async def test_request_for_something_else_gets_an_outcome_of_its_own(bus: FakeBus) -> None:
    assert await details(bus, "a", "b", "c", "b", "a") == ["a", "b", "c", "b", "a"]
    assert len(bus.events) == 6
