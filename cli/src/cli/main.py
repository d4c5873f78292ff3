"""The `millwright` command."""

import io
import sys

import typer

from cli.commands.cancel import cancel
from cli.commands.demo import demo
from cli.commands.doctor import doctor
from cli.commands.events import events
from cli.commands.migrate import migrate
from cli.commands.permissions import permissions
from cli.commands.rebuild_stream import rebuild_stream
from cli.commands.runs import runs
from cli.commands.solve import solve
from cli.commands.up import up
from cli.errors import CannotGoOnError
from cli.running import refuse

app = typer.Typer(
    name="millwright",
    help="Agents invent mechanical problems and build real machines that solve them; physics is the judge.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
for command in (demo, up, solve, cancel, runs, events, doctor, migrate, permissions, rebuild_stream):
    app.command()(command)


def main() -> None:
    """Run a command; what is wrong with its input is one line and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal of few letters shows ? rather than a traceback
    try:
        app()
    except CannotGoOnError as error:
        sys.exit(refuse(error))
