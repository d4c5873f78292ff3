"""Generation of benchmarks by a command: requests, progress, folders, table of results."""

import asyncio
import io
import time
import zipfile
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast
from uuid import UUID, uuid4

from agent.model.providers import offline_limits, offline_reading
from agent.token_prices import RULE_BASED
from artifacts.port import ArtifactStore
from contracts.envelope import Event
from contracts.event_format import format_event
from contracts.events.benchmark import BenchmarkBrief, BenchmarkPublished, BenchmarkRequested, GenerationFailed
from contracts.models.benchmark import Budget
from contracts.settings import COMMAND
from contracts.text import counted
from local_stack.data_folder import require_disk_space
from local_stack.errors import UserError
from local_stack.server_source import are_services_running
from local_stack.settings import CliSettings
from local_stack.stack import Stack, StackOptions, open_stack, run_or_fail
from rich.console import Console
from rich.table import Table
from rich.text import Text
from run_requests.request import require_model
from store.log import EventLog

from cli.concurrency import finished
from cli.entry import FAILED, OK
from cli.runs.delivery_folder import require_own_or_empty, write_delivery
from cli.runs.run_control import cancel_run, count_unrecorded
from cli.screen import line_printer, run_line

FILES = ("benchmark.yaml", "environment.py", "witness.py")
CANCELLATION_S = 1.5
TABLE_WIDTH = 160
"""Of a table that is not printed on a terminal."""


@dataclass(frozen=True)
class GenerationOptions:
    """Options of the command."""

    task: str
    level: int
    count: int
    model: str
    seed: int
    worlds: int
    drafts: int
    at_once: int
    deadline_s: float

    def request(self, number: int) -> BenchmarkRequested:
        """Return the request of one of the benchmarks, from 0."""
        brief = BenchmarkBrief(
            task=self.task,
            level=cast("Literal[1, 2, 3]", self.level),
            seed=self.seed + number,
            worlds=self.worlds,
            max_drafts=self.drafts,
            deadline_s=self.deadline_s,
        )
        return BenchmarkRequested(
            id=uuid4(),
            run_id=uuid4(),
            kind="benchmark",
            role="benchmark-generator",
            producer="cli",
            brief=brief,
            model=self.model,
        )


@dataclass(frozen=True)
class GenerationResult:
    """How the run of one benchmark ended."""

    request: BenchmarkRequested
    end: BenchmarkPublished | GenerationFailed
    time_s: float
    folder: Path | None = None
    """None: nothing was published."""


async def generate_benchmarks(
    options: GenerationOptions, out: Path, settings: CliSettings, console: Console, *, separate: bool
) -> int:
    """Generate all benchmarks and write their folders; return the exit code: 1 if one of them failed."""
    require_model(options.model, Budget(), keys_elsewhere=are_services_running(settings))
    require_disk_space(settings.millwright_data, out)
    print_line = line_printer(console)
    print_line(f"{counted(options.count, 'benchmark')} of level {options.level}, numbers from {options.seed}")
    if options.model in RULE_BASED:
        print_line("the rule-based expert is not a language model and knows few words:")
        for line in offline_reading(options.task, options.level):
            print_line(f"- {line}")
        if unread := offline_limits(options.task, options.level):
            raise UserError(
                f"it does not build {', '.join(unread)}: leave that out, or have a language model invent it, with "
                "--model openai:NAME or anthropic:NAME"
            )
    async with open_stack(StackOptions(settings, separate=separate, report=print_line)) as stack:
        results = await run_or_fail(stack.failure, _generate_all(stack, options, out, console))
    if not console.is_terminal:
        console.width = TABLE_WIDTH
    console.print(results_table(results))
    published = [each.end for each in results if isinstance(each.end, BenchmarkPublished)]
    moving = sum(end.has_motion for end in published)
    print_line(
        f"{len(published)} of {counted(options.count, 'benchmark')} published, {moving} with something that moves"
    )
    if folders := [each.folder for each in results if each.folder is not None]:
        print_line(f"next: {COMMAND} solve {folders[0]}")
    print_line(f"how it came about, and its worlds in 3D: {COMMAND} report {results[0].request.run_id}")
    return OK if len(published) == options.count else FAILED


