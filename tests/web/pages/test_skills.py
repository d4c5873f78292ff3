"""The page of skills: versions, which of them is offered, and trials with their figures."""

import re
from uuid import uuid4

from contracts.envelope import answering, opening
from contracts.events.skill import TrialCompleted, TrialRequested
from gateway.settings import Settings
from store.database import Database
from store.settings import DatabaseSettings
from store.skills.trials import SkillTrials, TrialRun
from store.skills.versions import NewSkill, Skills

from tests.contracts.example_values import TRIAL_FIGURES, TRIAL_OPTIONS, blob, digest
from tests.gateway.gateway_client import running


def version(name: str, content: str, base: int | None) -> NewSkill:
    return NewSkill(
        name=name,
        for_role="engineer",
        description="About <b>legs</b>.",
        digest=digest(name + content),
        artifact=blob(content, "text/markdown", 9),
        learned_from=uuid4(),
        status="proposed" if base else "adopted",
        base_version=base,
        diff=f"+{content}" if base else "",
    )


def trial(name: str, of_version: int) -> TrialRequested:
    trial_id = uuid4()
    return TrialRequested(
        **opening(trial_id, "trial", "skill-learner", "cli"),
        name=name,
        for_role="engineer",
        version=of_version,
        base_version=of_version - 1,
        **dict(TRIAL_OPTIONS),
    )


async def fill(database_url: str, name: str) -> None:
    """Store three versions of a skill: one adopted, one whose trial is over, one whose trial is in work."""
    database = Database(DatabaseSettings(database_url=database_url))
    skills, trials = Skills(database.engine), SkillTrials(database.engine)
    for content, base in (("first", None), ("second", 1), ("third", 2)):
        await skills.learn(version(name, content, base))
    decided, running_trial = trial(name, 2), trial(name, 3)
    for each in (decided, running_trial):
        await trials.begin(each, ())
    outcome = TrialCompleted(
        **answering(decided, "skill-learner"), verdict="rejected", detail="it solved fewer runs", figures=TRIAL_FIGURES
    )
    await trials.complete(outcome, "rejected")
    ends = ((0, "current"), (0, "proposed"), (1, "current"))
    for pair, arm in ends:
        figures = {"is_solved": True, "failures": 0, "target_failures": 0}
        run = {"run_id": uuid4(), "trial_id": running_trial.run_id, "pair": pair, "arm": arm, **figures}
        await trials.add_run(TrialRun.model_validate(run))
    await database.stop()


async def test_versions_and_trials_of_a_skill_are_shown(settings: Settings, filled_database_url: str) -> None:
    name = f"legs-{uuid4().hex[:6]}"
    await fill(filled_database_url, name)
    async with running(settings.model_copy(update={"database_url": filled_database_url})) as gateway:
        html = (await gateway.client.get("/pages/skills")).raise_for_status().text
    assert "About &lt;b&gt;legs&lt;/b&gt;." in html
    own = html[html.index(f"Versions of {name}") : html.index("<h2>Trials</h2>")]
    statuses = re.findall(r'class="outcome (\w+)"', own)[:3]
    assert statuses == ["proposed", "rejected", "adopted"]
    assert own.index("offered") > own.index("rejected")
    trials = html[html.index("<h2>Trials</h2>") :]
    (done,) = [row for row in trials.split("<tr>") if f"{name} 2" in row and "<td" in row]
    assert "it solved fewer runs" in done
    assert "+50 (+10 to +90) %" in done
    (unfinished,) = [row for row in trials.split("<tr>") if f"{name} 3" in row and "<td" in row]
    assert "1 of 24" in unfinished
    assert f"{name[:22]} 2</text>" in trials
