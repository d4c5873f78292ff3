"""`millwright eval BENCHMARK...`."""

import asyncio
from collections.abc import Sequence
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
from rich.console import Console
from rich.text import Text
from run_requests.request import RunOptions, budget_of, require_model

from cli.certification.records import WorldRecord
from cli.entry import OK, run
from cli.evaluation.questions.command import evaluate_questions, open_source, question_options
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
FILE_WIDTH = 280


def eval(  # noqa: A001, PLR0913, PLR0917 - the command's name and its options
    benchmarks: Annotated[
        list[str],
        typer.Argument(
            help="Built-in names, folders with benchmark.yaml, or `suite` for all built-in ones; or one question set: "
            "`questions` for the generated one, or a .jsonl or .parquet file."
        ),
    ],
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
    model: Annotated[str | None, typer.Option(help="`offline`, `openai:NAME` or `anthropic:NAME`.")] = None,
    max_steps: Annotated[
        int | None, typer.Option(min=1, max=1000, help="Limit of the engineer's model calls in each run.")
    ] = None,
    max_cost: Annotated[float | None, typer.Option(metavar="USD", min=0.0001, help="Cost limit of each run.")] = None,
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
    if any(names_question_set(name) for name in benchmarks):
        if markdown is not None:
            raise UserError("--markdown is for benchmarks, not for questions; leave it out")
        _eval_questions(benchmarks, seeds, executor, model, max_steps, at_once, json_file, output, settings)
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


def _eval_questions(  # noqa: PLR0913, PLR0917 - the options of the command
    names: Sequence[str],
    seeds: str,
    executor: str,
    model: str | None,
    max_steps: int | None,
    at_once: int,
    json_file: Path | None,
    output: Path | None,
    settings: CliSettings,
) -> None:
    if len(names) > 1:
        raise UserError("a question set is evaluated alone: name it, and nothing else")
    executors, numbers, chosen = parse_variants(executor), parse_seeds(seeds), model or settings.millwright_model
    require_model(chosen, Budget(), keys_elsewhere=are_services_running(settings))
    _require_space(settings, json_file, None, output)
    with open_source(names[0]) as source:
        options = question_options(source, numbers, executors, chosen, max_steps)
        folder = QuestionFolder(output, options)
        run(evaluate_questions(source, folder, options, at_once, json_file, settings, output_console()))


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


def parse_seeds(text: str) -> range:
    """Return the seeds of `0-4` or `3`; raise `UserError` for any other form."""
    first, _, last = text.partition("-")
    if not first.isdecimal() or not (last or first).isdecimal():
        raise UserError(f"--seeds {text!r}: give the first and the last one, such as 0-4")
    seeds = range(int(first), int(last or first) + 1)
    if not 0 < len(seeds) <= MAX_SEEDS:
        raise UserError(f"--seeds {text!r} are {len(seeds)} seeds; 1 to {MAX_SEEDS} are possible")
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
