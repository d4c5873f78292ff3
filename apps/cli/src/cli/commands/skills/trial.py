"""`millwright skills trial NAME`: runs with and without a version, in pairs of equal seeds, and a decision."""

import asyncio
from typing import Annotated
from uuid import UUID, uuid4

import typer
from chassis.background_tasks import cancel_and_wait
from contracts.envelope import opening
from contracts.events.skill import TrialCompleted, TrialOptions, TrialRequested
from contracts.models.benchmark import Budget
from local_stack.settings import CliSettings, read_settings
from local_stack.stack import Stack, StackOptions, open_stack, run_or_fail
from rich.console import Console
from rich.text import Text
from run_requests.request import require_model
from store.skills.trials import SkillTrials, TrialRun
from store.skills.versions import LearnedSkill, Skills

from cli.commands.skills.stored_skills import Name, find_version
from cli.commands.skills.tables import figures_table
from cli.entry import FAILED, OK, run
from cli.screen import line_printer, output_console

_LOOK_S = 1.0
"""Between two looks at what has ended."""


def trial(  # noqa: PLR0913, PLR0917 - the options of the command
    name: Name,
    version: Annotated[int | None, typer.Option(min=1, help="Default: the newest.")] = None,
    benchmark: Annotated[list[str] | None, typer.Option(help="Of the runs; may be repeated.")] = None,
    model: Annotated[str | None, typer.Option(help="`offline`, `openai:NAME` or `anthropic:NAME`.")] = None,
    target: Annotated[str, typer.Option(help="Text of the failure that the version should avoid.")] = "",
    pairs: Annotated[int, typer.Option(min=1, max=500, help="Pairs of runs at most.")] = 24,
    at_once: Annotated[int, typer.Option(min=1, max=16, help="Pairs in flight.")] = 2,
    retire: Annotated[bool, typer.Option(help="Try the offered version against none; take it back if idle.")] = False,
    max_steps: Annotated[int | None, typer.Option(min=1, help="Limit of each run.")] = None,
    max_cost: Annotated[float | None, typer.Option(min=0, help="Limit of each run in USD.")] = None,
) -> None:
    """Try a version on held-out seeds against the one that is offered; adopt it if it helps.

    With --retire, the version that is offered: it is taken back if a gain is excluded, as with a later model.
    """
    settings = read_settings()
    limits = {"max_steps": max_steps, "max_cost_usd": max_cost}
    budget = Budget.model_validate({key: value for key, value in limits.items() if value is not None})
    chosen = model or settings.millwright_model
    require_model(chosen, budget)
    options = TrialOptions(
        benchmarks=tuple(benchmark or ["gravity-chute"]),
        model=chosen,
        budget=budget,
        target=target,
        most_pairs=pairs,
        at_once=at_once,
        retires=retire,
    )
    run(_trial(name, version, options, settings, output_console()))


async def _trial(name: str, version: int | None, options: TrialOptions, settings: CliSettings, console: Console) -> int:
    async with open_stack(StackOptions(settings, joins_single_runs=True, report=line_printer(console))) as stack:
        versions = await Skills(stack.database.engine).versions(name)
        newest = versions[-1].version if versions and version is None and not options.retires else version
        found = await find_version(stack.database, name, newest)
        offered = [
            each for each in await Skills(stack.database.engine).newest(found.for_role) if each.name == found.name
        ]
        request = trial_request(found, offered[0] if offered else None, options)
        console.print(Text(f"trial {request.run_id} of {name} version {found.version}"), soft_wrap=True)
        return await run_or_fail(stack.failure, _follow(stack, request, console))


def trial_request(version: LearnedSkill, offered: LearnedSkill | None, options: TrialOptions) -> TrialRequested:
    """Return the request of a trial of a version against the one that is offered, if that is another one."""
    trial_id = uuid4()
    base = offered.version if offered and offered.version != version.version else version.base_version
    return TrialRequested(
        **opening(trial_id, "trial", "skill-learner", "cli"),
        name=version.name,
        for_role=version.for_role,
        version=version.version,
        base_version=None if options.retires else base,
        **dict(options),
    )


class _Ended:
    """The runs of a trial that have ended, each of which is printed once."""

    def __init__(self, trials: SkillTrials, request: TrialRequested, console: Console) -> None:
        self._trials, self._request, self._console = trials, request, console
        self._printed: set[UUID] = set()

    async def keep_printing(self) -> None:
        while True:
            await self.print_new()
            await asyncio.sleep(_LOOK_S)

    async def print_new(self) -> None:
        for each in await self._trials.runs(self._request.run_id):
            if each.run_id not in self._printed:
                self._printed.add(each.run_id)
                self._console.print(Text(run_line(each, has_target=bool(self._request.target))), soft_wrap=True)


def run_line(run: TrialRun, *, has_target: bool) -> str:
    """Return how a run of a trial ended."""
    ending = "solved" if run.is_solved else "not solved"
    failures = f"{run.failures} failures" + (f", {run.target_failures} of the target" if has_target else "")
    return f"pair {run.pair + 1}, with the {run.arm} version: {ending}, {failures} (run {run.run_id})"


async def _follow(stack: Stack, request: TrialRequested, console: Console) -> int:
    ended = _Ended(SkillTrials(stack.database.engine), request, console)
    printing = asyncio.create_task(ended.keep_printing())
    try:
        outcome = await stack.bus.ask(request)
    finally:
        await cancel_and_wait(printing)
    await ended.print_new()
    if not isinstance(outcome, TrialCompleted):
        console.print(Text(f"the trial was given up: {outcome.type}", style="red"), soft_wrap=True)
        return FAILED
    console.print(figures_table(outcome.figures))
    console.print(Text(f"{outcome.verdict.replace('_', ' ')}: {outcome.detail}"), soft_wrap=True)
    return OK
