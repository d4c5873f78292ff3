"""`millwright events RUN`."""

from collections.abc import Iterator, Sequence
from typing import Annotated
from uuid import UUID

import typer
from contracts.envelope import Event
from contracts.event_format import format_event
from local_stack.settings import CliSettings, read_settings
from rich.console import Console
from rich.text import Text
from store.log import EventLog

from cli.entry import OK, run
from cli.log_access import open_database, unknown_run
from cli.options import Run, parse_run_id
from cli.screen import MARKS, output_console

AsJson = Annotated[bool, typer.Option("--json", help="Print one event per line, as complete JSON.")]


def events(run_id: Run, as_json: AsJson = False) -> None:
    """Show the events of a run from the database, each with time, role, content and cause."""
    run(_events(parse_run_id(run_id), read_settings(), output_console(), as_json=as_json))


async def _events(run_id: UUID, settings: CliSettings, console: Console, *, as_json: bool) -> int:
    async with open_database(settings) as database:
        events = await EventLog(database.engine).events_of(run_id)
    if not events:
        raise unknown_run(run_id)
    lines = [Text(event.model_dump_json()) for event in events] if as_json else event_lines(events)
    for line in lines:
        console.print(line, soft_wrap=True)
    return OK


def event_lines(events: Sequence[Event]) -> Iterator[Text]:
    """Yield one line for each event, with the number of its cause in this list."""
    numbers = {event.id: number for number, event in enumerate(events, start=1)}
    for number, event in enumerate(events, start=1):
        line = format_event(event)
        mark, style = MARKS[line.severity]
        cause = "" if event.causation_id is None else f"← {numbers.get(event.causation_id, event.causation_id)}"
        yield Text.assemble(
            (f"{number:>4} {cause:<6} ", "dim"),
            (f"{event.occurred_at.astimezone():%H:%M:%S.%f}"[:-3], "dim"),
            f" {event.role:<13} {event.type:<21} ",
            (f"{mark} {line.text}", style),
        )
