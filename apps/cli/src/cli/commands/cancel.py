"""`millwright cancel RUN`."""

from uuid import UUID

from contracts.event_format import format_event
from contracts.settings import COMMAND
from local_stack.settings import CliSettings, read_settings
from local_stack.stack import Stack, StackOptions, open_stack, run_or_fail
from rich.console import Console
from rich.text import Text

from cli.entry import FAILED, OK, run
from cli.log_access import unknown_run
from cli.options import Run, parse_run_id
from cli.runs.run_control import CANCELLATION_S, cancel_run
from cli.screen import line_printer, output_console


def cancel(run_id: Run) -> None:
    """Cancel a run."""
    run(_cancel(parse_run_id(run_id), read_settings(), output_console()))


async def _cancel(run_id: UUID, settings: CliSettings, console: Console) -> int:
    async with open_stack(StackOptions(settings, joins_single_runs=True, report=line_printer(console))) as stack:
        return await run_or_fail(stack.failure, _cancel_on(stack, run_id, console))


async def _cancel_on(stack: Stack, run_id: UUID, console: Console) -> int:
    history = await stack.bus.history(run_id)
    if not history:
        raise unknown_run(run_id)
    ended = await stack.bus.ended(run_id)
    if ended is not None:
        console.print(Text(f"the run had ended already: {format_event(ended).text}"))
        return OK
    ended = await cancel_run(stack.bus, history[0])
    if ended is None:
        console.print(
            f"cancellation requested, but the run has not ended within {CANCELLATION_S:g} s; "
            f"see `{COMMAND} events {run_id}`"
        )
        return FAILED
    console.print(Text(format_event(ended).text))
    return OK
