"""Execution of one run by a command: checks, stack, request, progress, delivery, result panel."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from pathlib import Path

from agent.token_prices import RULE_BASED, spent_by_role, total_of
from benchmarks.loader import CODE_TYPE, load
from contracts.envelope import Event
from contracts.event_format import format_event
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from contracts.models.conversation import Usage
from contracts.settings import COMMAND
from contracts.text import one_line
from local_stack.data_folder import require_disk_space
from local_stack.errors import UserError
from local_stack.server_source import are_services_running
from local_stack.settings import CliSettings
from local_stack.stack import Stack, StackOptions, open_stack, run_or_fail
from rich.console import Console
from rich.text import Text
from run_report.document import report_html
from run_requests.continuation import load_earlier_run, store_continuation
from run_requests.previous_files import PreviousFiles
from run_requests.request import (
    ContinuationOptions,
    RunOptions,
    continuation_request,
    engineering_request,
    require_model,
)
from sim_worker.media.graphics_check import check as check_graphics
from store.log import EventLog

from cli import BEGUN_S
from cli.entry import FAILED, OK
from cli.log_access import restored
from cli.page_links import show_run
from cli.runs.delivery import deliver
from cli.runs.delivery_folder import require_own_or_empty
from cli.runs.progress import ProgressDisplay
from cli.runs.result_panel import DeliveredFolder, delivered_panel, failed_panel
from cli.runs.run_control import (
    cancel_run,
    count_unrecorded,
    follow_place,
    follow_run,
    learning_s,
    own_deadline,
    unfinished_learning,
    warn_if_unclaimed,
)
from cli.screen import line_printer

OUT = Path("out")
"""Holds deliveries without a folder of their own."""
CANCELLATION_S = 1.5
"""How long Ctrl-C waits for the run's end; with everything else it must be over within 5 s."""

Prepare = Callable[[Stack], Coroutine[None, None, EngineeringRequested]]

SAY_UNREAD = (
    "the rule-based expert does not read the text of --say: it solves the same variant again, from the files of the "
    "earlier run; a language model reads it: --model PROVIDER:NAME"
)


@dataclass(frozen=True)
class RunPlace:
    """Where a command has its run made, shown and delivered."""

    settings: CliSettings
    console: Console
    folder: Path | None = None
    """For the delivery; None: one with the run's id."""
    separate: bool = False
    """Whether a stack of its own runs it."""
    watch: bool = False
    """Whether its page is shown in a browser; the command goes on until Ctrl-C."""


async def solve_benchmark(options: RunOptions, place: RunPlace) -> int:
    """Run a benchmark to its end and deliver; return the exit code. All input is checked before anything starts."""
    loaded = load(options.benchmark, options.seed)
    require_model(options.model, options.budget, keys_elsewhere=are_services_running(place.settings))
    request = engineering_request(options, loaded)
    _require_folders(place.settings, place.folder)
    _announce(request, place.console)

    async def prepare(stack: Stack) -> EngineeringRequested:
        await stack.artifacts.put(loaded.environment_code, CODE_TYPE)
        return request

    return await _solve(prepare, place)


async def continue_run(options: ContinuationOptions, place: RunPlace) -> int:
    """Continue an earlier run with its files and its journal; return the exit code."""
    _require_folders(place.settings, place.folder)

    async def prepare(stack: Stack) -> EngineeringRequested:
        log = EventLog(stack.database.engine)
        earlier = await load_earlier_run(options.run_id, options.after_cell, log, stack.artifacts)
        continuation, previous = await store_continuation(earlier, options.instruction, stack.artifacts)
        request = continuation_request(options, earlier.request, continuation)
        require_model(request.model, request.budget, keys_elsewhere=are_services_running(place.settings))
        _announce(request, place.console)
        print_line = line_printer(place.console)
        for line in lines_before_attempt(request, previous):
            print_line(line)
        return request

    return await _solve(prepare, place)


def lines_before_attempt(request: EngineeringRequested, previous: PreviousFiles) -> Iterator[str]:
    """Yield what a user should know before a run is continued."""
    if request.model in RULE_BASED:
        yield SAY_UNREAD
    attempts = 0 if request.continues is None else len(request.continues.attempts)
    yield f"attempt {attempts + 1} starts with {', '.join(previous.files) or 'no files'}"
    for path, reason in previous.skipped.items():
        yield f"left out: {one_line(f'{path}: {reason}')}"


