"""What tests of pages work with."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import httpx
from artifacts.client import Artifacts
from chassis.app import App
from contracts.envelope import Event
from playwright.async_api import Page
from store.log import EventLog

from tests.support.clusters.example_run import ExampleRun, new_example_run

LOOK_S = 0.05
PATIENCE_MS = 120_000
"""Of a browser on a busy machine."""


@dataclass(frozen=True)
class PagesWorld:
    """A running gateway."""

    url: str
    publisher: App
    log: EventLog
    artifacts: Artifacts
    http: httpx.AsyncClient
    """Sends no token."""

    async def publish(self, events: Sequence[Event]) -> None:
        """Publish events in order."""
        for event in events:
            await self.publisher.bus.publish(event)

    async def record(self, events: Sequence[Event]) -> None:
        """Publish events, and return when they are in the log."""
        await self.publish(events)
        wanted = {event.id for event in events}
        run_id: UUID = events[0].run_id
        async with asyncio.timeout(PATIENCE_MS / 1000):
            while not wanted <= {event.id for event in await self.log.events_of(run_id)}:  # noqa: ASYNC110 - Postgres sends no notification
                await asyncio.sleep(LOOK_S)

    async def recorded_run(self) -> ExampleRun:
        """Return a run that has ended and is recorded."""
        run = await new_example_run(self.artifacts)
        await self.record(run.events)
        return run

    async def cursor_of(self, run: ExampleRun, type_: str) -> str:
        """Return the cursor of the run's first event of a class."""
        page = await self.http.get(f"/runs/{run.run_id}/events", params={"type": type_, "limit": 1})
        cursor = page.raise_for_status().json()["events"][0]["cursor"]
        assert isinstance(cursor, str)
        return cursor


async def wait_for_rows(page: Page, count: int) -> None:
    """Return when the timeline has so many rows in the page."""
    await page.wait_for_function(
        "count => document.querySelectorAll('#timeline a.row').length === count", arg=count, timeout=PATIENCE_MS
    )


async def types_of_rows(page: Page) -> list[str]:
    """Return the classes of the events of all rows in the page, in their order."""
    return await page.eval_on_selector_all("#timeline a.row", "rows => rows.map(row => row.dataset.type)")


async def wait_for_view(page: Page) -> None:
    """Return when the 3D view is drawn."""
    await page.wait_for_selector(".replay[data-ready]", timeout=PATIENCE_MS)


async def colours_of_view(page: Page) -> int:
    """Return how many colours the 3D view has; 1: it is blank."""
    return await page.evaluate(
        """async () => {
            const image = new Image();
            image.src = document.querySelector('.replay').viewer.picture();
            await image.decode();
            const canvas = Object.assign(document.createElement('canvas'), {width: 160, height: 120});
            const drawing = canvas.getContext('2d');
            drawing.drawImage(image, 0, 0, 160, 120);
            return new Set(new Uint32Array(drawing.getImageData(0, 0, 160, 120).data.buffer)).size;
        }"""
    )
