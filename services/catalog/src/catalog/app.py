"""Map of the catalog's service: the request that it answers, and the database that it searches."""

from agent.role_app import make_role_app
from chassis.app import App
from contracts.events.catalog import CatalogSearchRequested
from opentelemetry.trace import TracerProvider
from store.catalog.reader import Catalog
from store.database import Database
from store.errors import DatabaseOutageError, StoreError

from catalog.policy import CatalogSearcher
from catalog.settings import Settings


def make_app(settings: Settings, tracer_provider: TracerProvider | None = None) -> App:
    """Build the catalog's service. Opens nothing."""
    database = Database(settings.catalog_database)
    role = make_role_app(
        "catalog",
        lambda context: CatalogSearcher(context.bus, Catalog(database.engine)),
        settings,
        {},
        tracer_provider,
        resources=(database,),
    )
    app = role.app
    app.retries_on(DatabaseOutageError)
    app.fails_fast_on(StoreError)
    app.answers(  # from the planner, or a kernel
        CatalogSearchRequested, role.threads.answer, settings.role_workers, publishes=True
    )
    return app
