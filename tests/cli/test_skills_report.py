"""The skills' report: openings, needs, effect and cost follow from what the read models know."""

import io
from decimal import Decimal
from uuid import uuid4

from cli.commands.skills.report import SkillReport, report_of, report_table
from contracts.envelope import Role
from contracts.skills import TrialVerdict
from documents.shipped_skills import ALL_SKILLS
from rich.console import Console
from store.skills.trials import StoredTrial
from store.skills.use import FailedWork, SkillUse, TrialCost, Work

from tests.cli.test_skill_tables import FIGURES, trial

EMPTY = SkillUse(frozenset(), {}, {}, (), {})


def work(role: Role = "engineer") -> Work:
    return uuid4(), role


def skill_of(name: str, use: SkillUse, *trials: StoredTrial) -> SkillReport:
    found = {each.name: each for each in report_of((), {}, trials, use).skills}
    return found[name]


def test_empty_log_lists_every_shipped_skill_without_a_figure() -> None:
    found = report_of((), {}, (), EMPTY).skills
    assert [each.name for each in found] == list(ALL_SKILLS)
    assert all((each.readers, each.opened, each.needed, each.effect) == (0, 0, 0, None) for each in found)


def test_skill_is_needed_where_a_rule_failed_that_its_text_names_and_opened_by_its_readers_alone() -> None:
    needing, idle, opening, stranger = work(), work(), work(), work("skill-learner")
    failures = [FailedWork(needing, "cnc_reach", ""), FailedWork(opening, "cnc_reach", ""), FailedWork(idle, "of", "")]
    use = SkillUse(
        frozenset((needing, idle, opening, stranger)),
        {},
        {"workbenches": frozenset((opening, idle, stranger))},
        failures,
        {},
    )
    found = skill_of("workbenches", use)
    assert (found.readers, found.opened, found.needed, found.opened_when_needed) == (3, 2, 2, 1)


def test_message_that_a_text_quotes_needs_the_skill() -> None:
    needing = work()
    text = next(iter(ALL_SKILLS["build123d"].files.values())).decode()
    quoted = text.splitlines()[-1][:80]
    use = EMPTY._replace(work=frozenset((needing,)), failures=[FailedWork(needing, "ok", quoted)])
    assert skill_of("build123d", use).needed == 1


def test_effect_and_cost_are_those_of_the_trials_of_the_skill() -> None:
    completed = trial(is_complete=True)
    completed = completed._replace(request=completed.request.model_copy(update={"name": "mechanisms"}))
    trial_id = completed.request.run_id
    costs = {
        (trial_id, "current"): TrialCost(9, 900, Decimal("1.5"), 0),
        (trial_id, "proposed"): TrialCost(9, 450, Decimal("0.5"), 2),
        (uuid4(), "current"): TrialCost(1, 1, Decimal(1), 0),
    }
    found = skill_of("mechanisms", EMPTY._replace(trials=costs), completed)
    assert found.effect is not None
    verdict: TrialVerdict = "rolled_back"
    assert (found.effect.solved, found.effect.verdict) == (FIGURES.solved, verdict)
    assert found.effect.tokens_per_run == (100.0, 50.0)
    assert (found.trial_runs, found.trial_tokens, found.trial_cost_usd, found.unpriced_calls) == (18, 1350, 2.0, 2)
    row = _printed(found)
    assert "+1.00 (+0.02 to +1.00), rolled back" in row
    assert "2.00 and 2 calls without a price" in row


def _printed(found: SkillReport) -> str:
    console = Console(file=io.StringIO(), width=300)
    console.print(report_table([found]))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()
