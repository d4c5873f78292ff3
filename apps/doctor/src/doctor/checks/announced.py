"""The check of announced servers: what the registry holds now."""

from chassis.administration.permissions import CALLERS
from chassis.errors import ChassisError
from chassis.servers.access import open_registry, user_of
from chassis.servers.registry import RegisteredServer
from chassis.settings import BusSettings
from contracts.settings import COMMAND
from local_stack.server_access import settings_from

from doctor.check import Check, failed, passed, skipped
from doctor.target import Target

NAME = "announced servers"


async def check_announced(target: Target) -> Check:
    """Return which servers of models and perception are announced."""
    settings = settings_from(BusSettings, target.environment)
    if (user := user_of(settings)) not in CALLERS:
        return skipped("servers", NAME, f"{user} may not read the registry")
    try:
        async with open_registry(settings) as registry:
            found = await registry.read()
    except ChassisError as error:
        return failed("servers", NAME, "the registry cannot be read", f"run `{COMMAND} migrate`", str(error))
    return passed("servers", NAME, ", ".join(map(_line, found)) or "none")


def _line(each: RegisteredServer) -> str:
    what = each.server.model or each.server.kind
    return f"{what} at {each.server.url} until {each.expires_at:%H:%M:%S} UTC"
