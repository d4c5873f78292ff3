"""Skills: those shipped with Millwright, those learned from runs with all versions, and the trials of versions."""

from itertools import groupby
from typing import NamedTuple, get_args

from contracts.envelope import Role
from documents.shipped_skills import skills_of
from fastapi import APIRouter, Request, Response
from store.skills.trials import StoredTrial
from store.skills.versions import LearnedSkill

from gateway.context import Using
from gateway.http.page_paths import PAGES
from gateway.pages.page_templates import page

router = APIRouter(include_in_schema=False)
ROLES: tuple[Role, ...] = get_args(Role)


class SkillHistory(NamedTuple):
    """A learned skill with all its versions, the newest first."""

    name: str
    versions: tuple[LearnedSkill, ...]
    offered: int | None
    """The version that runs are offered; None: none of them."""


@router.get(f"{PAGES}/skills")
async def show_skills(context: Using, request: Request) -> Response:
    """Show all skills."""
    async with context.deadline():
        versions = await context.skills.versions()
        trials = await context.trials.of_skill("")
        pairs = {each.request.run_id: await _pairs(context, each) for each in trials}
    by_name = [_history(name, tuple(group)) for name, group in groupby(versions, key=lambda each: each.name)]
    shipped = {role: found.values() for role in ROLES if (found := skills_of(role))}
    return page(
        request, "catalog/skills.html", learned=by_name, trials=[*reversed(trials)], pairs=pairs, shipped=shipped
    )


async def _pairs(context: Using, trial: StoredTrial) -> int:
    """Return of how many pairs of a trial both runs have ended."""
    if trial.outcome is not None:
        return trial.outcome.figures.pairs
    ended = [run.pair for run in await context.trials.runs(trial.request.run_id)]
    return sum(ended.count(pair) > 1 for pair in set(ended))


def _history(name: str, versions: tuple[LearnedSkill, ...]) -> SkillHistory:
    adopted = [each for each in versions if each.status == "adopted" and each.adopted_at is not None]
    offered = max(adopted, key=lambda each: (each.adopted_at, each.version)).version if adopted else None
    return SkillHistory(name, versions[::-1], offered)
