"""Types of the fixtures in `conftest.py`."""

from collections.abc import Awaitable, Callable

from chassis.app import App
from contracts.events.run import RunFailed
from contracts.events.simulation import SimulationFailed, SimulationRequested

MakeApp = Callable[..., App]
MakeRequest = Callable[..., SimulationRequested]
MakeEnd = Callable[[], RunFailed]
Simulate = Callable[[SimulationRequested], Awaitable[SimulationFailed]]
Eventually = Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]
UntilSettled = Callable[[str], Awaitable[None]]
UntilHealthy = Callable[[App], Awaitable[None]]
