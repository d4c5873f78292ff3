"""`millwright skills`: the skills that roles read, their versions and their trials."""

import typer

from cli.commands.skills.change import adopt, import_, revert
from cli.commands.skills.evolve import evolve
from cli.commands.skills.report import report
from cli.commands.skills.situations import situations_
from cli.commands.skills.stored_skills import diff, export, list_, show
from cli.commands.skills.trial import trial

skills = typer.Typer(
    help="List, show, report and measure skills; try, evolve, adopt, revert, export and import their versions.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
skills.command("list")(list_)
for command in (show, diff, report, trial, evolve, adopt, revert, export):
    skills.command()(command)
skills.command("situations")(situations_)
skills.command("import")(import_)
