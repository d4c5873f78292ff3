"""Records the run of this folder: `python -m tests.web.pages.record RUN`, from the data of a `millwright demo`.

It keeps the artifacts that pages show: scenes, trajectories and the poster.
"""

import asyncio
import sys
from collections.abc import Iterator
from uuid import UUID

from artifacts.testing import FakeArtifacts
from cli.log_access import open_history, read_run
from contracts.envelope import Event
from contracts.events.design import DesignSimulated, DesignValidated
from contracts.events.run import EnvironmentBuilt, RunSucceeded
from contracts.events.simulation import SimulationCompleted, SimulationRequested
from contracts.models.artifact import ArtifactRef
from local_stack.settings import read_settings

from tests.replay.recorded_run import RecordedLog
from tests.support.clusters.example_run import FILE


def _shown(event: Event) -> Iterator[ArtifactRef | None]:
    match event:
        case EnvironmentBuilt(scene=scene) | DesignValidated(scene=scene) | SimulationRequested(scene=scene):
            yield scene
        case SimulationCompleted(result=result) | DesignSimulated(result=result):
            yield result.trajectory
        case RunSucceeded(delivery=delivery) if delivery.media is not None:
            yield delivery.media.poster
        case _:
            pass


async def _record(run_id: UUID) -> None:
    kept = FakeArtifacts()
    async with open_history(read_settings()) as history:
        events = await read_run(run_id, history)
        for ref in filter(None, (ref for event in events for ref in _shown(event))):
            await kept.put(await history.artifacts.get(ref), ref.media_type)
    RecordedLog(events, kept).write(FILE)


if __name__ == "__main__":
    asyncio.run(_record(UUID(sys.argv[1])))
