"""A question of a user: its images or video as frames, the run, and its report."""

import asyncio
import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

from agent.token_prices import RULE_BASED
from artifacts.port import ArtifactStore
from benchmarks.regular_file import read_regular_file
from contracts.envelope import Event
from contracts.event_format import format_event
from contracts.events.question import QuestionAnswered, QuestionAsked, QuestionFailed
from contracts.events.run import RunSucceeded
from contracts.events.session import CellCompleted, CellRequested
from contracts.models.benchmark import Budget
from contracts.models.questions.answers import AnswerSpec, ChoiceSpec, NumberSpec, VectorSpec
from contracts.models.questions.question import (
    QuestionExecutor,
    QuestionLimits,
    ToolGroup,
)
from contracts.settings import COMMAND
from local_stack.data_folder import require_disk_space
from local_stack.errors import UserError
from local_stack.server_source import are_services_running
from local_stack.settings import CliSettings
from local_stack.stack import Stack, StackOptions, open_stack, run_or_fail
from questions.media.images import MediaUnreadableError, SampledMedia, SamplingOptions, load_images
from questions.media.videos import sample_video
from rich.console import Console
from rich.syntax import Syntax
from rich.text import Text
from run_report.document import report_html
from run_report.record import recorded_moments
from run_requests.question import AnswerOptions, question_request, store_question
from run_requests.request import require_model
from store.log import EventLog

from cli.entry import FAILED, OK
from cli.runs.run_control import cancel_run, count_unrecorded
from cli.screen import line_printer, run_line

IMAGE_BYTES = 100_000_000
"""Largest file of an image that is read."""
REPORT, FILM = "report.html", "film.mp4"
"""Files of the folder that the user names."""
CANCELLATION_S = 5.0


@dataclass(frozen=True)
class AskOptions:
    """What the user asks, and how it is answered."""

    text: str
    spec: AnswerSpec
    images: Sequence[Path] = ()
    video: Path | None = None
    run_id: UUID | None = None
    """Of a run whose film is asked about."""
    model: str = "offline"
    executor: QuestionExecutor = "code"
    is_planned: bool = True
    tools_off: tuple[ToolGroup, ...] = ()
    limits: QuestionLimits = field(default_factory=QuestionLimits)
    sampling: SamplingOptions = field(default_factory=SamplingOptions)


async def ask_question(
    options: AskOptions, folder: Path, settings: CliSettings, console: Console, *, separate: bool
) -> int:
    """Ask, show the cells, write the report into the folder; return the exit code."""
    require_model(options.model, Budget(), keys_elsewhere=are_services_running(settings))
    require_disk_space(settings.millwright_data, folder)
    media = None if options.run_id is not None else await asyncio.to_thread(_sampled, options)
    notes = ""
    async with open_stack(StackOptions(settings, separate=separate, report=line_printer(console))) as stack:
        if media is None:
            media, notes = await run_or_fail(stack.failure, _film_of(options, stack, folder))
        asked = await run_or_fail(stack.failure, _request(options, media, notes, stack.artifacts))
        events = await run_or_fail(stack.failure, _follow(stack, asked, console))
        page = await report_html(events, stack.artifacts)
    report = await asyncio.to_thread(_write, page, folder / REPORT)
    end = events[-1]
    if isinstance(end, QuestionAnswered):
        console.print(Text(f"answer: {end.answer.value}", style="bold green"))
    elif isinstance(end, QuestionFailed) and end.is_refusal:
        console.print(Text(f"no answer: {end.detail}", style="bold yellow"), soft_wrap=True)
        if options.model in RULE_BASED:
            console.print(Text(f"with a model that sees pictures: {command_with_model(options)}"), soft_wrap=True)
    console.print(Text(f"report: {report}"), soft_wrap=True)
    return OK if isinstance(end, QuestionAnswered) else FAILED


def _write(page: str, file: Path) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(page, "utf-8")
    return file


