"""recorder: every message of the stream → the event log. Migrates nothing, and publishes nothing but
letters about what no other service reads."""

from functools import partial

from chassis.app import App
from chassis.observability.telemetry import Meters
from chassis.periodic_task import PeriodicTask
from opentelemetry.trace import TracerProvider
from store.database import Database
from store.errors import DatabaseOutageError, StoreError
from store.log import EventLog
from store.retention import RetentionPolicy

from recorder.handlers import record
from recorder.lag_watch import LagWatch
from recorder.purge import Sweep
from recorder.reparse import Lifting
from recorder.settings import Settings


def make_app(settings: Settings, tracer_provider: TracerProvider | None = None) -> App:
    """Wire the recorder. It does not start on a database of another version than its own."""
    database, meters = Database(settings), Meters("recorder", settings)
    app = App("recorder", settings, tracer_provider)
    app.retries_on(DatabaseOutageError)
    app.fails_fast_on(StoreError)
    log = EventLog(database.engine)
    app.add_resource(database)
    app.add_resource(Lifting(log))
    app.add_resource(meters)
    lag = LagWatch(app.lag, meters.meter, settings.recorder_lag_limit_s)
    app.add_health_check(lag.problem)
    app.add_resource(PeriodicTask("the recorder's look at its lag", lag.look, settings.recorder_lag_look_s))
    sweep = Sweep(RetentionPolicy(database.engine, settings), app.add_purge())
    app.add_resource(PeriodicTask("the recorder's purge of ended runs", sweep.sweep, settings.recorder_purge_every_s))
    app.records(partial(record, log=log, bus=app.bus), settings.recorder_batch_size)
    app.records_advisories()
    return app
