"""What the catalog is asked, and where it looks."""

from functools import partial

from agent.loop.checkpoints import CHECKPOINTS_UNAVAILABLE, PostgresCheckpoints
from agent.loop.thread import RoleThreads
from agent.model.failures import PROVIDER_UNAVAILABLE
from agent.model.role_model import RoleModel
from artifacts.client import Artifacts
from artifacts.port import ArtifactsUnavailableError
from chassis.app import App
from contracts.events.catalog import CatalogSearchRequested
from contracts.events.run import RunFailed, RunSucceeded
from opentelemetry.trace import TracerProvider
from store.catalog.reader import Catalog
from store.database import Database
from store.errors import DatabaseOutageError, StoreError

from catalog.handlers import search
from catalog.policy import Searcher
from catalog.settings import Settings


def make_app(settings: Settings, tracer_provider: TracerProvider | None = None) -> App:
    """Wire the catalog. Opens nothing."""
    app = App("catalog", settings, tracer_provider)
    artifacts, database = Artifacts(settings), Database(settings)
    checkpoints = PostgresCheckpoints(settings.database_url, "catalog", start_s=settings.database_connect_timeout_s)
    conduct = Searcher(app.bus, Catalog(database.engine))
    threads = RoleThreads(conduct, RoleModel.configured(settings, role="catalog"), app.bus, checkpoints)
    for resource in (artifacts, database, checkpoints):
        app.add_resource(resource)
    app.stores_large_fields_in(artifacts)
    app.add_health_check(artifacts.problem)
    app.retries_on(ArtifactsUnavailableError, DatabaseOutageError, *PROVIDER_UNAVAILABLE, *CHECKPOINTS_UNAVAILABLE)
    app.fails_fast_on(StoreError)
    app.answers(CatalogSearchRequested, partial(search, threads=threads), settings.role_workers)
    for end in (RunSucceeded, RunFailed):  # from planner
        app.subscribes(end, threads.forget)
    return app
