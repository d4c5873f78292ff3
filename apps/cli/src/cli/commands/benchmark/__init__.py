"""`millwright benchmark`: for authors of benchmarks."""

import typer

from cli.commands.benchmark.author_commands import new, schema, show, variant
from cli.commands.benchmark.certify import certify
from cli.commands.benchmark.foreign import import_
from cli.commands.benchmark.harbor import harbor
from cli.commands.benchmark.pack import pack

benchmark = typer.Typer(
    help="Write a benchmark of your own, show its variants, and certify that its witness solves it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for command in (new, variant, show, schema, certify, pack, harbor):
    benchmark.command()(command)
benchmark.command("import")(import_)
