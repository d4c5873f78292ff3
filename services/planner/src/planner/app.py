"""Which events move planner, and where they come from."""

from functools import partial

from agent.loop.checkpoints import CHECKPOINTS_UNAVAILABLE, PostgresCheckpoints
from agent.loop.thread import RoleThreads, Subscriptions
from agent.model.failures import PROVIDER_UNAVAILABLE
from agent.model.role_model import RoleModel
from artifacts.client import Artifacts
from artifacts.port import ArtifactsUnavailableError
from chassis.app import App
from contracts.events.catalog import CatalogSearched, CatalogSearchFailed
from contracts.events.conversation import ModelCalled, ReplyRejected
from contracts.events.dead_letters import MessageAbandoned, WorkAbandoned
from contracts.events.design import DesignApproved
from contracts.events.plan import PlanRejected, RefusalUpheld
from contracts.events.run import (
    CancelRequested,
    EngineeringRequested,
    EnvironmentBuilt,
    EnvironmentRefused,
    RunFailed,
    RunSucceeded,
)
from contracts.events.session import SessionFailed
from contracts.events.simulation import FilmCompleted, FilmFailed
from opentelemetry.trace import TracerProvider

from planner.handlers import lead, open_run
from planner.limits import cancel, due, give_up, miss_deadline, weigh
from planner.policy import Planner
from planner.settings import Settings

HEARD: Subscriptions = {
    EnvironmentBuilt: None,  # from cad-worker
    EnvironmentRefused: None,
    CatalogSearched: "planner",  # from catalog, on planner's own thread: kernels search, too
    CatalogSearchFailed: "planner",
    PlanRejected: None,  # from critic
    RefusalUpheld: None,
    DesignApproved: None,
    FilmCompleted: "planner",  # from sim-worker, on planner's own thread: agents look at runs, too
    FilmFailed: "planner",
    SessionFailed: None,  # from cad-worker, to whichever role wanted a kernel
    WorkAbandoned: None,  # from any role that cannot go on
    ReplyRejected: "planner",  # from planner itself: ask once more
}


def make_app(settings: Settings, tracer_provider: TracerProvider | None = None) -> App:
    """Wire planner. Opens nothing."""
    app = App("planner", settings, tracer_provider)
    models = RoleModel.configured(settings, role="planner")
    artifacts = Artifacts(settings)
    checkpoints = PostgresCheckpoints(settings.database_url, "planner", start_s=settings.database_connect_timeout_s)
    threads = RoleThreads(Planner(models.problem), models, app.bus, checkpoints)
    for resource in (artifacts, checkpoints):
        app.add_resource(resource)
    app.stores_large_fields_in(artifacts)
    app.add_health_check(artifacts.problem)
    app.retries_on(ArtifactsUnavailableError, *PROVIDER_UNAVAILABLE, *CHECKPOINTS_UNAVAILABLE)
    opening = partial(open_run, threads=threads, log=app.bus)
    app.subscribes(EngineeringRequested, opening, workers=settings.role_workers)  # from the user
    for event_class, role in HEARD.items():
        app.subscribes(event_class, partial(lead, threads=threads), role, settings.role_workers)
    _limit(app)
    for end in (RunSucceeded, RunFailed):
        app.subscribes(end, threads.forget)
    return app


def _limit(app: App) -> None:
    """Wire what ends a run from outside, without entering planner's thread."""
    app.schedules(EngineeringRequested, due, partial(miss_deadline, log=app.bus))
    app.subscribes(CancelRequested, partial(cancel, log=app.bus))  # from the user
    app.subscribes(MessageAbandoned, partial(give_up, log=app.bus))  # from any service
    app.subscribes(ModelCalled, partial(weigh, log=app.bus))  # from any role
