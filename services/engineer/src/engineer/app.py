"""Which events move engineer, and where they come from."""

from functools import partial

from agent.loop.checkpoints import CHECKPOINTS_UNAVAILABLE, PostgresCheckpoints
from agent.loop.thread import RoleThreads, Subscriptions
from agent.model.failures import PROVIDER_UNAVAILABLE
from agent.model.role_model import RoleModel
from artifacts.client import Artifacts
from artifacts.port import ArtifactsUnavailableError
from chassis.app import App
from contracts.events.conversation import ReplyRejected
from contracts.events.design import DesignInvalidated, DesignRejected
from contracts.events.plan import PlanApproved, RefusalDenied
from contracts.events.run import RunFailed, RunSucceeded
from contracts.events.session import CellCompleted, FileRefused, FileViewed, FileWritten, SessionOpened
from contracts.events.skill import SkillsOffered
from opentelemetry.trace import TracerProvider

from engineer.handlers import work
from engineer.policy import Engineer
from engineer.settings import Settings

HEARD: Subscriptions = {
    PlanApproved: None,  # from critic, on planner's thread: the work begins, or goes on with another plan
    SkillsOffered: "engineer",  # from skill-learner
    SessionOpened: "engineer",  # from cad-worker: the kernel is ready
    CellCompleted: "engineer",
    FileWritten: "engineer",
    FileViewed: "engineer",
    FileRefused: "engineer",
    DesignInvalidated: "engineer",  # from cad-worker or sim-worker
    DesignRejected: "engineer",  # from critic
    RefusalDenied: "engineer",  # from critic; a refusal that it upholds goes to planner
    ReplyRejected: "engineer",  # from engineer itself: ask once more
}


def make_app(settings: Settings, tracer_provider: TracerProvider | None = None) -> App:
    """Wire engineer. Opens nothing."""
    app = App("engineer", settings, tracer_provider)
    artifacts = Artifacts(settings)
    checkpoints = PostgresCheckpoints(settings.database_url, "engineer", start_s=settings.database_connect_timeout_s)
    models = RoleModel.configured(settings, artifacts, role="engineer")  # its model is sent what the cells show
    threads = RoleThreads(Engineer(), models, app.bus, checkpoints)
    for resource in (artifacts, checkpoints):
        app.add_resource(resource)
    app.stores_large_fields_in(artifacts)
    app.add_health_check(artifacts.problem)
    app.retries_on(ArtifactsUnavailableError, *PROVIDER_UNAVAILABLE, *CHECKPOINTS_UNAVAILABLE)
    for event_class, role in HEARD.items():
        app.subscribes(event_class, partial(work, threads=threads), role, settings.role_workers)
    for end in (RunSucceeded, RunFailed):
        app.subscribes(end, threads.forget)
    return app
