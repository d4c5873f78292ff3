"""The host's tools as a kernel sees them. A session's process connects them once; no other process has them."""

from collections.abc import Sequence
from typing import NoReturn, Protocol

from contracts.models.benchmark import Limits, Payload
from contracts.models.catalog import CatalogFind
from contracts.models.design import BillOfMaterials, Finding
from contracts.models.geometry import Vector
from contracts.models.observation import Observation

from kernel.api.display import Screen
from kernel.api.simulation_run import SimulationRun


class NotConnectedError(RuntimeError):
    """This Python process has no host: it does not run cells."""


class NoCatalogError(NotConnectedError):
    """This Python process cannot search the catalog."""


Released = Vector | dict[str, Vector] | None
"""Where the payload is released instead; of several, the first, or each by its label."""


class RecallingScreen(Screen, Protocol):
    """Displays pictures, those of earlier cells too."""

    def recall_picture(self, picture: str) -> None:
        """Attach a picture of an earlier cell to the observation."""
        ...


class HostTools(RecallingScreen, Protocol):
    """Requests to the host. They carry geometry and text, never code."""

    @property
    def limits(self) -> Limits:
        """Limits of the run."""
        ...

    @property
    def payloads(self) -> tuple[Payload, ...]:
        """What must be moved."""
        ...

    def quote(self, component: object, quantity: int | None = None) -> tuple[Sequence[Finding], BillOfMaterials | None]:
        """Return findings and prices of the workbenches, for the run's quantity or another; None without a price."""
        ...

    def simulate(
        self, assembly: object, replicas: int = 1, seed: int = 0, payload_at_mm: Released = None
    ) -> SimulationRun:
        """Simulate an assembly in the benchmark's environment, and print the findings of a verdict on it."""
        ...

    def run_script(self) -> Observation:
        """Run script.py in a fresh kernel."""
        ...

    def search_catalog(self, words: str, limit: int, quantity: int) -> tuple[Sequence[CatalogFind], str]:
        """Return matching parts, best first, and a note."""
        ...

    def submit(self, assembly: object) -> NoReturn:
        """Submit the design and end the cell."""
        ...

    def refuse(self, proof: str) -> NoReturn:
        """Refuse the plan and end the cell."""
        ...


_connected: list[HostTools] = []
_screens: list[RecallingScreen] = []


def connect(tools: HostTools) -> None:
    """Connect this process to its host."""
    _connected[:] = [tools]
    connect_screen(tools)


def connect_screen(screen: RecallingScreen) -> None:
    """Connect this process to what displays its pictures, without the tools of an engineer."""
    _screens[:] = [screen]


def connected_screen(caller: str) -> RecallingScreen:
    """Return what displays pictures; raise `NotConnectedError`, which names the calling function."""
    if not _screens:
        raise NotConnectedError(f"{caller} works only in a cell of a Millwright kernel")
    return _screens[0]


def host_tools(caller: str, error: type[NotConnectedError] = NotConnectedError) -> HostTools:
    """Return the host's tools; raise `error`, which names the calling function, in other processes."""
    if not _connected:
        raise error(f"{caller} works only in a cell of a Millwright kernel")
    return _connected[0]
