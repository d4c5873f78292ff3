"""Map of the benchmark-generator's service: the events that it consumes, and where they come from."""

from functools import partial

from agent.loop.thread import Consumes
from agent.role_app import make_role_app
from chassis.app import App
from contracts.events.benchmark import (
    BenchmarkPlanApproved,
    BenchmarkPlanRejected,
    BenchmarkRequested,
    DraftApproved,
    DraftRefused,
    DraftRejected,
)
from contracts.events.conversation import ReplyRejected, ToolAnswered
from contracts.events.dead_letters import MessageAbandoned, WorkAbandoned
from contracts.events.run import CancelRequested
from contracts.events.session import (
    CellCompleted,
    FileRefused,
    FileViewed,
    FileWritten,
    SessionFailed,
    SessionOpened,
)
from contracts.registry import BENCHMARK_ENDS
from opentelemetry.trace import TracerProvider
from store.benchmarks import GeneratedBenchmarks
from store.database import Database
from store.errors import DatabaseOutageError, StoreError

from benchmark_generator.limits import cancel_run, deadline_of, end_at_deadline, end_on_dead_letter
from benchmark_generator.policy import BenchmarkGenerator
from benchmark_generator.publication import Publications
from benchmark_generator.settings import Settings

CONSUMES: Consumes = {
    BenchmarkRequested: None,  # from the user
    BenchmarkPlanApproved: None,  # from the critic
    BenchmarkPlanRejected: None,
    DraftRefused: None,  # from cad-worker and sim-worker
    DraftApproved: None,  # from the critic
    DraftRejected: None,
    WorkAbandoned: "benchmark-generator",  # from the critic, when it cannot review
    ReplyRejected: "benchmark-generator",  # from itself, which calls its model again
    ToolAnswered: "benchmark-generator",  # from itself, after it has shown a skill
    SessionOpened: "benchmark-generator",  # from the cad-worker
    SessionFailed: "benchmark-generator",
    CellCompleted: "benchmark-generator",
    FileWritten: "benchmark-generator",
    FileViewed: "benchmark-generator",
    FileRefused: "benchmark-generator",
}


def make_app(settings: Settings, tracer_provider: TracerProvider | None = None) -> App:
    """Build the benchmark-generator's service. Opens nothing."""
    database = Database(settings)
    benchmarks = GeneratedBenchmarks(database.engine)
    role = make_role_app(
        "benchmark-generator",
        lambda context: BenchmarkGenerator(
            context.models.problem, context.bus, Publications(context.artifacts, benchmarks), context.artifacts
        ),
        settings,
        CONSUMES,
        tracer_provider,
        sends_pictures=True,
        resources=(database,),
        ends=BENCHMARK_ENDS,
        begins_with=(BenchmarkRequested,),
    )
    app, bus = role.app, role.app.bus
    app.retries_on(DatabaseOutageError)
    app.fails_fast_on(StoreError)
    # Limits end a run from outside, without entering the thread.
    app.schedules(BenchmarkRequested, deadline_of, partial(end_at_deadline, bus=bus))
    app.subscribes(CancelRequested, partial(cancel_run, bus=bus))  # from the user
    app.subscribes(MessageAbandoned, partial(end_on_dead_letter, bus=bus))  # from any service
    return app