async def _generate_all(
    stack: Stack, options: GenerationOptions, out: Path, console: Console
) -> list[GenerationResult]:
    """Run all requests, at most `at_once` at the same time; when this task is cancelled, cancel those in work."""
    began_s = time.monotonic()
    lines = [_Lines(console, number, options.count, began_s) for number in range(options.count)]
    work = (_generate(stack, options.request(number), each, out) for number, each in enumerate(lines))
    async with aclosing(finished(work, options.at_once)) as results:
        return sorted([each async for each in results], key=lambda each: each.request.brief.seed)


class _Lines:
    """Prints the events of one run, each line with the number of its benchmark."""

    def __init__(self, console: Console, number: int, count: int, began_s: float) -> None:
        self._console = console
        self._number = f"{number + 1}/{count}"
        self._began_s = began_s

    def show(self, event: Event) -> None:
        """Print one event, unless it is a detail."""
        line = format_event(event)
        if line.severity != "detail":
            text = run_line(line, self._number, time.monotonic() - self._began_s)
            self._console.print(text, soft_wrap=not self._console.is_terminal)


async def _generate(stack: Stack, request: BenchmarkRequested, lines: _Lines, out: Path) -> GenerationResult:
    began_s = time.monotonic()
    await stack.bus.publish(request)
    try:
        seen: set[UUID] = set()
        async for event in stack.bus.follow(request.run_id):
            lines.show(event)
            seen.add(event.id)
            if isinstance(event, BenchmarkPublished | GenerationFailed):
                folder = (
                    await write_benchmark(event, out, stack.artifacts)
                    if isinstance(event, BenchmarkPublished)
                    else None
                )
                await count_unrecorded(EventLog(stack.database.engine), request.run_id, seen)  # a report needs them
                return GenerationResult(request, event, time.monotonic() - began_s, folder)
    except asyncio.CancelledError:
        if not stack.failure.done():
            await cancel_run(stack.bus, request, CANCELLATION_S)
        raise
    raise UserError(f"the stream of run {request.run_id} ended before the run did; run the command again")


async def write_benchmark(published: BenchmarkPublished, out: Path, artifacts: ArtifactStore) -> Path:
    """Write the files of a benchmark into a folder of its name, and return it; raise `UserError`."""
    packed = await artifacts.get(published.files)
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        contents = {name: archive.read(name) for name in FILES}
    folder = out / published.name
    require_own_or_empty(folder)
    write_delivery(folder, {**contents, "plan.md": published.plan_md.encode()})
    return folder


def results_table(results: Sequence[GenerationResult]) -> Table:
    """Return a table with one row for each benchmark."""
    table = Table(box=None, pad_edge=False)
    for name in ("benchmark", "level", "moves", "worlds", "least replicas", "USD", "drafts", "time", "folder"):
        table.add_column(name, no_wrap=True)
    for each in results:
        match each.end:
            case BenchmarkPublished(worlds=worlds) as end:
                prices = [world.unit_price_usd for world in worlds]
                row = (
                    "yes" if end.has_motion else "no",
                    str(len(worlds)),
                    f"{min(world.success_rate for world in worlds):.0%}",
                    f"{min(prices):.0f} to {max(prices):.0f}",
                    str(end.drafts),
                )
                table.add_row(end.name, str(end.level), *row, f"{each.time_s:.0f} s", Text(str(each.folder)))
            case GenerationFailed(reason=reason):
                failed = Text(f"number {each.request.brief.seed}: {reason}", style="red")
                table.add_row(failed, str(each.request.brief.level), "", "", "", "", "", f"{each.time_s:.0f} s", "")
    return table
