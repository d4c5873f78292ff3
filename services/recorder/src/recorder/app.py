"""recorder: every message of the stream → the event log. Publishes nothing, migrates nothing."""

from functools import partial

from chassis.app import App
from opentelemetry.trace import TracerProvider
from store.database import Database
from store.log import EventLog

from recorder.handlers import record
from recorder.settings import Settings


def make_app(settings: Settings, tracer_provider: TracerProvider | None = None) -> App:
    """Wire the recorder. It does not start on a database of another version than its own."""
    database = Database(settings)
    app = App("recorder", settings, tracer_provider)
    app.keeps(database)
    app.records(partial(record, log=EventLog(database.engine)), settings.recorder_batch_size)
    return app
