"""What a list of runs shows beside their summaries: what their models cost, and a picture."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from contracts.envelope import Event
from contracts.events.conversation import ModelCalled
from contracts.events.rendering import RenderCompleted
from contracts.events.run import RunSucceeded
from contracts.events.simulation import FilmCompleted
from contracts.models.artifact import ArtifactRef
from contracts.registry import parse
from sqlalchemy import select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from store.outages import open_connection
from store.tables import EventRow

PICTURED = (RunSucceeded.__name__, FilmCompleted.__name__, RenderCompleted.__name__)


class RunHighlights(NamedTuple):
    """Of one run."""

    cost_usd: float | None
    """Of all model calls so far; None: the price of a model is unknown."""
    picture: ArtifactRef | None
    """PNG: of the newest film, or of the newest image."""


class HighlightReader:
    """Reads highlights from the event log."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def of(self, run_ids: Sequence[UUID]) -> dict[UUID, RunHighlights]:
        """Return the highlights of each of these runs."""
        async with open_connection(self._engine) as connection:
            calls = await _newest(connection, run_ids, (ModelCalled.__name__,), by_role=True)
            pictured = await _newest(connection, run_ids, PICTURED, by_role=False)
        pictures = {event.run_id: _picture_of(event) for event in pictured}
        return {run_id: RunHighlights(_cost_of(run_id, calls), pictures.get(run_id)) for run_id in run_ids}


async def _newest(
    connection: AsyncConnection, run_ids: Sequence[UUID], types: Sequence[str], *, by_role: bool
) -> list[Event]:
    """Return the newest event of these classes of each run, or of each role of each run."""
    key = (EventRow.run_id, EventRow.role) if by_role else (EventRow.run_id,)
    query = select(EventRow.subject, EventRow.body).where(EventRow.run_id.in_(run_ids), EventRow.type.in_(types))
    query = query.ext(distinct_on(*key)).order_by(*key, EventRow.stream_sequence.desc())
    return [parse(subject, body) for subject, body in await connection.execute(query)]


def _cost_of(run_id: UUID, calls: Sequence[Event]) -> float | None:
    costs = [call.spent.cost_usd for call in calls if isinstance(call, ModelCalled) and call.run_id == run_id]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def _picture_of(event: Event) -> ArtifactRef | None:
    match event:
        case RunSucceeded(delivery=delivery):
            return None if delivery.media is None else delivery.media.poster
        case FilmCompleted(media=media):
            return media.poster
        case RenderCompleted(picture=picture):
            return picture
        case _:
            raise ValueError(f"{event.type} has no picture")
