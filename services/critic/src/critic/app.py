"""What critic is asked, and who asks."""

from functools import partial

from agent.checkpoints import CHECKPOINTS_AWAY, PostgresCheckpoints
from agent.failures import PROVIDER_AWAY
from agent.models import RoleModel
from agent.thread import RoleThreads
from artifacts.client import Artifacts
from artifacts.port import ArtifactsUnavailableError
from chassis.app import App
from contracts.design import DesignSimulated
from contracts.engineering import RunFailed, RunSucceeded
from contracts.planning import PlanProposed
from opentelemetry.trace import TracerProvider

from critic.conduct import Critic
from critic.handlers import review
from critic.settings import Settings


def make_app(settings: Settings, tracer_provider: TracerProvider | None = None) -> App:
    """Wire critic. Opens nothing."""
    app = App("critic", settings, tracer_provider)
    artifacts, checkpoints = Artifacts(settings), PostgresCheckpoints(settings.database_url)
    threads = RoleThreads(Critic(), RoleModel.configured(settings, role="critic"), app.bus, checkpoints)
    for resource in (artifacts, checkpoints):
        app.keeps(resource)
    app.stores_large_fields_in(artifacts)
    app.checks(artifacts.problem)
    app.waits_out(ArtifactsUnavailableError, *PROVIDER_AWAY, *CHECKPOINTS_AWAY)
    reviewing, workers = partial(review, threads=threads), settings.role_workers
    app.answers(PlanProposed, reviewing, workers)  # from planner → PlanApproved, PlanRejected
    app.answers(DesignSimulated, reviewing, workers)  # from sim-worker → DesignApproved, DesignRejected
    for end in (RunSucceeded, RunFailed):
        app.hears(end, threads.forget)
    return app
