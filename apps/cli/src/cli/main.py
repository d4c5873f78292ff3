"""The entry point of the `millwright` command: its list of subcommands, each of which loads only when it is used."""

import gc
import importlib
import io
import sys
from importlib.metadata import version
from typing import Annotated, Any

import typer
from contracts.extensions import extending_packages
from contracts.settings import COMMAND, PROGRAM
from typer.core import TyperGroup

from cli.entry import USER_ERRORS, print_error

COMMANDS = {
    "demo": "Solve a benchmark with the offline expert and a tight mass limit: no key, no Docker, about a minute.",
    "up": "Run servers and services until Ctrl-C; other commands on this machine use them.",
    "down": "Stop the millwright that runs the servers of the data folder; its runs go on with the next `up`.",
    "solve": "Solve a benchmark, and write the delivered files into a folder.",
    "try": "Judge a design of your own in a benchmark's world: valid, priced, simulated; with its film. No servers.",
    "mcp": "Serve kernel, workbenches and physics as tools to agents of others (MCP): no model, no servers, no key.",
    "check": "Check a benchmark without a run: its files, its worlds under several seeds, and a picture.",
    "benchmark": "Write a benchmark of your own, show its variants, and certify that its witness solves it.",
    "generate": "Invent benchmarks: each is planned, written, certified under several seeds, reviewed and published.",
    "quote": "Quote the parts in CAD files, meshes and scripts: makeable or not, for how much, what to change first.",
    "ask": "Answer a question about images, a video or the film of a run, and write a report.",
    "eval": "Run benchmarks with one or more executors and print the results side by side.",
    "eval-compare": "Compare two evaluations on the benchmarks and seeds that they share.",
    "skills": "List, show, report and measure skills; try, evolve, adopt, revert, export and import their versions.",
    "cancel": "Cancel a run.",
    "runs": "List runs, the newest first.",
    "events": "Show the events of a run from the database, each with time, role, content and cause.",
    "conversation": "Show the messages between a role and its model, from the database.",
    "journal": "Show a role's journal of a run and its earlier attempts, or one entry.",
    "replay": "Play the events of a run again, or its decisions or cells; or go on from one of its cells in a new run.",
    "report": "Write a run, or two side by side, into one HTML file with its 3D replay.",
    "export": "Write runs as tables for analysis, or as conversations with tools and rewards for training.",
    "servers": "List the announced servers of models and perception; announce and remove servers.",
    "doctor": "Check everything that a run needs; report each problem with its measurement and fix.",
    "migrate": "Update database tables and stream to the version of this code; services never do this.",
    "backup": "Back up the database and the artifacts, verify backups, and restore one.",
    "stack": "List the stacks of this user on this machine, remove one whose data folder is gone, and recover one.",
    "permissions": "Print the part of a nats-server configuration that limits each service to its own subjects.",
    "rebuild-stream": "Restore the lost stream of a NATS server from what Postgres has recorded.",
    "rebuild-read-models": "Make the tables about runs from the event log again, and compare them with what they were.",
    "collect-artifacts": "Find stored artifacts that no event and no skill names, and delete them with --delete.",
}
"""For each the function, or the group of commands, of its name in the module of its name in `cli.commands`; the text is
the first line of its help."""
GROUPS = {
    "Solve": ("demo", "solve", "try", "quote", "mcp", "ask", "generate", "eval", "eval-compare"),
    "Benchmarks and skills": ("check", "benchmark", "skills"),
    "Runs": ("runs", "events", "conversation", "journal", "replay", "report", "export", "cancel"),
    "Servers and services": ("up", "down", "stack", "doctor", "servers", "backup"),
    "Administration": ("migrate", "permissions", "rebuild-stream", "rebuild-read-models", "collect-artifacts"),
}
"""How the list of all commands is divided."""
FOLDERS = {
    **dict.fromkeys(
        ("runs", "events", "conversation", "journal", "replay", "report", "export"), "cli.commands.history"
    ),
    **dict.fromkeys(GROUPS["Administration"], "cli.commands.administration"),
    **dict.fromkeys(("up", "down", "stack"), "cli.commands.machine"),
}
"""Of commands that are not in `cli.commands` itself."""
FUNCTIONS = {"try": "try_design"}
"""Of commands whose names Python keeps to itself: module and function."""


class Commands(TyperGroup):
    """Loads only the command that is called: the libraries of all commands take seconds."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:  # noqa: ANN401 - typer keeps the classes to itself
        """Return the command itself in place of its placeholder."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, None if name is None else load_command(name), rest


def load_command(name: str) -> Any:  # noqa: ANN401 - as above
    """Return the command of this name."""
    identifier = FUNCTIONS.get(name, name.replace("-", "_"))
    folder = FOLDERS.get(name, "cli.commands")
    named = getattr(importlib.import_module(f"{folder}.{identifier}"), identifier)
    if isinstance(named, typer.Typer):
        return typer.main.get_command(named)
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command(name)(named)
    return typer.main.get_command(app)


def _placeholder() -> None:
    """Stand for a command in the list of all commands."""


app = typer.Typer(
    name="millwright",
    cls=Commands,
    help="Agents design manufacturable machines that solve mechanical problems; physics is the judge.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
for group, commands in GROUPS.items():
    for command in commands:
        app.command(command, help=COMMANDS[command], rich_help_panel=group)(_placeholder)


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        typer.echo(
            "\n".join((f"{PROGRAM} {version('millwright')}", *(f"with {each}" for each in extending_packages())))
        )
        raise typer.Exit


@app.callback()
def _options(
    is_version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Agents design manufacturable machines that solve mechanical problems; physics is the judge."""


def main() -> None:
    """Run a command; invalid input is reported in one line, with exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without UTF-8 shows ? rather than a traceback
    try:
        app(prog_name=COMMAND)
    except USER_ERRORS as error:
        sys.exit(print_error(error))
    finally:
        gc.freeze()  # or Python spends a second at its exit on searching thousands of classes for garbage
