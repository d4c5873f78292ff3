"""The `millwright` command."""

import gc
import importlib
import io
import sys
from typing import Any

import typer
from typer.core import TyperGroup

from cli.entry import USER_ERRORS, refuse

COMMANDS = {
    "demo": "Solve a benchmark with the offline expert, lighter than it asks for: no key, no Docker, about a minute.",
    "up": "Run servers and services until Ctrl-C; other commands of this machine join them.",
    "solve": "Have a benchmark solved, from request to verdict; what was made lies in a folder afterwards.",
    "eval": "Run benchmarks by one or more executors, and print side by side what they came to.",
    "cancel": "End a run that nobody wants any more, in order.",
    "runs": "List runs, the newest first.",
    "events": "Tell a run from the database alone: when, what, whose, because of what.",
    "conversation": "Tell what a role and its model said to each other, message by message, from the database.",
    "journal": "Tell what a role wrote down of a run and of the attempts before it, or open one of its entries.",
    "doctor": "Look at all that a run needs, of the machine and of the servers; tell each fault with its mend.",
    "migrate": "Bring the database's tables and the stream to the version of this code; services do neither.",
    "permissions": "Print the part of a nats-server's configuration that lets each service say and read its own.",
    "rebuild-stream": "Make the lost stream of a NATS server anew from what Postgres has recorded.",
}
"""Each is the function of its name in the module of its name in `cli.commands`, and this the first line of its help."""


class Commands(TyperGroup):
    """Loads the one command that is asked for: the libraries of them all take seconds."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:  # noqa: ANN401 - typer keeps the classes to itself
        """Return the command itself where there was its line of help."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, None if name is None else loaded(name), rest


def loaded(name: str) -> Any:  # noqa: ANN401 - as above
    """Return the command of this name."""
    word = name.replace("-", "_")
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    alone.command(name)(getattr(importlib.import_module(f"cli.commands.{word}"), word))
    return typer.main.get_command(alone)


def _stand_in() -> None:
    """Have a line in the help of all commands."""


app = typer.Typer(
    name="millwright",
    cls=Commands,
    help="Agents invent mechanical problems and build real machines that solve them; physics is the judge.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
for command, line in COMMANDS.items():
    app.command(command, help=line)(_stand_in)


def main() -> None:
    """Run a command; what is wrong with its input is one line and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal of few letters shows ? rather than a traceback
    try:
        app()
    except USER_ERRORS as error:
        sys.exit(refuse(error))
    finally:
        gc.freeze()  # or Python looks, for a second, through thousands of classes for rubbish before it ends
