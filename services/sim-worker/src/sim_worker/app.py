"""The composition root: which event reaches which handler."""

from functools import partial

from artifacts.client import Artifacts
from artifacts.port import ArtifactsUnavailableError
from chassis.app import App
from chassis.turns import Turns
from contracts.events.benchmark import CertificationRequested, DraftBuilt
from contracts.events.design import DesignValidated
from contracts.events.rendering import RenderRequested
from contracts.events.run import EnvironmentBuilt
from contracts.events.simulation import FilmRequested, SimulationRequested
from opentelemetry.trace import TracerProvider

from sim_worker.handlers import NAME, film, render, simulate, verify
from sim_worker.media.film import VideoFormat
from sim_worker.media.renderer import MediaRenderer
from sim_worker.settings import Settings
from sim_worker.simulator import Simulator
from sim_worker.world_handlers import certify_draft, certify_worlds, check_environment


def make_app(settings: Settings, tracer_provider: TracerProvider | None = None) -> App:
    """Wire sim-worker."""
    artifacts = Artifacts(settings)
    simulator = Simulator(settings.sim_threads)
    renderer = MediaRenderer(VideoFormat(settings.sim_video_width, settings.sim_video_height))
    app = App(NAME, settings, tracer_provider)
    app.add_resource(artifacts)
    app.stores_large_fields_in(artifacts)
    app.add_health_check(artifacts.problem)
    app.retries_on(ArtifactsUnavailableError)
    app.fails_fast_on(ArtifactsUnavailableError)
    turns = Turns(app.bus, settings.sim_parallel_jobs)
    checking = partial(check_environment, artifacts=artifacts)
    certifying = partial(certify_draft, artifacts=artifacts, simulator=simulator)
    testing = partial(certify_worlds, artifacts=artifacts, simulator=simulator)
    simulating = partial(simulate, artifacts=artifacts, simulator=simulator)
    rendering = partial(render, artifacts=artifacts, renderer=renderer)
    filming = partial(film, artifacts=artifacts, simulator=simulator, renderer=renderer)
    verifying = partial(verify, artifacts=artifacts, simulator=simulator)
    app.answers(EnvironmentBuilt, turns.in_turn(checking), workers=turns.handlers)
    app.answers(DraftBuilt, turns.in_turn(certifying), workers=turns.handlers)
    app.answers(CertificationRequested, turns.in_turn(testing), workers=turns.handlers)
    app.answers(SimulationRequested, turns.in_turn(simulating), workers=turns.handlers)
    app.answers(RenderRequested, turns.in_turn(rendering), workers=turns.count)
    app.answers(FilmRequested, turns.in_turn(filming), workers=turns.count)
    app.answers(DesignValidated, turns.in_turn(verifying), workers=turns.handlers)
    return app
