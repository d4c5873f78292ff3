"""`millwright doctor`."""

from collections.abc import AsyncIterator, Iterator
from typing import Annotated

import typer
from contracts.text import one_line
from doctor import Check, run_checks, run_deployment_checks
from local_stack.settings import read_settings
from pydantic import TypeAdapter
from rich.console import Console
from rich.text import Text

from cli.entry import FAILED, OK, run
from cli.screen import MARKS, output_console

MEASURED_CHARS = 300
DETAIL_CHARS = 200
HEADINGS = {"place": "data folder"}
"""Of groups whose name is not their heading."""

AsJson = Annotated[bool, typer.Option("--json", help="Print all checks as JSON.")]
Deployment = Annotated[
    bool,
    typer.Option(
        "--deployment",
        help="Check a deployment from outside, by its servers' variables with the admin's login: also its streams, "
        "services and consumers that are left over.",
    ),
]
Probes = Annotated[
    list[str] | None,
    typer.Option("--probe", metavar="URL", help="With --deployment: a service's health, as http://HOST:8421."),
]
Deep = Annotated[bool, typer.Option("--deep", help="Also read every stored artifact and compare it with its digest.")]
Model = Annotated[str | None, typer.Option("--model", help="Also check that this model's provider answers.")]


def doctor(
    as_json: AsJson = False,
    model: Model = None,
    deployment: Deployment = False,
    probe: Probes = None,
    deep: Deep = False,
) -> None:
    """Check everything that a run needs; report each problem with its measurement and fix."""
    settings = read_settings()
    if deployment:
        checks = run_deployment_checks(settings, probe or [], deep=deep)
    elif probe:
        raise typer.BadParameter("it needs --deployment", param_hint="--probe")
    else:
        checks = run_checks(settings, probe_model=model, deep=deep)
    run(_doctor(checks, output_console(), as_json=as_json))


async def _doctor(running: AsyncIterator[Check], console: Console, *, as_json: bool) -> int:
    checks: list[Check] = []
    group = ""
    async for check in running:
        checks.append(check)
        if as_json:
            continue
        if check.group != group:
            group = check.group
            console.print(Text(HEADINGS.get(group, group), style="bold"))
        for line in check_lines(check):
            console.print(line, soft_wrap=True)
    failures = sum(len(check.failures) for check in checks)
    if as_json:
        report = TypeAdapter(list[Check]).dump_json(checks, indent=2, by_alias=True).decode()
        console.print(Text(report), soft_wrap=True)
    else:
        console.print(Text(_summary(failures), style=MARKS["failure" if failures else "success"][1]))
    return FAILED if failures else OK


def check_lines(check: Check) -> Iterator[Text]:
    """Yield one line for a check that passed or was skipped, and two for each problem: the problem, and its fix."""
    if check.ok:
        mark, style = MARKS["detail" if check.skipped else "success"]
        yield Text.assemble((f"{mark} ", style), f"{check.name:<18} ", (one_line(check.detail, DETAIL_CHARS), "dim"))
    mark, style = MARKS["failure"]
    for failure in check.failures:
        measured = f" ({one_line(failure.measured, MEASURED_CHARS)})" if failure.measured else ""
        yield Text.assemble((f"{mark} {check.name:<18} ", style), (f"{failure.what}{measured}", style))
        yield Text(f"{'':<21}fix: {failure.fix}")


def _summary(failures: int) -> str:
    if not failures:
        return "no problems found"
    return "1 problem found" if failures == 1 else f"{failures} problems found"
