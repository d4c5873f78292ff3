"""All that was said in a run, whole, for commands that tell it word by word."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import ExitStack, asynccontextmanager
from uuid import UUID

from artifacts.client import Artifacts
from artifacts.port import ArtifactError
from artifacts.settings import S3Settings
from chassis.stream.large_fields import LargeFields
from contracts.envelope import Event
from contracts.events.run import EngineeringRequested
from local_stack.errors import UserError
from local_stack.readiness import as_user_errors
from local_stack.server_settings import settings_from
from local_stack.servers.server_stack import ServerStack
from local_stack.settings import CliSettings
from local_stack.state import is_held, read_state
from store.log import EventLog

from cli.log_access import open_archive


async def whole_runs(run_id: UUID, surroundings: CliSettings, *, attempts: bool = False) -> list[list[Event]]:
    """Return a run's events as they were said; with `attempts`, before it those of the runs that it goes on from.

    Of each run all events in order, texts that travelled apart put back. Raises `CannotGoOnError`.
    """
    async with open_archive(surroundings) as database:
        log = EventLog(database.engine)
        told = await log.events_of(run_id)
        if not told:
            raise UserError(f"there is no run {run_id}: `millwright runs` lists them")
        before = [await log.events_of(each) for each in _earlier(told)] if attempts else []
    runs = [*before, told]
    if not any(event.large_fields for events in runs for event in events):
        return runs
    async with _blobs(surroundings) as blobs:
        fields = LargeFields(blobs)
        try:
            return [[await fields.restored(event) for event in events] for events in runs]
        except ArtifactError as error:
            raise UserError(f"not all that was said can be fetched: {error}") from error


def _earlier(told: list[Event]) -> tuple[UUID, ...]:
    for event in told:
        if isinstance(event, EngineeringRequested) and event.continues is not None:
            return event.continues.attempts
    return ()


@asynccontextmanager
async def _blobs(surroundings: CliSettings) -> AsyncGenerator[Artifacts]:
    """Open the store of blobs that the environment names, or a neighbour's, or our own, for as long as we read."""
    with ExitStack() as leaving:
        artifacts = Artifacts(settings_from(S3Settings, _environment(surroundings, leaving)))
        with as_user_errors():
            await artifacts.start()
        try:
            yield artifacts
        finally:
            await artifacts.stop()


def _environment(surroundings: CliSettings, leaving: ExitStack) -> Mapping[str, str]:
    if joined := surroundings.external_s3():
        return joined
    folder = surroundings.millwright_data
    state = read_state(folder) if is_held(folder) else None
    if state is not None:
        return state.environment
    servers = ServerStack(folder, only=("seaweedfs",))
    leaving.callback(servers.stop)
    started = servers.start()
    blobs = started.s3
    return {
        "S3_ENDPOINT": blobs.endpoint,
        "S3_ACCESS_KEY": blobs.access_key,
        "S3_SECRET_KEY": blobs.secret_key,
        "ARTIFACTS_SPOOL": str(folder / "spool"),
    }
