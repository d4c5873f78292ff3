"""`millwright events RUN`."""

from collections.abc import Iterator, Sequence
from typing import Annotated

import typer
from contracts.envelope import Event
from local_stack.errors import UserError
from local_stack.settings import CliSettings, read_settings
from rich.console import Console
from rich.text import Text
from store.log import EventLog

from cli.entry import OK, run
from cli.formatting import format_event
from cli.log_access import open_archive
from cli.screen import MARKS, screen

from .options import Run, run_id_of

AsJson = Annotated[bool, typer.Option("--json", help="One event per line, whole, as JSON.")]


def events(run_id: Run, as_json: AsJson = False) -> None:
    """Tell a run from the database alone: when, what, whose, because of what."""
    run(_events(run_id, read_settings(), screen(), as_json=as_json))


async def _events(text: str, surroundings: CliSettings, console: Console, *, as_json: bool) -> int:
    run_id = run_id_of(text)
    async with open_archive(surroundings) as database:
        told = await EventLog(database.engine).events_of(run_id)
    if not told:
        raise UserError(f"there is no run {run_id}: `millwright runs` lists them")
    lines = [Text(event.model_dump_json()) for event in told] if as_json else story(told)
    for line in lines:
        console.print(line, soft_wrap=True)
    return OK


def story(told: Sequence[Event]) -> Iterator[Text]:
    """Yield one line for each event; causes are told by their number in this list."""
    numbers = {event.id: number for number, event in enumerate(told, start=1)}
    for number, event in enumerate(told, start=1):
        mark, style = MARKS[format_event(event).severity]
        cause = "" if event.causation_id is None else f"← {numbers.get(event.causation_id, event.causation_id)}"
        yield Text.assemble(
            (f"{number:>4} {cause:<6} ", "dim"),
            (f"{event.occurred_at.astimezone():%H:%M:%S.%f}"[:-3], "dim"),
            f" {event.role:<13} {event.type:<21} ",
            (f"{mark} {format_event(event).text}", style),
        )
