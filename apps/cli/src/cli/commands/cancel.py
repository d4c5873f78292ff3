"""`millwright cancel RUN`."""

from uuid import UUID

from local_stack.errors import UserError
from local_stack.settings import CliSettings, read_settings
from local_stack.stack import Stack, StackOptions, open_stack, run_or_fail
from rich.console import Console
from rich.text import Text

from cli.entry import FAILED, OK, run
from cli.formatting import format_event
from cli.runs.cancellation import PATIENCE_S
from cli.runs.cancellation import cancel as cancel_run
from cli.screen import saying, screen

from .options import Run, run_id_of


def cancel(run_id: Run) -> None:
    """End a run that nobody wants any more, in order."""
    run(_cancel(run_id, read_settings(), screen()))


async def _cancel(text: str, surroundings: CliSettings, console: Console) -> int:
    run_id = run_id_of(text)
    async with open_stack(StackOptions(surroundings, joins_single_runs=True, report=saying(console))) as stack:
        return await run_or_fail(stack.failure, _cancel_in(stack, run_id, console))


async def _cancel_in(stack: Stack, run_id: UUID, console: Console) -> int:
    history = await stack.bus.history(run_id)
    if not history:
        raise UserError(f"there is no run {run_id}: `millwright runs` lists them")
    ended = await stack.bus.ended(run_id)
    if ended is not None:
        console.print(Text(f"it had ended already: {format_event(ended).text}"))
        return OK
    ended = await cancel_run(stack.bus, history[0], PATIENCE_S)
    if ended is None:
        console.print(f"asked, but the run has not ended within {PATIENCE_S:g} s; see `millwright events {run_id}`")
        return FAILED
    console.print(Text(format_event(ended).text))
    return OK
