"""`millwright permissions`."""

from chassis.stream.permissions import all_permissions, authorization
from local_stack.service_apps import build_detached_apps

from cli.entry import OK, run
from cli.screen import screen

NOTE = """\
# One user for each service. nats-server reads the passwords from its environment; a service finds its own in NATS_URL:
# nats://planner:PASSWORD@HOST:4222. Start a password with a letter, since nats-server takes figures for a number.
# `admin` is for `millwright migrate`, `millwright rebuild-stream` and `millwright doctor`.
"""


def permissions() -> None:
    """Print the part of a nats-server's configuration that lets each service say and read its own."""
    run(_permissions())


async def _permissions() -> int:
    console = screen()
    console.print(
        NOTE + authorization(all_permissions(build_detached_apps())),
        end="",
        soft_wrap=True,
        markup=False,
        highlight=False,
    )
    return OK
