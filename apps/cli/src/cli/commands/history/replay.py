"""`millwright replay RUN`."""

import asyncio
import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated
from uuid import UUID

import typer
from agent.replay.role_replay import RoleReplay
from contracts.envelope import Event, Role
from contracts.text import counted
from local_stack.errors import UserError
from local_stack.settings import CliSettings, read_settings
from rich.console import Console
from rich.text import Text
from run_requests.request import ContinuationOptions

from cli.commands.history.events import event_lines
from cli.commands.history.kernel_prompt import RecordedKernel, open_prompt
from cli.entry import FAILED, OK, run
from cli.log_access import load_runs, open_history, read_run
from cli.options import RoleName, Run, parse_role, parse_run_id
from cli.role_replays import REPLAYED, replay_service
from cli.runs.execution import RunPlace, continue_run
from cli.screen import output_console, print_mark

ALL = "all"
SERVICES = ", ".join((*REPLAYED, ALL))
DIFF_STYLES = {"+": "green", "-": "red", "@": "cyan"}

Service = Annotated[
    str | None,
    typer.Option(metavar="ROLE", help=f"Decide again with today's policy and the recorded replies: {SERVICES}."),
]
Speed = Annotated[float, typer.Option(min=0, metavar="N", help="Times as fast as the run was; 0: without pauses.")]
Until = Annotated[int | None, typer.Option(min=1, metavar="EVENT", help="Number of the last event to play.")]
StepByStep = Annotated[bool, typer.Option("--step", help="Wait for Enter after each event.")]
AtCell = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Open a prompt in the kernel as it was after the role's cell N."),
]
Code = Annotated[str | None, typer.Option(metavar="CODE", help="With --at-cell: evaluate this instead of a prompt.")]
ForkAt = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Go on after the engineer's cell N in a new run; needs --say.")
]
Say = Annotated[str | None, typer.Option(metavar="TEXT", help="With --fork-at: instruction for the new run.")]
Prompts = Annotated[bool, typer.Option(help="With --service: whether prompts are compared, too.")]


def replay(  # noqa: PLR0913, PLR0917 - the command's options
    run_id: Run,
    service: Service = None,
    speed: Speed = 1.0,
    until: Until = None,
    step: StepByStep = False,
    prompts: Prompts = True,
    at_cell: AtCell = None,
    role: RoleName = "engineer",
    code: Code = None,
    fork_at: ForkAt = None,
    say: Say = None,
) -> None:
    """Play the events of a run again, or its decisions or cells; or go on from one of its cells in a new run."""
    roles = _parse_service(service)
    _require_one_use(service, at_cell, code, fork_at, say)
    settings, console = read_settings(), output_console()
    if at_cell is not None:
        kernel = RecordedKernel(parse_run_id(run_id), parse_role(role), at_cell)
        run(open_prompt(kernel, code, settings, console))
    if fork_at is not None and say is not None:
        fork = ContinuationOptions(parse_run_id(run_id), say, after_cell=fork_at)
        run(continue_run(fork, RunPlace(settings, console)))
    if roles:
        run(_replay_services(parse_run_id(run_id), roles, settings, console, with_prompts=prompts))
    run(_play(parse_run_id(run_id), settings, console, speed=None if step else speed, until=until))


def _require_one_use(
    service: str | None, at_cell: int | None, code: str | None, fork_at: int | None, say: str | None
) -> None:
    if sum(each is not None for each in (service, at_cell, fork_at)) > 1:
        raise UserError("choose one of --service, --at-cell and --fork-at")
    if code is not None and at_cell is None:
        raise UserError("--code is evaluated in a kernel: name its cell with --at-cell N")
    if (fork_at is not None) != bool((say or "").strip()):
        raise UserError('--fork-at N and --say belong together: --fork-at 3 --say "use fewer legs"')


def _parse_service(text: str | None) -> Sequence[Role]:
    if text is None:
        return ()
    if text == ALL:
        return tuple(REPLAYED)
    role = parse_role(text)
    if role not in REPLAYED:
        raise UserError(f"the {role} cannot be replayed, since it reads tables besides the events: use {SERVICES}")
    return (role,)


async def _play(
    run_id: UUID, settings: CliSettings, console: Console, *, speed: float | None, until: int | None
) -> int:
    (events,) = await load_runs(run_id, settings)
    played = events[:until]
    for event, line, pause_s in zip(played, event_lines(events), pauses_s(played), strict=False):
        if speed:
            await asyncio.sleep(pause_s / speed)
        console.print(line, soft_wrap=True)
        if speed is None and event is not played[-1] and not await asyncio.to_thread(sys.stdin.readline):
            break
    return OK


def pauses_s(events: Sequence[Event]) -> list[float]:
    """Return how long after the one before each event occurred; not negative, since clocks of services differ."""
    times = [event.occurred_at for event in events]
    return [0.0, *(max(0.0, (late - early).total_seconds()) for early, late in pairwise(times))]


async def _replay_services(
    run_id: UUID, roles: Sequence[Role], settings: CliSettings, console: Console, *, with_prompts: bool
) -> int:
    async with open_history(settings) as history:
        events = await read_run(run_id, history)
        replays = [await replay_service(role, events, history.artifacts, with_prompts=with_prompts) for role in roles]
    for each in replays:
        print_replay(console, each, events)
    return FAILED if any(each.divergence for each in replays) else OK


def print_replay(console: Console, replay: RoleReplay, events: Sequence[Event]) -> None:
    """Print what came of a role's replay, with the first divergence as a diff."""
    divergence = replay.divergence
    if divergence is None:
        counts = f"{counted(replay.events, 'event')}, {counted(replay.steps, 'step')}"
        print_mark(console, "success", f"{replay.role}: {counts}, no divergence")
        return
    number = next(number for number, each in enumerate(events, start=1) if each.id == divergence.event.id)
    where = f"after event {number}, {divergence.event.type}"
    print_mark(console, "failure", f"{replay.role}: {divergence.what} {where} ({divergence.event.id})")
    for line in divergence.diff.splitlines():
        console.print(Text(line, style=DIFF_STYLES.get(line[:1], "")), soft_wrap=True)
