"""The database alone, for commands that only read."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from local_stack.readiness import as_user_errors, wait_for_servers
from local_stack.server_settings import settings_from
from local_stack.servers.server_stack import ServerStack
from local_stack.settings import CliSettings
from local_stack.state import is_held, read_state
from store.database import Database
from store.migrate import migrate
from store.settings import DatabaseSettings


@asynccontextmanager
async def open_archive(surroundings: CliSettings) -> AsyncGenerator[Database]:
    """Open the database that the environment names, or a neighbour's, or our own, started for as long as we read.

    One that the environment names is only read: there `millwright migrate` has been, maybe as another user.
    """
    async with AsyncExitStack() as leaving:
        url = await _find(surroundings, leaving)
        settings = settings_from(DatabaseSettings, {"DATABASE_URL": url})
        with as_user_errors():
            if surroundings.database_url is None:
                await migrate(settings)
            database = Database(settings)
            leaving.push_async_callback(database.stop)
            await database.start()
        yield database


async def _find(surroundings: CliSettings, leaving: AsyncExitStack) -> str:
    if surroundings.database_url is not None:
        await wait_for_servers({"DATABASE_URL": surroundings.database_url})
        return surroundings.database_url
    folder = surroundings.millwright_data
    state = read_state(folder) if is_held(folder) else None
    if state is not None:
        return state.environment["DATABASE_URL"]
    servers = ServerStack(folder, only=("postgres",))
    leaving.callback(servers.stop)
    return servers.start().database_url
