"""Which events move critic, and where they come from."""

from functools import partial

from agent.loop.checkpoints import CHECKPOINTS_UNAVAILABLE, PostgresCheckpoints
from agent.loop.thread import RoleThreads, Subscriptions
from agent.model.failures import PROVIDER_UNAVAILABLE
from agent.model.role_model import RoleModel
from artifacts.client import Artifacts
from artifacts.port import ArtifactsUnavailableError
from chassis.app import App
from contracts.events.conversation import ReplyRejected
from contracts.events.design import DesignSimulated
from contracts.events.plan import PlanProposed, PlanRefused
from contracts.events.run import RunFailed, RunSucceeded
from contracts.events.session import CellCompleted, SessionFailed, SessionOpened
from contracts.events.skill import SkillsOffered
from opentelemetry.trace import TracerProvider

from critic.handlers import review
from critic.policy import Critic
from critic.settings import Settings

HEARD: Subscriptions = {
    PlanProposed: None,  # from planner, which it owes PlanApproved or PlanRejected
    PlanRefused: None,  # from engineer, which it owes RefusalUpheld or RefusalDenied
    DesignSimulated: None,  # from sim-worker, on engineer's thread: it owes DesignApproved or DesignRejected
    SkillsOffered: "critic",  # from skill-learner
    SessionOpened: "critic",  # from cad-worker: its own kernel is ready
    SessionFailed: "critic",
    CellCompleted: "critic",
    ReplyRejected: "critic",  # from critic itself: ask once more
}


def make_app(settings: Settings, tracer_provider: TracerProvider | None = None) -> App:
    """Wire critic. Opens nothing."""
    app = App("critic", settings, tracer_provider)
    artifacts = Artifacts(settings)
    checkpoints = PostgresCheckpoints(settings.database_url, "critic", start_s=settings.database_connect_timeout_s)
    models = RoleModel.configured(settings, artifacts, role="critic")  # its model is sent what the cells show
    threads = RoleThreads(Critic(), models, app.bus, checkpoints)
    for resource in (artifacts, checkpoints):
        app.add_resource(resource)
    app.stores_large_fields_in(artifacts)
    app.add_health_check(artifacts.problem)
    app.retries_on(ArtifactsUnavailableError, *PROVIDER_UNAVAILABLE, *CHECKPOINTS_UNAVAILABLE)
    for event_class, role in HEARD.items():
        app.subscribes(event_class, partial(review, threads=threads), role, settings.role_workers)
    for end in (RunSucceeded, RunFailed):
        app.subscribes(end, threads.forget)
    return app