def command_with_model(options: AskOptions) -> str:
    """Return the same question as a command with a language model, as the user would type it."""
    words = [*COMMAND.split(), "ask", options.text]
    words += [word for image in options.images for word in ("--image", str(image))]
    words += [] if options.video is None else ["--video", str(options.video)]
    words += [] if options.run_id is None else ["--run", str(options.run_id)]
    return f"{shlex.join([*words, *_expected(options.spec)])} --model openai:NAME"


def _expected(spec: AnswerSpec) -> list[str]:
    if isinstance(spec, ChoiceSpec):
        return [word for choice in spec.choices for word in ("--choice", choice)]
    unit = ["--unit", spec.unit] if isinstance(spec, NumberSpec | VectorSpec) and spec.unit else []
    return ["--expect", spec.kind, *unit]


def _sampled(options: AskOptions) -> SampledMedia:
    """Return the frames of images or of a video; raise `UserError`."""
    try:
        if options.video is not None:
            return sample_video(options.video, options.sampling)
        return load_images([(each.name, _image_bytes(each)) for each in options.images], options.sampling)
    except MediaUnreadableError as error:
        raise UserError(str(error)) from error
    except OSError as error:
        raise UserError(f"{error.filename} cannot be read: {error.strerror}") from error


def _image_bytes(image: Path) -> bytes:
    return read_regular_file(image, IMAGE_BYTES, follows_links=True)


async def _film_of(options: AskOptions, stack: Stack, folder: Path) -> tuple[SampledMedia, str]:
    """Return the frames of a recorded run's film, and what was recorded when; raise `UserError`."""
    assert options.run_id is not None
    events = await EventLog(stack.database.engine).events_of(options.run_id)
    end = next((event for event in events if isinstance(event, RunSucceeded)), None)
    if end is None or end.delivery.media is None:
        raise UserError(f"run {options.run_id} has no film: it did not succeed, or its film was not made")
    film = await stack.artifacts.get(end.delivery.media.video)
    try:
        sampled = await asyncio.to_thread(_sampled_film, film, folder / FILM, options.sampling)
    except MediaUnreadableError as error:
        raise UserError(str(error)) from error
    return sampled, recorded_moments(end.result)


def _sampled_film(film: bytes, path: Path, sampling: SamplingOptions) -> SampledMedia:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(film)
    return sample_video(path, sampling)


async def _request(options: AskOptions, media: SampledMedia, notes: str, artifacts: ArtifactStore) -> QuestionAsked:
    """Store the frames, and return the request that opens the run."""
    question = await store_question(options.text, options.spec, media, artifacts, notes)
    return question_request(
        question,
        AnswerOptions(options.model, options.executor, options.is_planned, options.tools_off, options.limits),
    )


async def _follow(stack: Stack, asked: QuestionAsked, console: Console) -> list[Event]:
    """Publish the request, show its cells and observations, and return all events of the run."""
    began_s = time.monotonic()
    await stack.bus.publish(asked)
    events: list[Event] = []
    try:
        async for event in stack.bus.follow(asked.run_id):
            events.append(event)
            _show(event, console, time.monotonic() - began_s)
            if isinstance(event, QuestionAnswered | QuestionFailed):
                ids = {each.id for each in events}
                await count_unrecorded(EventLog(stack.database.engine), asked.run_id, ids)  # a report needs them
                return events
    except asyncio.CancelledError:
        if not stack.failure.done():
            await cancel_run(stack.bus, asked, CANCELLATION_S)
        raise
    raise UserError(f"the stream of run {asked.run_id} ended before the run did; run the command again")


def _show(event: Event, console: Console, at_s: float) -> None:
    line = format_event(event)
    if line.severity != "detail":
        console.print(run_line(line, event.role, at_s), soft_wrap=not console.is_terminal)
    if isinstance(event, CellRequested):
        console.print(Syntax(event.code.rstrip(), "python", background_color="default", word_wrap=True))
    elif isinstance(event, CellCompleted) and event.observation.output:
        console.print(Text(event.observation.output.rstrip()))
        for image in event.observation.images:
            console.print(Text(f"picture: {image.label}, {image.width_px} x {image.height_px} pixels"))
