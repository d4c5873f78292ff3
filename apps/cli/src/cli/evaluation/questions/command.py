"""`millwright eval` on a question set."""

import asyncio
from collections.abc import Generator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from contracts.models.questions.question import QuestionLimits
from contracts.text import one_line
from local_stack.settings import CliSettings
from local_stack.stack import StackOptions, open_stack
from perception_worker.simulator.backend import SimulatorBackend
from perception_worker.simulator.frame_cache import FrameCache
from questions.media.images import SamplingOptions
from rich.console import Console
from rich.text import Text

from cli.entry import OK
from cli.evaluation.questions.execution import run_questions
from cli.evaluation.questions.margins import margins_md
from cli.evaluation.questions.question_folder import QuestionFolder, QuestionOptions
from cli.evaluation.questions.sources import GENERATED, GeneratedSet, QuestionSource, dataset_source, file_source
from cli.evaluation.questions.tables import QuestionEvaluation
from cli.evaluation.questions.trials import QuestionTrial
from cli.json_lines import write_json_file
from cli.result_page import commit_of_checkout, today, write_page
from cli.screen import line_printer

CACHE_BYTES = 100 * 2**20


@dataclass(frozen=True)
class QuestionRequest:
    """What is evaluated, how, and where the results go: the options of the command."""

    name: str
    """Of a file, of the generated set, or the folder of a public data set."""
    dataset: str | None
    """Name of the public data set."""
    numbers: Sequence[int]
    executors: tuple[str, ...]
    model: str
    max_steps: int | None
    sampling: SamplingOptions
    at_once: int
    json_file: Path | None
    markdown: Path | None

    def options(self, source: QuestionSource) -> QuestionOptions:
        """Return what decides about the results."""
        return QuestionOptions(
            questions=source.name,
            digest=source.digest,
            numbers=(self.numbers[0], self.numbers[-1]),
            executors=self.executors,
            model=self.model,
            is_planned=True,
            limits=QuestionLimits() if self.max_steps is None else QuestionLimits(max_steps=self.max_steps),
            max_frames=self.sampling.max_frames,
            max_edge_px=self.sampling.max_edge_px,
        )


@contextmanager
def open_source(request: QuestionRequest) -> Generator[QuestionSource]:
    """Provide the question set of a request; raise `UserError`."""
    if request.dataset is not None:
        yield dataset_source(request.dataset, Path(request.name), request.sampling)
        return
    if request.name != GENERATED:
        yield file_source(Path(request.name), request.sampling)
        return
    cache = FrameCache(CACHE_BYTES)
    try:
        yield GeneratedSet(SimulatorBackend(cache))
    finally:
        cache.close()


async def evaluate_questions(
    source: QuestionSource, folder: QuestionFolder, request: QuestionRequest, settings: CliSettings, console: Console
) -> int:
    """Ask what has no result yet, and print the tables."""
    print_line, wanted = line_printer(console), folder.missing()
    count = len(wanted) + len(folder.results)
    if source.left_out:
        console.print(Text(f"{source.left_out} questions are left out: only a judge or a simulator could score them"))
    if folder.results:
        console.print(Text(f"{len(folder.results)} of {count} questions were answered before"), soft_wrap=True)
    if wanted:
        async with (
            open_stack(StackOptions(settings, report=print_line)) as stack,
            aclosing(run_questions(stack, source, request.options(source), wanted, request.at_once)) as results,
        ):
            async for result in results:
                folder.append(result)
                print_line(_result_line(result, len(folder.results), count))
                if request.json_file is not None:  # after each: results survive an interruption
                    await asyncio.to_thread(
                        write_json_file, QuestionEvaluation.of(folder.in_order()), request.json_file
                    )
    _write(QuestionEvaluation.of(folder.in_order()), source, request, console)
    return OK


def _write(evaluation: QuestionEvaluation, source: QuestionSource, request: QuestionRequest, console: Console) -> None:
    if request.json_file is not None:
        write_json_file(evaluation, request.json_file)
    if request.markdown is not None:
        title = f"Questions of {source.name} with {request.model}"
        setting = (
            f"Questions {request.numbers[0]} to {request.numbers[-1]}, at most {request.sampling.max_frames} frames of "
            f"a video and {request.sampling.max_edge_px} px, on {today()}, commit {commit_of_checkout()}."
        )
        write_page(request.markdown, evaluation.page_md(title, setting))
    console.print(Text(evaluation.ablation_md()), soft_wrap=True)
    console.print(Text(f"\nMean scores, and what one question costs:\n{evaluation.accuracy_md()}"), soft_wrap=True)
    if evaluation.margins:
        console.print(Text(f"\nWins minus losses:\n{margins_md(evaluation.margins)}"), soft_wrap=True)
    for executor in evaluation.executors:
        if any(each.primitives for each in evaluation.trials if each.executor == executor):
            console.print(Text(f"\nUses in the cells of one question with {executor}, as written:"), soft_wrap=True)
            console.print(Text(evaluation.primitives_md(executor)), soft_wrap=True)


def _result_line(result: QuestionTrial, number: int, count: int) -> str:
    outcome = "right" if result.solved else f"score {result.score:g} ({result.failure}) {one_line(result.reason, 80)}"
    return f"{number:>3}/{count} {result.id} {result.executor}: {outcome}, {result.steps} steps, run {result.run_id}"
