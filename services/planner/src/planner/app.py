"""Which events move planner, and where they come from."""

from functools import partial

from agent.checkpoints import PostgresCheckpoints
from agent.models import RoleModel
from agent.thread import HeardTable, RoleThreads
from chassis.app import App
from contracts.abandoned import MessageAbandoned, WorkAbandoned
from contracts.conversation import ReplyRejected
from contracts.design import DesignApproved
from contracts.engineering import CancelRequested, EngineeringRequested, EnvironmentBuilt, EnvironmentRefused
from contracts.planning import PlanRejected
from contracts.session import SessionFailed
from opentelemetry.trace import TracerProvider

from planner.conduct import Planner
from planner.handlers import due, lead, miss_deadline
from planner.settings import Settings

HEARD: HeardTable = {
    EngineeringRequested: None,  # from the user: opens the run
    EnvironmentBuilt: None,  # from cad-worker
    EnvironmentRefused: None,
    PlanRejected: None,  # from critic
    DesignApproved: None,
    SessionFailed: None,  # from cad-worker, to whichever role wanted a kernel
    WorkAbandoned: None,  # from any role that cannot go on
    MessageAbandoned: None,  # from any service
    CancelRequested: None,  # from the user
    ReplyRejected: "planner",  # from planner itself: ask once more
}


def make_app(settings: Settings, tracer_provider: TracerProvider | None = None) -> App:
    """Wire planner. Opens nothing."""
    app = App("planner", settings, tracer_provider)
    models = RoleModel.configured(settings)
    checkpoints = PostgresCheckpoints(settings.database_url)
    threads = RoleThreads(Planner(models.problem), models, app.bus, checkpoints)
    app.keeps(checkpoints)
    for event_class, role in HEARD.items():
        app.hears(event_class, partial(lead, threads=threads), role)
    app.reminds(EngineeringRequested, due, miss_deadline)
    return app
