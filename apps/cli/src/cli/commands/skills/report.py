"""`millwright skills report`: of each skill, how often it was opened and needed, its measured effect, and its cost."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated

import typer
from agent.token_estimate import tokens_of_message
from contracts.model import Model
from contracts.models.conversation import Message
from contracts.settings import COMMAND
from contracts.skills import Estimate, SkillStatus, TrialVerdict
from documents.shipped_skills import ALL_SKILLS, ShippedSkill
from local_stack.settings import CliSettings, read_settings
from rich.console import Console
from rich.table import Table
from rich.text import Text
from store.skills.trials import SkillTrials, StoredTrial
from store.skills.use import FailedWork, SkillUse, Work, read_use
from store.skills.versions import LearnedSkill, Skills

from cli.commands.skills.tables import interval_text, plain_table
from cli.entry import OK, run
from cli.log_access import open_history
from cli.screen import output_console

DETAIL_CHARS = 60
"""A failure is named by a skill that has so many first characters of its message."""
_NAMES = re.compile(r"\b(?:[a-z]+(?:_[a-z0-9]+)+|[A-Z][a-z]+(?:[A-Z][a-z]+)+)\b")
"""Rules of findings, such as `cnc_reach`, and classes of errors, such as `TypeError`; no plain words."""
FILE_WIDTH = 240
AsJson = Annotated[bool, typer.Option("--json", help="Print the report as one JSON document.")]


class SkillEffect(Model):
    """What the last completed trial of a skill measured: with the skill minus without, or with the version before."""

    version: int
    verdict: TrialVerdict
    pairs: int
    solved: Estimate
    avoided: Estimate | None
    """None: the trial had no failure to look for."""
    tokens_per_run: tuple[float, float] | None
    """Of the current and the proposed version; None: the runs are not recorded."""


class SkillReport(Model):
    """One skill."""

    name: str
    status: SkillStatus | None
    """Of the version that is offered, or of the newest; None: shipped."""
    readers: int
    """Parts of roles in runs that could read it."""
    opened: int
    """Of these, those that opened it."""
    needed: int
    """Of these, those in which something failed that the skill names."""
    opened_when_needed: int
    tokens: int
    """What one opening of SKILL.md puts into a prompt, estimated."""
    effect: SkillEffect | None
    trial_runs: int
    trial_tokens: int
    trial_cost_usd: float
    unpriced_calls: int
    """Calls in runs of trials whose model has no known price; the cost leaves them out."""


class SkillsReport(Model):
    """All skills."""

    skills: tuple[SkillReport, ...]


def report(*, as_json: AsJson = False) -> None:
    """Print of each skill how often it was opened and needed, its effect with interval, and its cost."""
    run(_report(read_settings(), output_console(), as_json=as_json))


async def _report(settings: CliSettings, console: Console, *, as_json: bool) -> int:
    async with open_history(settings) as history:
        engine = history.database.engine
        learned = _offered(await Skills(engine).versions())
        texts = {each.name: (await history.artifacts.get(each.artifact)).decode(errors="replace") for each in learned}
        trials, use = await SkillTrials(engine).of_skill(""), await read_use(engine)
    found = report_of(learned, texts, trials, use)
    if as_json:
        typer.echo(found.model_dump_json(indent=2))
        return OK
    if not console.is_terminal:
        console.width = FILE_WIDTH
    if not use.work:
        console.print(Text(f"No run is recorded yet: nothing was opened or needed. `{COMMAND} solve` begins one."))
    console.print(report_table(found.skills))
    return OK


def report_of(
    learned: Sequence[LearnedSkill], texts: Mapping[str, str], trials: Sequence[StoredTrial], use: SkillUse
) -> SkillsReport:
    """Return the report; `learned`: one version of each skill, `texts`: their SKILL.md by name."""
    shipped = [
        _skill(each.name, None, _text_of(each), _readers(each, use), trials, use) for each in ALL_SKILLS.values()
    ]
    others: list[SkillReport] = []
    for each in learned:
        text, readers = texts[each.name], use.offered.get(each.name, frozenset[Work]())
        others.append(_skill(each.name, each.status, (text, text), readers, trials, use))
    return SkillsReport(skills=(*shipped, *others))


def _offered(versions: Sequence[LearnedSkill]) -> list[LearnedSkill]:
    """Return of each skill the version that is offered, or else the newest."""
    adopted = [each for each in versions if each.status == "adopted" and each.adopted_at is not None]
    offered = {each.name: each for each in sorted(adopted, key=lambda each: (str(each.adopted_at), each.version))}
    return list(({each.name: each for each in versions} | offered).values())


def _text_of(skill: ShippedSkill) -> tuple[str, str]:
    """Return SKILL.md, and all files."""
    files = {path: data.decode(errors="replace") for path, data in skill.files.items()}
    return files[f"skills/{skill.name}/SKILL.md"], "\n".join(files.values())


def _readers(skill: ShippedSkill, use: SkillUse) -> frozenset[Work]:
    return frozenset(each for each in use.work if each[1] in skill.roles)


def _skill(  # noqa: PLR0913, PLR0917 - all that the report is made from
    name: str,
    status: SkillStatus | None,
    texts: tuple[str, str],
    readers: frozenset[Work],
    trials: Sequence[StoredTrial],
    use: SkillUse,
) -> SkillReport:
    opened = use.opened.get(name, frozenset[Work]()) & readers
    needed = _needed(texts[1], use.failures) & readers
    own = [each for each in trials if each.request.name == name]
    costs = [cost for (trial, _), cost in use.trials.items() if trial in {each.request.run_id for each in own}]
    return SkillReport(
        name=name,
        status=status,
        readers=len(readers),
        opened=len(opened),
        needed=len(needed),
        opened_when_needed=len(opened & needed),
        tokens=tokens_of_message(Message(author="user", text=texts[0])),
        effect=_effect(own, use),
        trial_runs=sum(each.runs for each in costs),
        trial_tokens=sum(each.tokens for each in costs),
        trial_cost_usd=float(sum(each.cost_usd for each in costs)),
        unpriced_calls=sum(each.unpriced_calls for each in costs),
    )


def _needed(text: str, failures: Sequence[FailedWork]) -> frozenset[Work]:
    """Return where something failed that a text names: by its rule or class, or by its message."""
    names = set(_NAMES.findall(text))
    return frozenset(
        each.work
        for each in failures
        if each.reason in names or (each.detail[:DETAIL_CHARS].strip() and each.detail[:DETAIL_CHARS] in text)
    )


def _effect(trials: Sequence[StoredTrial], use: SkillUse) -> SkillEffect | None:
    """Return what the last completed trial measured."""
    completed = [(each.request, each.outcome) for each in trials if each.outcome is not None]
    if not completed:
        return None
    request, outcome = completed[-1]
    figures = outcome.figures
    arms = [use.trials.get((request.run_id, arm)) for arm in ("current", "proposed")]
    rates = [cost.tokens / cost.runs for cost in arms if cost is not None]
    return SkillEffect(
        version=request.version,
        verdict=outcome.verdict,
        pairs=figures.pairs,
        solved=figures.solved,
        avoided=figures.avoided if request.target else None,
        tokens_per_run=(rates[0], rates[1]) if len(rates) == len(arms) else None,
    )


def report_table(skills: Sequence[SkillReport]) -> Table:
    """Return a row for each skill."""
    use = ("skill", "status", "readers", "opened", "needed", "opened when needed")
    effect = ("pairs", "effect on solved runs", "on the failure", "on tokens per run")
    table = plain_table(*use, *effect, "tokens to open", "trial runs", "trial tokens", "trial USD")
    for each in skills:
        counts = (each.readers, each.opened, each.needed, each.opened_when_needed)
        unpriced = f" and {each.unpriced_calls} calls without a price" if each.unpriced_calls else ""
        costs = (str(each.tokens), str(each.trial_runs), str(each.trial_tokens), f"{each.trial_cost_usd:.2f}{unpriced}")
        table.add_row(each.name, each.status or "shipped", *map(str, counts), *_effect_cells(each.effect), *costs)
    return table


def _effect_cells(effect: SkillEffect | None) -> tuple[str, str, str, str]:
    if effect is None:
        return "0", "no trial", "", ""
    tokens = "" if effect.tokens_per_run is None else f"{effect.tokens_per_run[1] - effect.tokens_per_run[0]:+.0f}"
    avoided = "" if effect.avoided is None else interval_text(effect.avoided)
    return str(effect.pairs), f"{interval_text(effect.solved)}, {effect.verdict.replace('_', ' ')}", avoided, tokens
