"""On a real bus, a cell simulates, reads its run by absolute time, and has sim-worker film it."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID, uuid4

import cad_worker.app
import cad_worker.settings
import pytest
import pytest_asyncio
import sim_worker.app
import sim_worker.settings
from artifacts.client import Artifacts
from artifacts.port import get_json
from artifacts.settings import S3Settings
from chassis.app import App
from chassis.settings import BusSettings
from contracts.events.run import EnvironmentBuilt, EnvironmentRequested, RunFailed
from contracts.events.session import CellCompleted, CellRequested, FileWriteRequested, SessionOpened, SessionRequested
from contracts.events.simulation import FilmCompleted, FilmRequested
from kernel_host.sessions.images import clean_image
from kernel_host.sessions.tool_replies import ToolReplies

from tests.support.kernel_world import ENVIRONMENT_CODE, GOOD_SCRIPT, assignment

pytestmark = pytest.mark.asyncio(loop_scope="session")

WATCH = """
from script import assembly
from utils import simulate
run = simulate(assembly)
half_s = run.time_s[-1] / 2
height = run.payload_mm[:, 2]
print(f"fell {height[0] - height.at(half_s):.3f} mm until {half_s:.3f} s")
piece = run[0:half_s]
print(f"{piece.time_s[-1] <= half_s} {run.verdict == run.nominal.ending}")
show(run)
show(piece, label="first half")
"""


class Run:
    """A run with both workers; the test is planner and engineer."""

    def __init__(self, client: App, artifacts: Artifacts) -> None:
        self.client, self.artifacts = client, artifacts
        self.run_id = uuid4()

    async def open(self) -> None:
        """Build the environment, open the session and write the script."""
        task = assignment(await self.artifacts.put(ENVIRONMENT_CODE.encode(), "text/x-python"))
        by_planner: dict[str, Any] = {"run_id": self.run_id, "role": "planner", "producer": "planner"}
        built = await self.client.bus.ask(EnvironmentRequested(id=uuid4(), assignment=task, **by_planner))
        assert isinstance(built, EnvironmentBuilt), built
        world: dict[str, Any] = {"assignment": task, "environment": built.environment, "plan_md": "", "todo_md": ""}
        opened = await self.client.bus.ask(SessionRequested(id=uuid4(), **world, **self._by_engineer))
        assert isinstance(opened, SessionOpened), opened
        await self.client.bus.ask(
            FileWriteRequested(id=uuid4(), path="script.py", text=GOOD_SCRIPT, **self._by_engineer)
        )

    async def run_cell(self, code: str) -> CellCompleted:
        """Run a cell."""
        cell = CellRequested(id=uuid4(), purpose="watch", code=code, timeout_s=120.0, **self._by_engineer)
        done = await self.client.bus.ask(cell)
        assert isinstance(done, CellCompleted), done
        return done

    async def end(self) -> None:
        """End the run."""
        end: dict[str, Any] = {"run_id": self.run_id, "role": "planner", "producer": "test"}
        await self.client.bus.publish(RunFailed(id=uuid4(), reason="cancelled", detail="done", **end))

    @property
    def _by_engineer(self) -> dict[str, Any]:
        return {"run_id": self.run_id, "role": "engineer", "producer": "engineer"}


@pytest_asyncio.fixture(loop_scope="session")
async def run(nats_url: str, s3_settings: S3Settings) -> AsyncIterator[Run]:
    fields = {**s3_settings.model_dump(), "nats_url": nats_url}
    small = {"sim_video_width": 160, "sim_video_height": 120}
    workers = [
        cad_worker.app.make_app(cad_worker.settings.Settings.model_validate(fields)),
        sim_worker.app.make_app(sim_worker.settings.Settings.model_validate(fields | small)),
    ]
    client, artifacts = App("client", BusSettings(nats_url=nats_url)), Artifacts(s3_settings)
    started = [artifacts, *workers, client]
    for each in started:
        await each.start()
    yield Run(client, artifacts)
    for each in reversed(started):
        await each.stop()


async def test_cell_simulates_reads_series_and_shows_slices(run: Run) -> None:
    await run.open()
    done = await run.run_cell(WATCH)
    seen = done.observation
    assert seen.status == "ok", seen
    assert "fell " in seen.output
    assert seen.output.splitlines()[0].startswith("**")
    verdict = seen.output.splitlines()[0].replace("*", "")[:40]
    labels = [image.label for image in seen.images]
    assert len(labels) == 4, "key frames and views of each run"
    frames, views = labels[::2], labels[1::2]
    assert all(label.startswith(verdict) for label in frames), "the label begins with the verdict"
    assert frames[1].endswith(": first half")
    assert all(label.endswith("top front right") for label in views)
    assert all("Green: goal zone" in image.shows for image in seen.images)
    for image in seen.images:
        picture = clean_image(await run.artifacts.get(image.artifact))
        assert (picture.width_px, picture.height_px) == (image.width_px, image.height_px)
    (recorded,) = [variable for variable in seen.variables if variable.name == "run"]
    assert recorded.type == "SimulationRun"
    assert ".at(1.25)" in recorded.summary
    await _check_size_of_reply(run, done)
    await _check_films(run, done.causation_id)
    await run.end()


async def _check_size_of_reply(run: Run, done: CellCompleted) -> None:
    assert done.tool_replies is not None
    replies = await get_json(run.artifacts, done.tool_replies, ToolReplies)
    assert done.tool_replies.size_bytes < 20_000, "the trajectory is not recorded"
    assert isinstance(replies.replies[0].reply, dict)
    assert replies.replies[0].reply["trajectory_npz"] == ""


async def _check_films(run: Run, cell: UUID | None) -> None:
    history = await run.client.bus.history(run.run_id)
    films = [event for event in history if isinstance(event, FilmRequested)]
    assert [film.causation_id for film in films] == [cell, cell]
    assert films[0].window_s is None
    assert films[1].window_s is not None
    assert len([event for event in history if isinstance(event, FilmCompleted)]) == 2
