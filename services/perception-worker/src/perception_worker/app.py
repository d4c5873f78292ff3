"""The composition root: which event reaches which handler."""

from functools import partial

from artifacts.client import Artifacts
from artifacts.port import ArtifactsUnavailableError
from chassis.app import App
from chassis.turns import Turns
from contracts.events.perception import PerceptionRequested
from opentelemetry.trace import TracerProvider

from perception_worker.gpu.backend import GpuBackend
from perception_worker.gpu.client import GpuClient
from perception_worker.gpu.servers import Servers
from perception_worker.handlers import NAME, perceive
from perception_worker.settings import Settings
from perception_worker.simulator.backend import SimulatorBackend
from perception_worker.simulator.frame_cache import FrameCache

BYTES_PER_MB = 2**20


def make_app(settings: Settings, tracer_provider: TracerProvider | None = None) -> App:
    """Wire perception-worker."""
    artifacts = Artifacts(settings)
    cache = FrameCache(settings.perception_cache_mb * BYTES_PER_MB)
    app = App(NAME, settings, tracer_provider)
    client = _gpu_client(settings, app)
    for resource in (artifacts, cache, *([client] if client else [])):
        app.add_resource(resource)
    app.stores_large_fields_in(artifacts)
    app.add_health_check(artifacts.problem)
    app.retries_on(ArtifactsUnavailableError)
    turns = Turns(app.bus, settings.perception_parallel_jobs)
    gpu = GpuBackend(client) if client else None
    perceiving = partial(perceive, artifacts=artifacts, simulator=SimulatorBackend(cache), gpu=gpu)
    app.answers(PerceptionRequested, turns.in_turn(perceiving), workers=turns.handlers)
    return app


def _gpu_client(settings: Settings, app: App) -> GpuClient | None:
    """Return a client of configured and announced servers; None without either a server or a token."""
    addresses = [address.strip() for address in settings.perception_gpu_servers.split(",") if address.strip()]
    token = settings.perception_gpu_token.get_secret_value()
    if not addresses and not token:
        return None
    announced = app.announced_servers("perception") if token else None
    call_s, wait_s = settings.perception_gpu_call_s, settings.perception_gpu_wait_s
    return GpuClient(Servers(addresses), token, call_s, wait_s, announced)
