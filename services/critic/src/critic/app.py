"""Map of the critic's service: the events that it consumes, and where they come from."""

from agent.loop.thread import Consumes
from agent.role_app import make_role_app
from chassis.app import App
from contracts.events.benchmark import BenchmarkPlanProposed, BenchmarkPublished, DraftCertified, GenerationFailed
from contracts.events.conversation import ReplyRejected
from contracts.events.design import DesignSimulated
from contracts.events.plan import PlanProposed, PlanRefused
from contracts.events.session import CellCompleted, SessionFailed, SessionOpened
from contracts.events.simulation import FilmCompleted, FilmFailed
from contracts.events.skill import SkillsOffered
from contracts.registry import ENGINEERING_ENDS
from opentelemetry.trace import TracerProvider

from critic.policy import Critic
from critic.settings import Settings

CONSUMES: Consumes = {
    PlanProposed: None,  # from the planner; answered by PlanApproved or PlanRejected
    PlanRefused: None,  # from the engineer; answered by RefusalUpheld or RefusalDenied
    DesignSimulated: None,  # from the sim-worker, on the engineer's thread; answered by DesignApproved or -Rejected
    BenchmarkPlanProposed: None,  # from the benchmark-generator; answered by BenchmarkPlanApproved or -Rejected
    DraftCertified: None,  # from the sim-worker, on the benchmark-generator's thread; by DraftApproved or DraftRejected
    SkillsOffered: "critic",  # from the skill-learner
    SessionOpened: "critic",  # from the cad-worker: the critic's own kernel
    SessionFailed: "critic",
    CellCompleted: "critic",
    FilmCompleted: "critic",  # from the sim-worker: the critic's own request; its cells' are ignored
    FilmFailed: "critic",
    ReplyRejected: "critic",  # from the critic itself, which calls its model again
}


def make_app(settings: Settings, tracer_provider: TracerProvider | None = None) -> App:
    """Build the critic's service. Opens nothing."""
    role = make_role_app(
        "critic",
        lambda context: Critic(context.artifacts, context.models.sees_pictures),
        settings,
        CONSUMES,
        tracer_provider,
        sends_pictures=True,
        ends=(*ENGINEERING_ENDS, BenchmarkPublished, GenerationFailed),
    )
    return role.app
