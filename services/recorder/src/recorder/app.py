"""recorder: every message of the stream → the event log. It publishes only dead letters, and migrates nothing."""

from functools import partial

from chassis.app import App
from chassis.background_tasks import PeriodicTask
from opentelemetry.trace import TracerProvider
from store.database import Database
from store.errors import DatabaseOutageError, StoreError
from store.log import EventLog
from store.retention import RetentionPolicy

from recorder.event_metrics import EventMetrics
from recorder.gap import GapRecorder
from recorder.handlers import record
from recorder.parser import UnreadableReparser
from recorder.periodic_tasks import RunPurge, StreamWatch
from recorder.settings import Settings


def make_app(settings: Settings, tracer_provider: TracerProvider | None = None) -> App:
    """Wire the recorder. It starts only on a database with the schema version of this code."""
    database = Database(settings)
    app = App("recorder", settings, tracer_provider)
    app.retries_on(DatabaseOutageError)
    app.fails_fast_on(StoreError)
    log = EventLog(database.engine)
    app.add_resource(database)
    app.add_resource(UnreadableReparser(log))
    watch = StreamWatch(app.lag, app.meters, settings.recorder_lag_limit_s, settings.recorder_stream_limit_mb)
    app.add_health_check(watch.problem)
    app.add_resource(PeriodicTask("the recorder's lag measurement", watch.measure, settings.recorder_lag_look_s))
    purge = RunPurge(RetentionPolicy(database.engine, settings), app.add_purge())
    app.add_resource(PeriodicTask("the recorder's purge of ended runs", purge.purge, settings.recorder_purge_every_s))
    recording = partial(record, log=log, bus=app.bus, metrics=EventMetrics(app.meters))
    gap = GapRecorder(log, app.acknowledged_messages(), recording)
    app.add_resource(gap)
    app.records(gap.record, settings.recorder_batch_size)
    app.records_advisories()
    return app
