"""What critic is asked, and who asks."""

from functools import partial

from agent.checkpoints import PostgresCheckpoints
from agent.models import RoleModel
from agent.thread import HeardTable, RoleThreads
from chassis.app import App
from contracts.conversation import ReplyRejected
from contracts.design import DesignSimulated
from contracts.planning import PlanProposed
from opentelemetry.trace import TracerProvider

from critic.conduct import Critic
from critic.handlers import review
from critic.settings import Settings

HEARD: HeardTable = {
    PlanProposed: None,  # from planner → PlanApproved, PlanRejected
    DesignSimulated: None,  # from sim-worker → DesignApproved, DesignRejected
    ReplyRejected: "critic",  # critic's own: it asks once more before it answers
}


def make_app(settings: Settings, tracer_provider: TracerProvider | None = None) -> App:
    """Wire critic. Opens nothing."""
    app = App("critic", settings, tracer_provider)
    checkpoints = PostgresCheckpoints(settings.database_url)
    threads = RoleThreads(Critic(), RoleModel.configured(settings), app.bus, checkpoints, HEARD)
    app.keeps(checkpoints)
    app.answers(PlanProposed, partial(review, threads=threads))
    app.answers(DesignSimulated, partial(review, threads=threads))
    return app
