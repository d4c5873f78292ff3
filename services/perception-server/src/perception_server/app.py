"""The composition root: settings and models become an ASGI application."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from functools import partial

from chassis.background_tasks import SupervisedTask
from chassis.observability.metrics import Meters, MetricsServer, otlp_readers
from starlette.applications import Starlette

from perception_server.announcement import announce
from perception_server.calls.answer_cache import AnswerCache
from perception_server.calls.api import BYTES_PER_MB, Api
from perception_server.calls.batch_queue import BatchQueue
from perception_server.calls.engine import Engine
from perception_server.calls.measures import CallMeasures
from perception_server.calls.memory_budget import MemoryBudget
from perception_server.models.interface import ModelCard
from perception_server.settings import Settings

NAME = "perception-server"


def make_app(settings: Settings, engine: Engine, cards: Sequence[ModelCard]) -> Starlette:
    """Wire the server. Its queue works, and it is announced, while the application's lifespan lasts."""
    metrics = MetricsServer(settings)
    meters = Meters(NAME, [*otlp_readers(settings), *metrics.readers()])
    measures = CallMeasures(meters)
    queue = BatchQueue(engine.answer, int(settings.perception_server_batch_megapixels * 1_000_000), measures.note_batch)
    url = settings.perception_server_url.rstrip("/")
    announcing = SupervisedTask("announce this server", partial(announce, settings, url, lambda: queue.busy))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        metrics.start()
        queue.start()
        if url:
            announcing.start()
        try:
            yield
        finally:
            await announcing.stop()
            await queue.stop()
            await metrics.stop()
            await meters.stop()

    api = Api(
        settings.perception_gpu_token.get_secret_value(),
        cards,
        engine,
        queue,
        AnswerCache(settings.perception_server_cache_mb * BYTES_PER_MB),
        MemoryBudget(settings.perception_server_memory_mb * BYTES_PER_MB),
        measures,
        settings.perception_server_request_mb * BYTES_PER_MB,
    )
    return Starlette(routes=api.routes(), lifespan=lifespan)
