"""The two servers that hold the log: for commands that need neither services nor artifacts."""

from contextlib import ExitStack

from local_stack.readiness import wait_for_servers
from local_stack.servers.server_stack import ServerStack
from local_stack.settings import CliSettings
from local_stack.state import is_held, read_state


async def log_servers(surroundings: CliSettings, leaving: ExitStack) -> dict[str, str]:
    """Return where the servers are: named by the environment, a neighbour's, or our own, started for as long."""
    named = {"NATS_URL": surroundings.nats_url, "DATABASE_URL": surroundings.database_url}
    given = {variable: url for variable, url in named.items() if url is not None}
    if given:
        await wait_for_servers(given)
        return given
    folder = surroundings.millwright_data
    state = read_state(folder) if is_held(folder) else None
    if state is None:
        own = ServerStack(folder, only=("nats-server", "postgres"))
        leaving.callback(own.stop)
        environment = own.start().environment()
    else:
        environment = state.environment
    return {variable: environment[variable] for variable in named}
