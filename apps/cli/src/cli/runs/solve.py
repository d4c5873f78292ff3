"""One run, from the order to the folder."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from agent.model.spend import spent_by_role, total_of
from benchmarks.loader import CODE_TYPE, load
from contracts.envelope import Event
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from contracts.models.conversation import Usage
from local_stack.disk_space import require_disk_space
from local_stack.errors import UserError
from local_stack.settings import CliSettings
from local_stack.stack import Stack, StackOptions, open_stack, run_or_fail
from rich.console import Console
from rich.text import Text
from sim_worker.media.graphics_check import check as check_graphics
from store.errors import DatabaseAwayError
from store.log import EventLog

from cli import BEGUN_S
from cli.entry import FAILED, OK
from cli.formatting import format_event
from cli.runs.cancellation import cancel
from cli.runs.claim_warning import minding
from cli.runs.continuation import load_ended_run, store_continuation
from cli.runs.delivery import deliver
from cli.runs.listener import listen
from cli.runs.progress import ProgressDisplay
from cli.runs.request import ContinuationOptions, RunOptions, continuation_request, engineering_request, require_model
from cli.runs.result_panel import Delivered, failed_panel, solved_panel
from cli.screen import saying
from cli.text import one_line

OUT = Path("out")
"""Where deliveries lie unless the user says where."""
CANCELLING_S = 1.5
"""How long Ctrl-C waits for the run to end in order; with all the rest it has to be over within 5 s."""
RECORDING_S = 30.0
POLL_S = 0.1


@dataclass(frozen=True)
class Solving:
    """One order under way."""

    stack: Stack
    asked: EngineeringRequested
    console: Console

    async def run(self) -> RunSucceeded | RunFailed:
        """Open the run and follow it to its end; when we are cancelled, so is the run."""
        await self.stack.bus.publish(self.asked)
        try:
            return await self._follow()
        except asyncio.CancelledError:
            if self.stack.failure.done():  # nobody is there to be told
                raise
            self.console.print("cancelling the run …")
            ended = await cancel(self.stack.bus, self.asked, CANCELLING_S)
            story = f"millwright events {self.asked.run_id}"
            told = format_event(ended).text if ended else f"it ends at the next start; see {story}"
            self.console.print(Text(told), soft_wrap=True)
            raise

    async def _follow(self) -> RunSucceeded | RunFailed:
        """Show the run; after a success wait for what was learned, and in any case until all is recorded."""
        outages = self.stack.outages
        with ProgressDisplay(self.console, lambda: outages.waiting) as progress:
            async with minding(saying(self.console)) as answered:

                def show(event: Event) -> None:
                    progress.show(event)
                    if event.id != self.asked.id:
                        answered.set()

                heard = await listen(self.stack.bus, self.asked.run_id, show, lambda: outages.waiting is not None)
        end = next((event for event in heard.values() if isinstance(event, RunSucceeded | RunFailed)), None)
        if end is None:
            raise UserError(f"the log of run {self.asked.run_id} ended before the run did; start it again")
        with self.console.status("writing the record"):
            missing = await unrecorded(EventLog(self.stack.database.engine), end.run_id, set(heard))
        if missing:
            self.console.print(
                f"{missing} events are not in the database yet; the recorder goes on at the next start", soft_wrap=True
            )
        return end


async def solve(
    order: RunOptions, folder: Path | None, surroundings: CliSettings, console: Console, *, separate: bool
) -> int:
    """Run an order to its end and deliver; return the exit code. Everything is checked before anything begins."""
    loaded = load(order.benchmark, order.seed)
    require_model(order.model, order.budget, keys_elsewhere=surroundings.services_elsewhere)
    asked = engineering_request(order, loaded)
    require_disk_space(surroundings.millwright_data, folder or OUT)
    _announce(asked, console)

    async def prepare(stack: Stack) -> EngineeringRequested:
        await stack.artifacts.put(loaded.environment_code, CODE_TYPE)
        return asked

    return await _solved(prepare, folder, surroundings, console, separate=separate)


async def solve_again(
    sequel: ContinuationOptions, folder: Path | None, surroundings: CliSettings, console: Console, *, separate: bool
) -> int:
    """Go on from an earlier run, with its files and its journal; return the exit code."""
    require_disk_space(surroundings.millwright_data, folder or OUT)

    async def prepare(stack: Stack) -> EngineeringRequested:
        earlier = await load_ended_run(sequel.run_id, EventLog(stack.database.engine), stack.artifacts)
        continuation, left = await store_continuation(earlier, sequel.instruction, stack.artifacts)
        asked = continuation_request(sequel, earlier.request, continuation)
        require_model(asked.model, asked.budget, keys_elsewhere=surroundings.services_elsewhere)
        _announce(asked, console)
        say = saying(console)
        say(f"attempt {len(continuation.attempts) + 1} begins with {', '.join(left.files) or 'no files'}")
        for path, why in left.skipped.items():
            say(f"left out: {one_line(f'{path}: {why}')}")
        return asked

    return await _solved(prepare, folder, surroundings, console, separate=separate)


async def _solved(
    prepare: Callable[[Stack], Coroutine[None, None, EngineeringRequested]],
    folder: Path | None,
    surroundings: CliSettings,
    console: Console,
    *,
    separate: bool,
) -> int:
    drawing = asyncio.create_task(_graphics_problem(surroundings))  # a second or two, while servers start
    async with open_stack(StackOptions(surroundings, separate=separate, report=saying(console))) as stack:
        problem = await drawing
        if problem is not None:
            raise UserError(problem)
        asked = await run_or_fail(stack.failure, prepare(stack))
        end = await run_or_fail(stack.failure, Solving(stack, asked, console).run())
        spent = total_of(await spent_by_role(stack.bus, asked.run_id))
        if isinstance(end, RunFailed):
            return _fail(asked, end, spent, console)
        target = folder or _folder_of(asked)
        files = await deliver(asked, end, stack.artifacts, target)
    console.print(solved_panel(asked, end, Delivered(target, files), spent, time.monotonic() - BEGUN_S))
    return OK


def _announce(asked: EngineeringRequested, console: Console) -> None:
    variant = asked.assignment.variant
    saying(console)(f"{variant.title}, seed {variant.seed}: run {asked.run_id}")


def _folder_of(asked: EngineeringRequested) -> Path:
    variant = asked.assignment.variant
    return OUT / f"{variant.benchmark}-{variant.seed}-{str(asked.run_id)[:8]}"


async def _graphics_problem(surroundings: CliSettings) -> str | None:
    """Say why nothing can be drawn here; a sim-worker elsewhere looks for itself."""
    return None if surroundings.services_elsewhere else await asyncio.to_thread(check_graphics)


async def unrecorded(log: EventLog, run_id: UUID, ids: set[UUID]) -> int:
    """Wait until Postgres knows all these events of a run; return how many it does not know after a while."""
    deadline = time.monotonic() + RECORDING_S
    missing = ids
    while time.monotonic() < deadline:
        try:
            missing = ids - {event.id for event in await log.events_of(run_id)}
        except DatabaseAwayError:  # told to the user by the one who watches for outages, and ended by it
            deadline = time.monotonic() + RECORDING_S
        if not missing:
            break
        await asyncio.sleep(POLL_S)
    return len(missing)


def _fail(asked: EngineeringRequested, end: RunFailed, spent: Usage, console: Console) -> int:
    """Say why, and whose fault it is: a benchmark that cannot be worked on is bad input."""
    if end.reason == "benchmark_invalid":
        raise UserError(f"benchmark {asked.assignment.variant.benchmark}: {end.detail}")
    console.print(failed_panel(asked, end, spent, time.monotonic() - BEGUN_S))
    return FAILED
