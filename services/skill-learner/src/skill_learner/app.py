"""What skill-learner is asked, and where it keeps what it learns."""

from functools import partial

from agent.loop.checkpoints import CHECKPOINTS_UNAVAILABLE, PostgresCheckpoints
from agent.loop.thread import RoleThreads
from agent.model.failures import PROVIDER_UNAVAILABLE
from agent.model.role_model import RoleModel
from artifacts.client import Artifacts
from artifacts.port import ArtifactsUnavailableError
from chassis.app import App
from contracts.events.run import RunSucceeded
from contracts.events.skill import SkillLearned, SkillRejected, SkillsRequested
from opentelemetry.trace import TracerProvider
from store.database import Database
from store.errors import DatabaseOutageError, StoreError
from store.skills import Skills

from skill_learner.access import Offering
from skill_learner.handlers import learn, offer
from skill_learner.policy import SkillLearner
from skill_learner.settings import Settings
from skill_learner.skill_store import Shelf


def make_app(settings: Settings, tracer_provider: TracerProvider | None = None) -> App:
    """Wire skill-learner. Opens nothing."""
    app = App("skill-learner", settings, tracer_provider)
    artifacts, database = Artifacts(settings), Database(settings)
    checkpoints = PostgresCheckpoints(
        settings.database_url, "skill-learner", start_s=settings.database_connect_timeout_s
    )
    skills = Skills(database.engine)
    conduct = SkillLearner(app.bus, Shelf(artifacts, skills))
    offering = Offering(skills, settings.skills_access, settings.skills_at_most)
    threads = RoleThreads(conduct, RoleModel.configured(settings, role="skill-learner"), app.bus, checkpoints)
    for resource in (artifacts, database, checkpoints):
        app.add_resource(resource)
    app.stores_large_fields_in(artifacts)
    app.add_health_check(artifacts.problem)
    app.retries_on(ArtifactsUnavailableError, DatabaseOutageError, *PROVIDER_UNAVAILABLE, *CHECKPOINTS_UNAVAILABLE)
    app.fails_fast_on(StoreError)
    app.answers(RunSucceeded, partial(learn, threads=threads), settings.role_workers, after_end=True)
    app.answers(SkillsRequested, partial(offer, offers=offering), settings.role_workers)
    for outcome in (SkillLearned, SkillRejected):
        app.subscribes(outcome, threads.forget, after_end=True)
    return app
