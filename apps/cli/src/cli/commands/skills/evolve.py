"""`millwright skills evolve NAME`: changes of a skill, learned from what fails on training tasks, and one trial."""

from typing import Annotated

import typer
from contracts.models.benchmark import Budget
from local_stack.settings import CliSettings, read_settings
from local_stack.stack import StackOptions, open_stack, run_or_fail
from rich.console import Console
from rich.table import Table
from rich.text import Text
from run_requests.request import require_model
from store.skills.versions import Skills

from cli.commands.eval import parse_seeds
from cli.commands.skills.change import SkilledRole
from cli.commands.skills.stored_skills import Name
from cli.commands.skills.tables import figures_table, plain_table
from cli.entry import OK, run
from cli.evolution.front import SkillCandidate, Task, front_of
from cli.evolution.loop import Evolution, EvolutionOptions, EvolutionResult
from cli.screen import line_printer, output_console

MAX_TASKS = 20


def evolve(  # noqa: PLR0913, PLR0917 - the options of the command
    name: Name,
    for_role: Annotated[SkilledRole, typer.Option("--for", help="Role that reads it.")] = "engineer",
    benchmark: Annotated[list[str] | None, typer.Option(help="Of the training tasks; may be repeated.")] = None,
    seeds: Annotated[str, typer.Option(metavar="FIRST-LAST", help="Of the training tasks.")] = "0-2",
    model: Annotated[str | None, typer.Option(help="`offline`, `openai:NAME` or `anthropic:NAME`.")] = None,
    target: Annotated[str, typer.Option(help="Text of the failure that the skill should avoid.")] = "",
    max_runs: Annotated[int, typer.Option(min=1, max=2000, help="Runs in all, those of the trial included.")] = 60,
    max_cost: Annotated[float | None, typer.Option(metavar="USD", min=0.0001, help="Of all runs together.")] = None,
    pairs: Annotated[int, typer.Option(min=1, max=500, help="Pairs of runs of the trial at most.")] = 24,
    at_once: Annotated[int, typer.Option(min=1, max=16, help="Runs, and pairs of the trial, in flight.")] = 2,
    max_steps: Annotated[int | None, typer.Option(min=1, help="Limit of each run.")] = None,
    number: Annotated[int, typer.Option(min=1, help="Another number begins another evolution on the same tasks.")] = 1,
) -> None:
    """Evolve a skill: read what fails, propose changes, keep the best on each task, try the best of all.

    The same command continues an evolution that was interrupted.
    """
    settings = read_settings()
    options = EvolutionOptions(
        name=name,
        for_role=for_role,
        benchmarks=tuple(benchmark or ["gravity-chute"]),
        seeds=tuple(parse_seeds(seeds, MAX_TASKS)),
        model=model or settings.millwright_model,
        budget=Budget() if max_steps is None else Budget(max_steps=max_steps),
        target=target,
        most_pairs=pairs,
        at_once=at_once,
        most_runs=max_runs,
        most_usd=max_cost,
        number=number,
    )
    require_model(options.model, Budget() if max_cost is None else Budget(max_cost_usd=max_cost))
    run(_evolve(options, settings, output_console()))


async def _evolve(options: EvolutionOptions, settings: CliSettings, console: Console) -> int:
    report = line_printer(console)
    async with open_stack(StackOptions(settings, joins_single_runs=True, report=report)) as stack:
        skills = Skills(stack.database.engine)
        evolution = Evolution(stack.bus, stack.artifacts, skills, options, report)
        result = await run_or_fail(stack.failure, evolution.run())
    console.print(candidates_table(result.candidates, options.tasks))
    for line in result_lines(result):
        console.print(Text(line), soft_wrap=True)
    if result.trial is not None:
        console.print(figures_table(result.trial.figures))
    return OK


def candidates_table(candidates: tuple[SkillCandidate, ...], tasks: list[Task]) -> Table:
    """Return a row for each candidate with its parent and its score on each task."""
    table = plain_table("version", "changes", "front", *map(str, tasks), "solved", "failures", "tokens per run")
    front = front_of(candidates)
    for each in candidates:
        scores = [f"{'solved' if score.is_solved else 'not solved'}, {score.failures}" for score in each.scores]
        solved, failures = each.total
        marks = (str(each.version or "none"), str(each.parent or ""), "yes" if each in front else "")
        table.add_row(*marks, *scores, str(solved), str(-failures), f"{each.tokens_per_run:.0f}")
    return table


def result_lines(result: EvolutionResult) -> list[str]:
    """Return why it ended, what the trial decided, and what all of it cost."""
    cost = "price unknown" if result.cost_usd is None else f"{result.cost_usd:.2f} USD"
    trial = result.trial
    verdict = [] if trial is None else [f"trial: {trial.verdict.replace('_', ' ')}: {trial.detail}"]
    return [f"end: {result.reason}", *verdict, f"cost: {result.runs} runs, {result.tokens} tokens, {cost}"]
