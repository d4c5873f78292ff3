"""`millwright eval BENCHMARK...`."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Annotated, get_args

import typer
from benchmarks.loader import load, suite
from contracts.models.benchmark import Budget, Executor, Limits
from contracts.text import one_line
from local_stack.data_folder import require_disk_space
from local_stack.errors import UserError
from local_stack.server_source import are_services_running
from local_stack.settings import CliSettings, read_settings
from local_stack.stack import StackOptions, open_stack
from questions.imported.datasets.catalog import DATASETS
from questions.media.images import SamplingOptions
from rich.console import Console
from rich.text import Text
from run_requests.request import RunOptions, budget_of, require_model

from cli.certification.records import WorldRecord
from cli.entry import OK, run
from cli.evaluation.questions.command import QuestionRequest, evaluate_questions, open_source
from cli.evaluation.questions.question_folder import QuestionFolder
from cli.evaluation.questions.sources import names_question_set
from cli.evaluation.questions.variants import ABLATION, VARIANTS, parse_variants
from cli.evaluation.result_folder import EvaluationFolder, EvaluationOptions
from cli.evaluation.score_tables import evaluation_markdown, scores_table
from cli.evaluation.trials import Evaluation, TrialResult, combine_options, run_trials
from cli.json_lines import read_lines, write_json_file
from cli.result_page import commit_of_checkout, today, write_page
from cli.screen import line_printer, output_console

EXECUTORS: tuple[Executor, ...] = get_args(Executor)
MAX_SEEDS = 1000
MAX_QUESTIONS = 100_000
FILE_WIDTH = 280


def eval(  # noqa: A001, PLR0913, PLR0917 - the command's name and its options
    benchmarks: Annotated[
        list[str],
        typer.Argument(
            help="Built-in names, folders with benchmark.yaml, or `suite` for all built-in ones; or one question set: "
            "`questions` for the generated one, a .jsonl or .parquet file, or with --questions the folder of your copy."
        ),
    ],
    questions: Annotated[
        str | None, typer.Option(metavar="NAME", help=f"The public data set of the folder: {', '.join(DATASETS)}.")
    ] = None,
    seeds: Annotated[
        str, typer.Option(metavar="FIRST-LAST", help="Seeds of the variants, or one seed; numbers of questions.")
    ] = "0-4",
    executor: Annotated[
        str,
        typer.Option(
            metavar="A,B",
            help=f"Any of {', '.join(EXECUTORS)}; of questions: any of {', '.join(VARIANTS)}, or {ABLATION} for all.",
        ),
    ] = "code",
    model: Annotated[str | None, typer.Option(help="`offline`, `search`, `openai:NAME` or `anthropic:NAME`.")] = None,
    max_steps: Annotated[
        int | None, typer.Option(min=1, max=1000, help="Limit of the engineer's model calls in each run.")
    ] = None,
    max_cost: Annotated[float | None, typer.Option(metavar="USD", min=0.0001, help="Cost limit of each run.")] = None,
    max_frames: Annotated[int, typer.Option(min=1, max=64, help="Frames that a question's video is sampled to.")] = 32,
    max_edge: Annotated[int, typer.Option(min=1, help="Pixels that longer edges of its images are scaled to.")] = 768,
    at_once: Annotated[int, typer.Option(min=1, max=16, help="How many runs to execute at the same time.")] = 1,
    film: Annotated[bool, typer.Option(help="Also film the approved designs.")] = False,
    json_file: Annotated[Path | None, typer.Option("--json", help="File for the results and scores.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="File for the table of scores, with date and commit.")] = None,
    output: Annotated[Path | None, typer.Option(help="Folder of results, from which an interruption resumes.")] = None,
    certificates: Annotated[
        Path | None, typer.Option(help="File of `benchmark certify suite --resume`: price and mass of the witnesses.")
    ] = None,
) -> None:
    """Run benchmarks with one or more executors and print the results side by side."""
    settings = read_settings()
    if questions is not None or any(names_question_set(name) for name in benchmarks):
        _require_questions_alone(benchmarks, {"--max-cost": max_cost, "--film": film, "--certificates": certificates})
        request = QuestionRequest(
            benchmarks[0],
            questions,
            parse_seeds(seeds, MAX_QUESTIONS),
            parse_variants(executor),
            model or settings.millwright_model,
            max_steps,
            SamplingOptions(max_frames=max_frames, max_edge_px=max_edge),
            at_once,
            json_file,
            markdown,
        )
        _eval_questions(request, output, settings)
        return
    given = {"max_steps": max_steps, "max_cost_usd": max_cost}
    budget = budget_of({name: value for name, value in given.items() if value is not None})
    names = list(dict.fromkeys(each for name in benchmarks for each in (suite(name) or [name])))
    template = RunOptions(names[0], 0, model or settings.millwright_model, 100, Limits(), budget, is_filmed=film)
    planned = combine_options(names, parse_executors(executor), parse_seeds(seeds), template)
    for options in planned:
        load(options.benchmark, options.seed)
    witnesses = [] if certificates is None else read_lines(certificates, WorldRecord, "--certificates")
    folder = EvaluationFolder(output, EvaluationOptions.of(planned), witnesses)
    require_model(template.model, budget, keys_elsewhere=are_services_running(settings))
    _require_space(settings, json_file, markdown, output)
    console = output_console()
    wanted = folder.missing(planned)
    if len(wanted) < len(planned):
        console.print(Text(f"{len(planned) - len(wanted)} of {len(planned)} runs have ended before"), soft_wrap=True)
    if not wanted:
        _write_scores(folder.evaluation(planned), json_file, markdown, console)
        return
    run(_evaluate(planned, folder, at_once, json_file, markdown, settings, console))


def _require_questions_alone(names: Sequence[str], of_benchmarks: Mapping[str, object]) -> None:
    """Refuse more than one set, and options that only benchmarks have."""
    if len(names) > 1:
        raise UserError("a question set is evaluated alone: name it, and nothing else")
    for option, value in of_benchmarks.items():
        if value:
            raise UserError(f"{option} is of benchmarks; leave it out for a question set")


def _eval_questions(request: QuestionRequest, output: Path | None, settings: CliSettings) -> None:
    require_model(request.model, Budget(), keys_elsewhere=are_services_running(settings))
    _require_space(settings, request.json_file, request.markdown, output)
    with open_source(request) as source:
        source.require(request.numbers)
        folder = QuestionFolder(output, request.options(source))
        run(evaluate_questions(source, folder, request, settings, output_console()))


def _require_space(settings: CliSettings, json_file: Path | None, markdown: Path | None, output: Path | None) -> None:
    """Raise `UserError` unless there is space for the runs and the results; earlier files are replaced."""
    for option, file in (("--json", json_file), ("--markdown", markdown)):
        if file is not None and file.is_dir():
            raise UserError(f"{option} {file}: this is a folder; name a file")
    results = (json_file and json_file.absolute().parent, markdown and markdown.absolute().parent, output)
    require_disk_space(settings.millwright_data, *(each for each in results if each is not None))


def parse_executors(text: str) -> list[Executor]:
    """Return the named executors in the order of `EXECUTORS`; raise `UserError` for an unknown one."""
    named = text.replace(" ", "").split(",")
    if unknown := [name for name in named if name not in EXECUTORS]:
        raise UserError(f"unknown executor {unknown[0]!r}: use any of {', '.join(EXECUTORS)}, separated by commas")
    return [each for each in EXECUTORS if each in named]


def parse_seeds(text: str, most: int = MAX_SEEDS) -> range:
    """Return the seeds of `0-4` or `3`, at most so many; raise `UserError` for any other form."""
    first, _, last = text.partition("-")
    if not first.isdecimal() or not (last or first).isdecimal():
        raise UserError(f"--seeds {text!r}: give the first and the last one, such as 0-4")
    seeds = range(int(first), int(last or first) + 1)
    if not 0 < len(seeds) <= most:
        raise UserError(f"--seeds {text!r} are {len(seeds)} seeds; 1 to {most} are possible")
    return seeds


async def _evaluate(  # noqa: PLR0913, PLR0917 - the options of the command
    planned: Sequence[RunOptions],
    folder: EvaluationFolder,
    at_once: int,
    json_file: Path | None,
    markdown: Path | None,
    settings: CliSettings,
    console: Console,
) -> int:
    print_line = line_printer(console)
    async with (
        open_stack(StackOptions(settings, report=print_line)) as stack,
        aclosing(run_trials(stack, folder.missing(planned), at_once)) as results,
    ):
        async for result in results:
            folder.append(result)
            print_line(_result_line(result, len(folder.results), len(planned)))
            if json_file is not None:  # after each: results survive an interruption
                await asyncio.to_thread(write_json_file, folder.evaluation(planned), json_file)
    _write_scores(folder.evaluation(planned), json_file, markdown, console)
    return OK


def _write_scores(evaluation: Evaluation, json_file: Path | None, markdown: Path | None, console: Console) -> None:
    if json_file is not None:
        write_json_file(evaluation, json_file)
    if markdown is not None:
        write_page(markdown, evaluation_markdown(evaluation, today(), commit_of_checkout()))
    if not console.is_terminal:
        console.width = FILE_WIDTH
    console.print(scores_table(evaluation.all_scores))


def _result_line(result: TrialResult, number: int, count: int) -> str:
    outcome = "solved" if result.solved else f"FAILED ({result.failure}) {one_line(result.reason, 80)}"
    trial = f"{result.benchmark} seed {result.seed} {result.executor}"
    return f"{number:>3}/{count} {trial}: {outcome}, {result.steps} steps, {result.time_s:.1f} s, run {result.run_id}"
