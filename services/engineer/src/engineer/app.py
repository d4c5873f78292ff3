"""Map of the engineer's service: the events that it consumes, and where they come from."""

from agent.loop.thread import Consumes
from agent.role_app import make_role_app
from chassis.app import App
from contracts.events.conversation import ReplyRejected
from contracts.events.design import DesignInvalidated, DesignRejected
from contracts.events.plan import PlanApproved, RefusalDenied
from contracts.events.session import CellCompleted, FileRefused, FileViewed, FileWritten, SessionOpened
from contracts.events.skill import SkillsOffered
from opentelemetry.trace import TracerProvider

from engineer.policy import Engineer
from engineer.settings import Settings

CONSUMES: Consumes = {
    PlanApproved: None,  # from the critic, on the planner's thread: a first plan, or another one after a refusal
    SkillsOffered: "engineer",  # from the skill-learner
    SessionOpened: "engineer",  # from the cad-worker
    CellCompleted: "engineer",
    FileWritten: "engineer",
    FileViewed: "engineer",
    FileRefused: "engineer",
    DesignInvalidated: "engineer",  # from the cad-worker or the sim-worker
    DesignRejected: "engineer",  # from the critic
    RefusalDenied: "engineer",  # from the critic; a refusal that it upholds goes to the planner
    ReplyRejected: "engineer",  # from the engineer itself, which calls its model again
}


def make_app(settings: Settings, tracer_provider: TracerProvider | None = None) -> App:
    """Build the engineer's service. Opens nothing."""
    role = make_role_app("engineer", lambda _: Engineer(), settings, CONSUMES, tracer_provider, sends_pictures=True)
    return role.app
