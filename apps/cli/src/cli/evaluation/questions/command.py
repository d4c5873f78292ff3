"""`millwright eval` on a question set."""

import asyncio
from collections.abc import Generator, Sequence
from contextlib import aclosing, contextmanager
from pathlib import Path

from contracts.models.questions.question import QuestionLimits
from contracts.text import one_line
from local_stack.settings import CliSettings
from local_stack.stack import StackOptions, open_stack
from perception_worker.simulator.backend import SimulatorBackend
from perception_worker.simulator.frame_cache import FrameCache
from rich.console import Console
from rich.text import Text

from cli.entry import OK
from cli.evaluation.questions.execution import run_questions
from cli.evaluation.questions.question_folder import QuestionFolder, QuestionOptions
from cli.evaluation.questions.sources import GENERATED, GeneratedSet, ImportedSet, QuestionSource
from cli.evaluation.questions.tables import QuestionEvaluation
from cli.evaluation.questions.trials import QuestionTrial
from cli.json_lines import write_json_file
from cli.screen import line_printer

CACHE_BYTES = 100 * 2**20


@contextmanager
def open_source(name: str) -> Generator[QuestionSource]:
    """Provide the question set of a name or file; raise `UserError`."""
    if name != GENERATED:
        yield ImportedSet(Path(name))
        return
    cache = FrameCache(CACHE_BYTES)
    try:
        yield GeneratedSet(SimulatorBackend(cache))
    finally:
        cache.close()


def question_options(
    source: QuestionSource, numbers: Sequence[int], executors: tuple[str, ...], model: str, max_steps: int | None
) -> QuestionOptions:
    """Return what decides about the results."""
    return QuestionOptions(
        questions=source.name,
        digest=source.digest,
        numbers=(numbers[0], numbers[-1]),
        executors=executors,
        model=model,
        is_planned=True,
        limits=QuestionLimits() if max_steps is None else QuestionLimits(max_steps=max_steps),
    )


async def evaluate_questions(  # noqa: PLR0913, PLR0917 - the options of the command
    source: QuestionSource,
    folder: QuestionFolder,
    options: QuestionOptions,
    at_once: int,
    json_file: Path | None,
    settings: CliSettings,
    console: Console,
) -> int:
    """Ask what has no result yet, and print the tables."""
    print_line, wanted = line_printer(console), folder.missing()
    count = len(wanted) + len(folder.results)
    if folder.results:
        console.print(Text(f"{len(folder.results)} of {count} questions were answered before"), soft_wrap=True)
    if wanted:
        async with (
            open_stack(StackOptions(settings, report=print_line)) as stack,
            aclosing(run_questions(stack, source, options, wanted, at_once)) as results,
        ):
            async for result in results:
                folder.append(result)
                print_line(_result_line(result, len(folder.results), count))
                if json_file is not None:  # after each: results survive an interruption
                    await asyncio.to_thread(write_json_file, QuestionEvaluation.of(folder.in_order()), json_file)
    _print(QuestionEvaluation.of(folder.in_order()), json_file, console)
    return OK


def _print(evaluation: QuestionEvaluation, json_file: Path | None, console: Console) -> None:
    if json_file is not None:
        write_json_file(evaluation, json_file)
    console.print(Text(evaluation.ablation_md()), soft_wrap=True)
    for executor in evaluation.executors:
        if any(each.primitives for each in evaluation.trials if each.executor == executor):
            console.print(Text(f"\nUses in the cells of one question with {executor}, as written:"), soft_wrap=True)
            console.print(Text(evaluation.primitives_md(executor)), soft_wrap=True)


def _result_line(result: QuestionTrial, number: int, count: int) -> str:
    outcome = "right" if result.solved else f"score {result.score:g} ({result.failure}) {one_line(result.reason, 80)}"
    return f"{number:>3}/{count} {result.id} {result.executor}: {outcome}, {result.steps} steps, run {result.run_id}"