async def _solve(prepare: Prepare, place: RunPlace) -> int:
    settings, console, watch = place.settings, place.console, place.watch
    graphics = asyncio.create_task(_graphics_problem(settings))  # takes a second or two, while servers start
    options = StackOptions(settings, separate=place.separate, shows_pages=watch, report=line_printer(console))
    async with open_stack(options) as stack:
        problem = await graphics
        if problem is not None:
            raise UserError(problem)
        request = await run_or_fail(stack.failure, prepare(stack))
        if watch:
            show_run(console, settings.millwright_data, stack.api_url, request.run_id)
        end = await run_or_fail(stack.failure, execute_run(stack, request, console))
        spent = total_of(await spent_by_role(stack.bus, request.run_id))
        if isinstance(end, RunFailed):
            return _print_failure(request, end, spent, console)
        target = place.folder or _default_folder(request)
        events = await restored(await EventLog(stack.database.engine).events_of(request.run_id), stack.artifacts)
        files = await deliver(request, end, stack.artifacts, target, await report_html(events, stack.artifacts))
        delivered = DeliveredFolder(target, files)
        console.print(delivered_panel(request, end, delivered, spent, time.monotonic() - BEGUN_S))
        if watch and not stack.is_joined:
            await _stay(stack, console)
    return OK if end.result.is_proven else FAILED


async def _stay(stack: Stack, console: Console) -> None:
    console.print("the pages stay until Ctrl-C")
    with contextlib.suppress(asyncio.CancelledError):  # Ctrl-C is the regular end
        await asyncio.wait((stack.failure,))


async def execute_run(stack: Stack, request: EngineeringRequested, console: Console) -> RunSucceeded | RunFailed:
    """Publish the request and follow the run to its end; when this task is cancelled, cancel the run."""
    await stack.bus.publish(request)
    try:
        return await _follow(stack, request, console)
    except asyncio.CancelledError:
        if stack.failure.done():  # no server is left that could cancel it
            raise
        console.print("cancelling the run …")
        ended = await cancel_run(stack.bus, request, CANCELLATION_S)
        pending = f"it will be cancelled at the next start; see {COMMAND} events {request.run_id}"
        console.print(Text(format_event(ended).text if ended else pending), soft_wrap=True)
        raise


async def _follow(stack: Stack, request: EngineeringRequested, console: Console) -> RunSucceeded | RunFailed:
    """Show the run; after a success wait for the skill-learner, and in any case until all events are recorded."""
    outages = stack.outages
    with ProgressDisplay(console, lambda: outages.waiting) as progress:
        async with (
            warn_if_unclaimed(line_printer(console)) as claimed,
            own_deadline(request) as deadline,
            follow_place(stack.bus, request.run_id, progress.show_place),
        ):

            def show(event: Event) -> None:
                progress.show(event)
                if event.id != request.id:
                    claimed.set()
                deadline.note(event)

            events = await follow_run(
                stack.bus, request.run_id, show, lambda: outages.waiting is not None, learning_s(request.model)
            )
    end = next((event for event in events.values() if isinstance(event, RunSucceeded | RunFailed)), None)
    if end is None:
        raise UserError(f"the stream of run {request.run_id} ended before the run did; run the command again")
    if line := unfinished_learning(events.values(), request.run_id):
        console.print(line, soft_wrap=True)
    with console.status("recording the run"):
        missing = await count_unrecorded(EventLog(stack.database.engine), end.run_id, set(events))
    if missing:
        line = f"{missing} events are not in the database yet; the recorder writes them at the next start"
        console.print(line, soft_wrap=True)
    return end


def _announce(request: EngineeringRequested, console: Console) -> None:
    variant = request.assignment.variant
    line_printer(console)(f"{variant.title}, seed {variant.seed}: run {request.run_id}")


def _require_folders(settings: CliSettings, folder: Path | None) -> None:
    """Raise `UserError` unless data and delivery can be written; a run must not end without a place for its result."""
    require_disk_space(settings.millwright_data, folder or OUT)
    if folder is not None:
        require_own_or_empty(folder)


def _default_folder(request: EngineeringRequested) -> Path:
    variant = request.assignment.variant
    return OUT / f"{variant.benchmark}-{variant.seed}-{str(request.run_id)[:8]}"


async def _graphics_problem(settings: CliSettings) -> str | None:
    """Return the reason for which no frame can be drawn here; a sim-worker that runs elsewhere checks for itself."""
    return None if settings.services_elsewhere else await asyncio.to_thread(check_graphics)


def _print_failure(request: EngineeringRequested, end: RunFailed, spent: Usage, console: Console) -> int:
    """Print why the run failed; a benchmark that cannot be used is invalid input."""
    if end.reason == "benchmark_invalid":
        raise UserError(f"benchmark {request.assignment.variant.benchmark}: {end.detail}")
    console.print(failed_panel(request, end, spent, time.monotonic() - BEGUN_S))
    return FAILED
