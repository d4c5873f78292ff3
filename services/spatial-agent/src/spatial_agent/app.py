"""Map of the spatial-agent's service: the events that it consumes, and where they come from."""

from functools import partial

from agent.loop.thread import Consumes
from agent.role_app import PolicyContext, make_role_app
from chassis.app import App
from contracts.events.conversation import ModelCalled, ReplyRejected
from contracts.events.dead_letters import MessageAbandoned
from contracts.events.question import LookCompleted, LookRequested, QuestionAsked
from contracts.events.run import CancelRequested
from contracts.events.session import CellCompleted, SessionFailed, SessionOpened
from contracts.registry import QUESTION_ENDS
from opentelemetry.trace import TracerProvider

from spatial_agent.limits import cancel_run, check_spending, deadline_of, end_at_deadline, end_on_dead_letter
from spatial_agent.looks import Looks
from spatial_agent.policy import ServerCheck, SpatialAgent
from spatial_agent.settings import Settings

CONSUMES: Consumes = {
    QuestionAsked: None,  # from the user
    SessionOpened: "spatial-agent",  # from the cad-worker
    SessionFailed: "spatial-agent",
    CellCompleted: "spatial-agent",
    ReplyRejected: "spatial-agent",  # from itself, which calls its model again
}


def make_app(settings: Settings, tracer_provider: TracerProvider | None = None) -> App:
    """Build the spatial-agent's service. Opens nothing."""
    role = make_role_app(
        "spatial-agent",
        lambda context: SpatialAgent(context.models, _server_check(settings, context)),
        settings,
        CONSUMES,
        tracer_provider,
        sends_pictures=True,
        ends=QUESTION_ENDS,
        begins_with=(QuestionAsked,),
    )
    app, bus = role.app, role.app.bus
    app.answers(LookRequested, Looks(role.models, bus).answer, settings.role_workers)  # from a kernel
    # Limits end a run from outside, without entering the thread.
    app.schedules(QuestionAsked, deadline_of, partial(end_at_deadline, bus=bus))
    app.subscribes(ModelCalled, partial(check_spending, bus=bus), "spatial-agent")  # from itself
    app.subscribes(LookCompleted, partial(check_spending, bus=bus), "spatial-agent")
    app.subscribes(CancelRequested, partial(cancel_run, bus=bus))  # from the user
    app.subscribes(MessageAbandoned, partial(end_on_dead_letter, bus=bus))  # from any service
    return app


def _server_check(settings: Settings, context: PolicyContext) -> ServerCheck:
    """Return a function that tells whether a server of perception is configured or announced."""
    is_configured = bool(settings.perception_gpu_servers.strip(" ,"))
    announced = context.announced("perception")

    async def has_server() -> bool:
        return is_configured or bool(await announced.current())

    return has_server
