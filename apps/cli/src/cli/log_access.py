"""Read access to the event log, and to the artifacts that hold its long texts, for commands that need no services."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass
from uuid import UUID

from artifacts.client import Artifacts
from artifacts.port import ArtifactError, ArtifactStore
from artifacts.settings import S3Settings
from chassis.stream.large_fields import LargeFields
from contracts.envelope import Event
from contracts.events.run import EngineeringRequested
from contracts.settings import COMMAND
from local_stack.data_folder import read_state
from local_stack.errors import UserError
from local_stack.server_access import as_user_errors, settings_from, wait_for_servers
from local_stack.servers.server_stack import ServerStack
from local_stack.settings import CliSettings
from store.database import Database
from store.log import EventLog
from store.migrate import check_connection, migrate
from store.settings import DatabaseSettings


def join_or_start(settings: CliSettings, cleanup: ExitStack, *servers: str) -> Mapping[str, str]:
    """Return the variables of the local stack; without one start these servers, which `cleanup` stops."""
    state = read_state(settings.millwright_data)
    if state is not None:
        return state.environment
    own = ServerStack(settings.millwright_data, only=servers)
    cleanup.callback(own.stop)
    return own.start().environment()


@asynccontextmanager
async def open_database(
    settings: CliSettings, local: Mapping[str, str] | None = None, *, any_version: bool = False
) -> AsyncGenerator[Database]:
    """Open the external database, or the local one, which is started if necessary; `local`: variables of its stack.

    An external database is only read: `millwright migrate` has prepared it, maybe as another user. `any_version`: the
    database is left as it is, of whatever version, or empty.
    """
    async with AsyncExitStack() as cleanup:
        if settings.database_url is not None:
            environment: Mapping[str, str] = {"DATABASE_URL": settings.database_url}
            await wait_for_servers(environment)
        else:
            environment = local or join_or_start(settings, cleanup.enter_context(ExitStack()), "postgres")
        database_settings = settings_from(DatabaseSettings, environment)
        with as_user_errors():
            if settings.database_url is None and not any_version:
                await migrate(database_settings)
            database = Database(database_settings)
            cleanup.push_async_callback(database.stop)
            if any_version:
                await check_connection(database.engine, database_settings.database_connect_timeout_s)
            else:
                await database.start()
        yield database


async def load_runs(run_id: UUID, settings: CliSettings, *, with_attempts: bool = False) -> list[list[Event]]:
    """Return a run's events with their long texts restored; `with_attempts`, preceded by those of earlier attempts.

    The events of each run are in order. Raises `UserError`.
    """
    async with open_database(settings) as database:
        log = EventLog(database.engine)
        events = await log.events_of(run_id)
        if not events:
            raise unknown_run(run_id)
        earlier = [await log.events_of(each) for each in _earlier_attempts(events)] if with_attempts else []
    runs = [*earlier, events]
    if not any(event.large_fields for run in runs for event in run):
        return runs
    async with open_artifacts(settings) as artifacts:
        return [await restored(run, artifacts) for run in runs]


async def restored(events: list[Event], artifacts: ArtifactStore) -> list[Event]:
    """Return events with their long texts; raise `UserError` if one cannot be fetched."""
    fields = LargeFields(artifacts)
    try:
        return [await fields.restore(event) for event in events]
    except ArtifactError as error:
        raise UserError(f"some texts of the run cannot be fetched: {error}") from error


def unknown_run(run_id: UUID) -> UserError:
    """Return the error for an id that no run has."""
    return UserError(f"unknown run {run_id}: `{COMMAND} runs` lists all runs")


def _earlier_attempts(events: list[Event]) -> tuple[UUID, ...]:
    for event in events:
        if isinstance(event, EngineeringRequested) and event.continues is not None:
            return event.continues.attempts
    return ()


@asynccontextmanager
async def open_artifacts(settings: CliSettings, local: Mapping[str, str] | None = None) -> AsyncGenerator[Artifacts]:
    """Open the external S3 server, or the local one, which is started if necessary; `local` as in `open_database`."""
    with ExitStack() as cleanup:
        environment = settings.external_s3() or local or join_or_start(settings, cleanup, "seaweedfs")
        artifacts = Artifacts(settings_from(S3Settings, environment))
        with as_user_errors():
            await artifacts.start()
        try:
            yield artifacts
        finally:
            await artifacts.stop()


@dataclass(frozen=True)
class History:
    """Event log and artifacts, open."""

    database: Database
    artifacts: Artifacts
    database_url: str
    s3: S3Settings


@asynccontextmanager
async def open_history(settings: CliSettings, *, any_version: bool = False) -> AsyncGenerator[History]:
    """Open event log and artifacts together; local servers that do not run are started as one stack.

    `any_version`: see `open_database`.
    """
    external = {"postgres": settings.database_url, "seaweedfs": settings.external_s3()}
    with ExitStack() as cleanup:
        missing = [server for server, named in external.items() if not named]
        local: Mapping[str, str] = join_or_start(settings, cleanup, *missing) if missing else {}
        s3 = settings_from(S3Settings, settings.external_s3() or local)
        async with (
            open_database(settings, local, any_version=any_version) as database,
            open_artifacts(settings, local) as artifacts,
        ):
            yield History(database, artifacts, settings.database_url or local["DATABASE_URL"], s3)


async def read_run(run_id: UUID, history: History) -> list[Event]:
    """Return the events of a run in order, their long texts restored. Raises `UserError`."""
    events = await EventLog(history.database.engine).events_of(run_id)
    if not events:
        raise unknown_run(run_id)
    return await restored(events, history.artifacts)
