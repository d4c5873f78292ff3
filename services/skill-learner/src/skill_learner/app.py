"""Map of the skill-learner's service: the requests that it answers, and where it stores skills."""

from agent.role_app import make_role_app
from chassis.app import App
from contracts.events.run import RunSucceeded
from contracts.events.skill import SkillLearned, SkillRejected, SkillsRequested
from opentelemetry.trace import TracerProvider
from store.database import Database
from store.errors import DatabaseOutageError, StoreError
from store.skills import Skills

from skill_learner.policy import SkillLearner
from skill_learner.settings import Settings
from skill_learner.skills import SkillOffers, SkillStore


def make_app(settings: Settings, tracer_provider: TracerProvider | None = None) -> App:
    """Build the skill-learner's service. Opens nothing."""
    database = Database(settings)
    skills = Skills(database.engine)
    role = make_role_app(
        "skill-learner",
        lambda context: SkillLearner(context.bus, SkillStore(context.artifacts, skills)),
        settings,
        {},
        tracer_provider,
        resources=(database,),
        ends=(SkillLearned, SkillRejected),
    )
    app = role.app
    app.retries_on(DatabaseOutageError)
    app.fails_fast_on(StoreError)
    offers = SkillOffers(skills, settings.skills_access, settings.skills_at_most)
    app.answers(  # from the planner
        RunSucceeded, role.threads.answer, settings.role_workers, after_end=True, publishes=True
    )
    app.answers(SkillsRequested, offers.answer, settings.role_workers)  # from planner, engineer and critic
    return app
