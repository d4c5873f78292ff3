"""`millwright doctor`."""

from collections.abc import Iterator
from typing import Annotated

import typer
from doctor import Check, run_checks
from local_stack.settings import CliSettings, read_settings
from pydantic import TypeAdapter
from rich.console import Console
from rich.text import Text

from cli.entry import FAILED, OK, run
from cli.screen import MARKS, screen
from cli.text import one_line

MEASURED_CHARS = 300
DETAIL_CHARS = 200

AsJson = Annotated[bool, typer.Option("--json", help="Everything that was looked at, as JSON.")]
Model = Annotated[str | None, typer.Option("--model", help="Ask this model's provider, too, whether it answers.")]


def doctor(as_json: AsJson = False, model: Model = None) -> None:
    """Look at all that a run needs, of the machine and of the servers; tell each fault with its mend."""
    run(_doctor(read_settings(), screen(), model, as_json=as_json))


async def _doctor(surroundings: CliSettings, console: Console, model: str | None, *, as_json: bool) -> int:
    checks: list[Check] = []
    group = ""
    async for check in run_checks(surroundings, probe_model=model):
        checks.append(check)
        if as_json:
            continue
        if check.group != group:
            group = check.group
            console.print(Text(group, style="bold"))
        for line in told(check):
            console.print(line, soft_wrap=True)
    findings = sum(len(check.failures) for check in checks)
    if as_json:
        console.print(
            Text(TypeAdapter(list[Check]).dump_json(checks, indent=2, by_alias=True).decode()), soft_wrap=True
        )
    else:
        console.print(Text(_summary(findings), style=MARKS["bad" if findings else "good"][1]))
    return FAILED if findings else OK


def told(check: Check) -> Iterator[Text]:
    """Yield a line for what is fine or unseen, and two for each finding: what is wrong, and its mend."""
    if check.ok:
        mark, style = MARKS["quiet" if check.skipped else "good"]
        yield Text.assemble((f"{mark} ", style), f"{check.name:<18} ", (one_line(check.detail, DETAIL_CHARS), "dim"))
    mark, style = MARKS["bad"]
    for finding in check.failures:
        measured = f" ({one_line(finding.measured, MEASURED_CHARS)})" if finding.measured else ""
        yield Text.assemble((f"{mark} {check.name:<18} ", style), (f"{finding.what}{measured}", style))
        yield Text(f"{'':<21}mend: {finding.fix}")


def _summary(findings: int) -> str:
    if not findings:
        return "nothing is wrong"
    return "one thing is wrong" if findings == 1 else f"{findings} things are wrong"
