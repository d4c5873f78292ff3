"""`millwright stack`: the stacks of this machine, and what to do when the data of one is not where it was."""

from typing import Annotated

import typer
from local_stack.servers.recovery import recover as recover_folder
from local_stack.servers.stack_records import remove as remove_stack
from local_stack.servers.stack_records import stack_records, state_of
from local_stack.settings import read_settings

from cli.screen import output_console, print_mark

stack = typer.Typer(
    help="List the stacks of this user on this machine, remove one whose data folder is gone, and recover one.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@stack.command("list")
def list_() -> None:
    """List the stacks that are recorded: those of root, and those on a disk of their own."""
    found, console = stack_records(), output_console()
    for each in found:
        line = f"{each.stack}  {state_of(each)}, database of {each.size_bytes() >> 20} MB, {each.folder}"
        console.print(line, soft_wrap=True)
    if not found:
        console.print("no stack is recorded outside of its data folder")


@stack.command()
def remove(name: Annotated[str, typer.Argument(metavar="STACK", help="As `list` prints it.")]) -> None:
    """Forget a stack whose data folder is gone, and delete its database for good."""
    removed = remove_stack(name)
    print_mark(output_console(), "success", f"removed {name}, which was in {removed.folder}")


@stack.command()
def recover() -> None:
    """Make new passwords for a data folder without them, or let an empty database take the place of a lost one.

    What is there is kept.
    """
    folder = read_settings().millwright_data
    lost = recover_folder(folder)
    for line in lost:
        print_mark(output_console(), "failure", line)
    print_mark(output_console(), "success", f"{folder} can be started" if lost else f"nothing of {folder} is lost")
