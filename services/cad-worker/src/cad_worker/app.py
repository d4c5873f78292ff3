"""The map of cad-worker: which event reaches which handler."""

from functools import partial

from artifacts.client import Artifacts
from artifacts.port import ArtifactsUnavailableError
from chassis.app import App
from chassis.leases.lease import LeaseStoreUnavailableError
from chassis.turns import Turns
from contracts.events.benchmark import BenchmarkDrafted, BenchmarkSessionRequested
from contracts.events.design import DesignSubmitted
from contracts.events.question import QuestionSessionRequested
from contracts.events.quote import QuoteRequested
from contracts.events.run import EnvironmentRequested
from contracts.events.session import SessionRequested
from contracts.registry import BENCHMARK_ENDS, ENGINEERING_ENDS, QUESTION_ENDS
from kernel_host.session_manager.manager import SessionManager
from kernel_host.sessions.journal_entries import read_entries
from opentelemetry.trace import TracerProvider
from sandbox.zygote.client import SandboxUnavailableError, ZygoteDiedError

from cad_worker.draft_handlers import build_draft
from cad_worker.handlers import build_environment, judge_design, quote_parts
from cad_worker.host import KernelHost
from cad_worker.kernels import WorkerKernels
from cad_worker.settings import Settings

TAKEOVER_INTERVAL_S = 1.5
"""How long a session without a lease waits at most until a worker tries to take it over."""
JOBS_PER_TURN = 4
"""Endless jobs, whose turns were passed on, must not hold up the others."""


def make_app(settings: Settings, tracer_provider: TracerProvider | None = None) -> App:
    """Wire cad-worker."""
    app = App("cad-worker", settings, tracer_provider)
    artifacts = Artifacts(settings)
    turns = Turns(app.bus, settings.kernel_parallel_jobs)
    jobs = JOBS_PER_TURN * turns.count
    host = KernelHost(settings.kernel_workspaces, jobs, start_s=settings.kernel_start_s)
    leases = app.add_leases()
    kernels = WorkerKernels(host, artifacts)
    sessions = SessionManager(kernels, artifacts, app.bus, app.serve_thread, leases, settings.kernel_replay_s, turns)
    for resource in (artifacts, host, sessions):
        app.add_resource(resource)
    app.stores_large_fields_in(artifacts)
    app.add_health_check(artifacts.problem)
    app.add_health_check(host.problem)
    app.ends_on(host.failure)
    app.retries_on(ArtifactsUnavailableError, LeaseStoreUnavailableError)
    app.fails_fast_on(SandboxUnavailableError, ZygoteDiedError, ArtifactsUnavailableError)
    build = turns.in_turn(partial(build_environment, host=host, artifacts=artifacts))
    app.answers(EnvironmentRequested, build, workers=turns.handlers)
    for request in (SessionRequested, QuestionSessionRequested, BenchmarkSessionRequested):
        app.answers(request, sessions.open)
        app.repeats(request, TAKEOVER_INTERVAL_S, sessions.take_over_if_orphaned)
    for end in (*ENGINEERING_ENDS, *QUESTION_ENDS, *BENCHMARK_ENDS):  # from planner, spatial-agent, generator
        app.subscribes(end, sessions.close_orphans)
    judge = partial(judge_design, host=host, artifacts=artifacts, read=partial(read_entries, bus=app.bus))
    app.answers(DesignSubmitted, turns.in_turn(judge), workers=turns.handlers)
    quote = partial(quote_parts, host=host, artifacts=artifacts)
    app.answers(QuoteRequested, turns.in_turn(quote), workers=turns.handlers)
    draft = turns.in_turn(partial(build_draft, host=host, artifacts=artifacts))
    app.answers(BenchmarkDrafted, draft, workers=turns.handlers)
    return app
