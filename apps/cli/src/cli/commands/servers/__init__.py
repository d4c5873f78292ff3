"""`millwright servers`: the registry of servers of models and perception."""

import typer

from cli.commands.servers.announcer import add, remove
from cli.commands.servers.server_list import list_

servers = typer.Typer(
    help="List the announced servers of models and perception; announce and remove servers.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
servers.command("list")(list_)
for command in (add, remove):
    servers.command()(command)
