"""Two gateways on one log, with tokens and without, and a run whose events have every control."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from uuid import uuid4

import pytest
import pytest_asyncio
from artifacts.client import Artifacts
from artifacts.settings import S3Settings
from chassis.app import App
from chassis.settings import BusSettings
from cli.evaluation.trials import TrialResult
from contracts.envelope import Event, during
from contracts.events.design import DesignInvalidated, DesignValidated
from contracts.events.run import EngineeringRequested
from contracts.events.simulation import FilmCompleted
from contracts.models.design import Finding
from gateway.settings import ApiToken
from pydantic import SecretStr
from store.database import Database
from store.log import EventLog
from store.settings import DatabaseSettings

from tests.gateway.gateway_client import running
from tests.gateway.gateway_settings import settings_on
from tests.support.clusters.cluster import Endpoints, make_service, started
from tests.support.clusters.example_run import ExampleRun, new_example_run
from tests.web.conftest import browser
from tests.web.pages.world import PagesWorld

__all__ = ["browser"]

PICTURES = ("clip", "video", "poster", "contact_sheet")
OWNER = ApiToken(name="owner", token=SecretStr("o" * 32), scopes=frozenset(("read", "run")))


@pytest.fixture(scope="session")
def database_url(pages_database_url: str) -> str:
    """The database of these tests."""
    return pages_database_url


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def worlds(
    nats_url: str, database_url: str, s3_settings: S3Settings, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[dict[bool, PagesWorld]]:
    """A gateway with tokens (True) and one without (False), and a recorder."""
    endpoints = Endpoints(nats_url, database_url, s3_settings)
    publisher, artifacts = App("publisher", BusSettings(nats_url=nats_url)), Artifacts(s3_settings)
    recorder = make_service("recorder", endpoints.settings("recorder"))
    database = Database(DatabaseSettings(database_url=database_url))
    folder = _evaluations(tmp_path_factory.mktemp("evaluations"))
    free = settings_on(endpoints).model_copy(update={"gateway_evaluations": folder})
    guarded = free.model_copy(update={"gateway_tokens": (OWNER,)})
    log = EventLog(database.engine)
    async with started(artifacts, publisher, recorder), running(free) as open_one, running(guarded) as guarded_one:
        yield {
            False: PagesWorld(open_one.app.url, publisher, log, artifacts, open_one.client),
            True: PagesWorld(guarded_one.app.url, publisher, log, artifacts, open_one.client),
        }
    await database.stop()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def run(worlds: dict[bool, PagesWorld]) -> ExampleRun:
    """A recorded run with a finding that names a part, and a film with a clip; another one is beside it."""
    world = worlds[True]
    await world.recorded_run()
    example = await new_example_run(world.artifacts)
    events = await _with_all_controls(example.events, world.artifacts)
    await world.record(events)
    return ExampleRun(example.run_id, events)


async def _with_all_controls(events: Sequence[Event], artifacts: Artifacts) -> list[Event]:
    opening, label = events[0], ""
    assert isinstance(opening, EngineeringRequested)
    clip = await artifacts.put(b"RIFF\0\0\0\0WEBP", "image/webp")
    more: list[Event] = []
    for event in events:
        if isinstance(event, DesignValidated):
            label = event.bill.lines[0].label
        if isinstance(event, FilmCompleted):
            finding = Finding(rule="floating", label=label, detail="nothing holds it")
            limits = opening.assignment.limits
            more += [
                DesignInvalidated(**during(opening, "a finding", "cad-worker"), findings=(finding,), limits=limits)
            ]
            event = event.model_copy(update={"media": event.media.model_copy(update=dict.fromkeys(PICTURES, clip))})  # noqa: PLW2901
        more.append(event)
    return more


def _evaluations(folder: Path) -> Path:
    """Write two evaluations of one benchmark."""
    figures = {"steps": 5, "model_calls": 9, "input_tokens": 1, "output_tokens": 1, "cost_usd": None, "time_s": 20.0}
    names = {"benchmark": "detour", "executor": "code", "model": "offline", "designs": 1}
    for name in ("old", "new"):
        (folder / name).mkdir()
        trial = TrialResult.model_validate({**figures, **names, "run_id": uuid4(), "seed": 0, "solved": True})
        (folder / name / "results.jsonl").write_text(trial.model_dump_json() + "\n")
    return folder
