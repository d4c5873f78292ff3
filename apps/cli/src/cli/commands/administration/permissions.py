"""`millwright permissions`."""

from chassis.administration.permissions import all_permissions, authorization
from contracts.settings import COMMAND
from local_stack.service_apps import build_detached_apps

from cli.entry import OK, run
from cli.screen import output_console

HEADER = f"""\
# One user for each service. nats-server reads the passwords from its environment; a service finds its own in NATS_URL:
# nats://planner:PASSWORD@HOST:4222. A password must start with a letter, since nats-server reads digits as a number.
# `admin` is for `{COMMAND} migrate`, `{COMMAND} rebuild-stream` and `{COMMAND} doctor`.
"""


def permissions() -> None:
    """Print the part of a nats-server configuration that limits each service to its own subjects."""
    run(_permissions())


async def _permissions() -> int:
    text = HEADER + authorization(all_permissions(build_detached_apps()))
    output_console().print(text, end="", soft_wrap=True, markup=False, highlight=False)
    return OK
