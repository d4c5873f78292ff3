"""Map of the planner's service: the events that it consumes, where they come from, and the limits of a run."""

from functools import partial

from agent.loop.thread import Consumes
from agent.role_app import make_role_app
from chassis.app import App
from chassis.background_tasks import PeriodicTask
from chassis.bus import Bus
from chassis.disk_space import DiskSpace
from chassis.observability.declarations import RUN_SLOTS, RUNS_IN_WORK, RUNS_WAITING
from chassis.observability.metrics import Meters
from contracts.events.catalog import CatalogSearched, CatalogSearchFailed
from contracts.events.conversation import ModelCalled, ReplyLost, ReplyRejected, ToolAnswered
from contracts.events.dead_letters import MessageAbandoned, WorkAbandoned
from contracts.events.design import DesignApproved
from contracts.events.plan import PlanRejected, RefusalUpheld
from contracts.events.run import (
    CancelRequested,
    EngineeringRequested,
    EngineeringStarted,
    EnvironmentRefused,
    WorldChecked,
    WorldRefused,
)
from contracts.events.session import SessionFailed
from contracts.events.simulation import FilmCompleted, FilmFailed
from contracts.events.skill import SkillsOffered
from contracts.registry import ENGINEERING_ENDS
from opentelemetry.trace import TracerProvider

from planner.admission import ADMIT_EVERY_S, RESUME_EVERY_S, Admission, begin_run, deadline_of, leave
from planner.limits import cancel_run, check_spending, end_at_deadline, end_on_dead_letter
from planner.policy import Planner
from planner.settings import Settings


class QueueMetrics:
    """Measures how many runs wait, and how many hold one of the slots."""

    def __init__(self, bus: Bus, slots: int, meters: Meters) -> None:
        self._bus = bus
        self._waiting, self._in_work = meters.measure(RUNS_WAITING), meters.measure(RUNS_IN_WORK)
        self._slots = meters.measure(RUN_SLOTS)
        self._number_of_slots = slots

    async def measure(self) -> None:
        """Measure once. Every replica of the planner measures the same queue."""
        queue = await self._bus.queue()
        self._waiting(len(queue.waiting))
        self._in_work(len(queue.started))
        self._slots(self._number_of_slots)


CONSUMES: Consumes = {
    EnvironmentRefused: None,  # from the cad-worker; what it built goes on to the sim-worker
    WorldChecked: None,  # from the sim-worker
    WorldRefused: None,
    CatalogSearched: "planner",  # from the catalog, on the planner's own thread: kernels search, too
    CatalogSearchFailed: "planner",
    PlanRejected: None,  # from the critic
    RefusalUpheld: None,
    DesignApproved: None,
    FilmCompleted: "planner",  # from the sim-worker, on the planner's own thread: agents render, too
    FilmFailed: "planner",
    SessionFailed: None,  # from the cad-worker, for whichever role requested the kernel
    WorkAbandoned: None,  # from any role that cannot continue
    SkillsOffered: "planner",  # from the skill-learner
    ReplyRejected: "planner",  # from the planner itself, which calls its model again
    ToolAnswered: "planner",  # from the planner itself, which has looked something up
}


def make_app(settings: Settings, tracer_provider: TracerProvider | None = None) -> App:
    """Build the planner's service. Opens nothing."""
    role = make_role_app(
        "planner",
        lambda context: Planner(context.models.problem, context.artifacts),
        settings,
        CONSUMES,
        tracer_provider,
        forgets_at_end=False,  # `leave` does, and frees the run's slot
    )
    app, bus = role.app, role.app.bus
    disk = DiskSpace.of(settings)
    admission = Admission(bus, settings.run_slots, disk)
    app.add_task_check(disk.problem)
    app.add_resource(PeriodicTask("the planner's watch of the disk", admission.resume, RESUME_EVERY_S))
    app.add_resource(PeriodicTask("the planner's admission", admission.fill, ADMIT_EVERY_S))
    app.measures("the queue of runs", QueueMetrics(bus, settings.run_slots, app.meters).measure)
    app.subscribes(EngineeringRequested, admission.enqueue)  # from the user
    beginning = partial(begin_run, threads=role.threads, bus=bus)
    app.subscribes(EngineeringStarted, beginning, workers=settings.role_workers)  # from the planner itself
    for end in ENGINEERING_ENDS:
        app.subscribes(end, partial(leave, admission=admission, threads=role.threads))
    # Limits end a run from outside, without entering the planner's thread.
    app.schedules(EngineeringStarted, deadline_of, partial(end_at_deadline, bus=bus))
    app.subscribes(CancelRequested, partial(cancel_run, bus=bus))  # from the user
    app.subscribes(MessageAbandoned, partial(end_on_dead_letter, bus=bus))  # from any service
    for call in (ModelCalled, ReplyLost):  # from any role
        app.subscribes(call, partial(check_spending, bus=bus))
    return app
