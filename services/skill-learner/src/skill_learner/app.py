"""Map of the skill-learner's service: the requests that it answers, and where it stores skills and trials."""

from agent.role_app import make_role_app
from chassis.app import App
from contracts.events.run import CancelRequested, RunFailed, RunSucceeded
from contracts.events.skill import (
    LearningRequested,
    SkillChangeRequested,
    SkillLearned,
    SkillRejected,
    SkillsRequested,
    TrialRequested,
)
from opentelemetry.trace import TracerProvider
from store.database import Database
from store.errors import DatabaseOutageError, StoreError
from store.skills.trials import SkillTrials
from store.skills.versions import Skills

from skill_learner.library import SkillLibrary
from skill_learner.offers import SkillOffers
from skill_learner.policy import SkillLearner
from skill_learner.proposals.trial_requests import TrialPlans
from skill_learner.run_ends import RunEnds
from skill_learner.settings import Settings
from skill_learner.trials.conductor import TrialConductor
from skill_learner.user_changes import UserChanges


def make_app(settings: Settings, tracer_provider: TracerProvider | None = None) -> App:
    """Build the skill-learner's service. Opens nothing."""
    database = Database(settings)
    skills, trials = Skills(database.engine), SkillTrials(database.engine)
    role = make_role_app(
        "skill-learner",
        lambda context: SkillLearner(
            context.bus, SkillLibrary(context.artifacts, skills), settings.learning, TrialPlans(settings.trials)
        ),
        settings,
        {},
        tracer_provider,
        resources=(database,),
        ends=(SkillLearned, SkillRejected),
    )
    app = role.app
    app.retries_on(DatabaseOutageError)
    app.fails_fast_on(StoreError)
    for request in (RunSucceeded, LearningRequested):  # from the planner, and from itself
        app.answers(request, role.threads.answer, settings.role_workers, after_end=True, publishes=True)
    offers = SkillOffers(skills, settings.skills_access, settings.skills_at_most, app.bus)
    app.answers(SkillsRequested, offers.answer, settings.role_workers)  # from planner, engineer and critic
    conductor = TrialConductor(app.bus, role.artifacts, skills, trials)
    app.subscribes(TrialRequested, conductor.begin)  # from the user, and from itself
    app.subscribes(CancelRequested, conductor.cancel)  # from the user
    changes = UserChanges(app.bus, role.artifacts, skills)
    app.answers(SkillChangeRequested, changes.answer)  # from the user
    ends = RunEnds(app.bus, skills, trials, conductor, settings.skills_min_failed_runs)
    app.subscribes(RunSucceeded, ends.on_end)  # from the planner
    app.subscribes(RunFailed, ends.on_end)
    return app
