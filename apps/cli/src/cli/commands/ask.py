"""`millwright ask QUESTION`."""

from pathlib import Path
from typing import Annotated, get_args

import typer
from contracts.models.questions.answers import AnswerSpec
from contracts.models.questions.question import FrameChoice, QuestionExecutor, QuestionLimits, ToolGroup
from local_stack.errors import UserError
from local_stack.settings import read_settings
from questions.media.images import SamplingOptions
from run_requests.question import Expected, answer_spec

from cli.entry import run
from cli.options import Separate, parse_run_id
from cli.runs.asking import AskOptions, ask_question
from cli.screen import output_console

OUT = Path("out") / "ask"
TOOL_GROUPS: tuple[ToolGroup, ...] = get_args(ToolGroup)


def ask(  # noqa: PLR0913, PLR0917 - the options of the command
    question: Annotated[str, typer.Argument(help="What to answer, such as `how far apart are the two cups?`.")],
    images: Annotated[list[Path] | None, typer.Option("--image", "--images", help="An image; may be repeated.")] = None,
    video: Annotated[Path | None, typer.Option(help="A video, sampled to frames.")] = None,
    run_id: Annotated[str | None, typer.Option("--run", metavar="RUN", help="Ask about the film of this run.")] = None,
    choice: Annotated[list[str] | None, typer.Option(help="One of several choices; repeat for each.")] = None,
    expect: Annotated[Expected, typer.Option(help="What the answer is, without --choice.")] = "text",
    unit: Annotated[str, typer.Option(help="Unit of a number.")] = "",
    model: Annotated[str | None, typer.Option(help="`offline`, `openai:NAME` or `anthropic:NAME`.")] = None,
    executor: Annotated[QuestionExecutor, typer.Option(help="How the agent acts.")] = "code",
    plan: Annotated[bool, typer.Option(help="Write a plan first, without images.")] = True,
    tools_off: Annotated[
        list[str] | None, typer.Option(help=f"Tools to switch off, any of {', '.join(TOOL_GROUPS)}; may be repeated.")
    ] = None,
    max_steps: Annotated[int, typer.Option(min=1, max=200, help="Limit of model calls after the plan.")] = 30,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Limit of input and output tokens.")] = None,
    deadline: Annotated[float, typer.Option(metavar="SECONDS", min=1, help="Time limit.")] = 1800.0,
    max_edge: Annotated[int, typer.Option(min=64, max=2048, help="Images are scaled down to this longer edge.")] = 768,
    max_frames: Annotated[int, typer.Option(min=1, max=64, help="Frames that are sampled from a video.")] = 32,
    frame_choice: Annotated[
        FrameChoice, typer.Option(help="Of a long video: `key` takes frames at which it changes, `even` does not.")
    ] = "key",
    separate: Separate = False,
    out: Annotated[Path, typer.Option(help="Folder for the report.")] = OUT,
) -> None:
    """Answer a question about images, a video or the film of a run, and write a report."""
    if not question.strip():
        raise UserError("QUESTION is empty: write what is to be answered")
    if sum((bool(images), video is not None, run_id is not None)) != 1:
        raise UserError("give exactly one of --image (once for each image), --video and --run")
    settings = read_settings()
    options = AskOptions(
        text=question.strip(),
        spec=_spec(choice or [], expect, unit),
        images=tuple(images or ()),
        video=video,
        run_id=None if run_id is None else parse_run_id(run_id),
        model=model or settings.millwright_model,
        executor=executor,
        is_planned=plan,
        tools_off=_tool_groups(tools_off or []),
        limits=QuestionLimits(max_steps=max_steps, max_tokens=max_tokens, deadline_s=deadline),
        sampling=SamplingOptions(
            max_edge_px=max_edge, max_frames=max_frames, frame_choice=frame_choice, question=question
        ),
    )
    run(ask_question(options, out, settings, output_console(), separate=separate))


def _tool_groups(names: list[str]) -> tuple[ToolGroup, ...]:
    """Return the groups of these names; raise `UserError` for an unknown one."""
    if unknown := [name for name in names if name not in TOOL_GROUPS]:
        raise UserError(f"unknown tools {unknown[0]!r}: --tools-off takes any of {', '.join(TOOL_GROUPS)}")
    return tuple(group for group in TOOL_GROUPS if group in names)


def _spec(choices: list[str], expect: Expected, unit: str) -> AnswerSpec:
    """Return what the answer must be; raise `UserError` for too few or too many choices."""
    if choices and not 2 <= len(choices) <= 26:
        raise UserError(f"{len(choices)} choices: give 2 to 26, each with --choice")
    return answer_spec(tuple(choices), expect, unit)
