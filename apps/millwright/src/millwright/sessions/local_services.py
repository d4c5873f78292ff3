"""What the tools of a session request of other services, answered in this process."""

import asyncio

from artifacts.port import ArtifactStore
from contracts.envelope import Event, Request, answering
from contracts.events.catalog import CatalogSearched, CatalogSearchRequested
from contracts.events.rendering import RenderRequested
from contracts.events.simulation import FilmRequested, SimulationRequested
from contracts.models.simulation import Media
from parts_catalog.search.keywords import search
from sim_worker.handlers import film, render, simulate
from sim_worker.media.renderer import MediaRenderer
from sim_worker.simulator import Simulator

NAME = "millwright"


class LocalServices:
    """Simulates, renders, films and searches the catalog for the cells of one session."""

    def __init__(self, artifacts: ArtifactStore, simulator: Simulator, renderer: MediaRenderer) -> None:
        self._artifacts = artifacts
        self._simulator, self._renderer = simulator, renderer
        self.stage = ""
        """What is going on now, for people who wait."""
        self.media: Media | None = None
        """Of the last film."""

    async def ask(self, request: Request) -> Event:
        """Return the outcome of a request."""
        match request:
            case SimulationRequested():
                self.stage = f"simulates {request.replicas} replicas" if request.replicas > 1 else "simulates"
                return await simulate(request, self._artifacts, self._simulator)
            case RenderRequested():
                self.stage = "draws"
                return await render(request, self._artifacts, self._renderer)
            case FilmRequested():
                self.stage = "films"
                filmed = await film(request, self._artifacts, self._simulator, self._renderer)
                self.media = getattr(filmed, "media", None)
                return filmed
            case CatalogSearchRequested():
                self.stage = "searches the catalog"
                found, note = await asyncio.to_thread(search, request.words, request.limit, request.quantity)
                return CatalogSearched(**answering(request, NAME), found=found, note=note)
            case _:
                raise TypeError(f"{request.type} is answered by no part of this process")
