"""gateway: HTTP → reads of log, stream and artifacts, and the requests of users. It consumes no messages."""

from artifacts.client import Artifacts
from artifacts.port import ArtifactsUnavailableError
from chassis.app import App
from chassis.disk_space import DiskSpace
from opentelemetry.trace import TracerProvider
from store.backup_requests import BackupRequests
from store.database import Database, DatabaseProbe
from store.errors import DatabaseOutageError, StoreError
from store.log import EventLog
from store.questions import QuestionSummaries
from store.runs import RunSummaries
from store.sessions.ended_sessions import EndedSessions
from store.skills.trials import SkillTrials
from store.skills.versions import Skills

from gateway.api import make_api
from gateway.context import Context
from gateway.database_watch import DatabaseWatch
from gateway.http.server import AddressTakenError, HttpServer
from gateway.http.sign_outs import SignOuts
from gateway.http.telemetry import HttpTelemetry
from gateway.live.streams import LiveStreams
from gateway.media_reader import MediaReader
from gateway.settings import Settings


class GatewayApp(App):
    """The app of the gateway, which has an address."""

    server: HttpServer

    @property
    def url(self) -> str:
        """Where the API is, once the app has started."""
        return self.server.url


def make_app(settings: Settings, tracer_provider: TracerProvider | None = None) -> App:
    """Wire the gateway. It starts only on a database with the schema version of this code."""
    app = GatewayApp("gateway", settings, tracer_provider)
    app.retries_on(DatabaseOutageError)
    app.fails_fast_on(StoreError, ArtifactsUnavailableError, AddressTakenError)
    database, artifacts = Database(settings), Artifacts(settings)
    app.stores_large_fields_in(artifacts)
    log, messages = EventLog(database.engine), app.run_messages()
    streams = LiveStreams(log, messages, settings)
    disk = DiskSpace.of(settings)
    app.add_task_check(disk.problem)
    context = Context(
        settings=settings,
        bus=app.bus,
        artifacts=artifacts,
        log=log,
        runs=RunSummaries(database.engine),
        questions=QuestionSummaries(database.engine),
        skills=Skills(database.engine),
        backups=BackupRequests(database.engine),
        trials=SkillTrials(database.engine),
        messages=messages,
        streams=streams,
        database=DatabaseWatch(DatabaseProbe(settings)),
        sign_outs=SignOuts(EndedSessions(database.engine)),
        media=MediaReader(),
        health=app.health,
        disk=disk,
    )
    api = HttpTelemetry(make_api(context), app.tracing, app.meters)
    app.server = HttpServer(api, settings)
    app.add_health_check(artifacts.problem)
    app.add_task_check(app.server.problem)
    app.add_task_check(context.sign_outs.problem)
    app.add_task_check(context.database.problem)
    resources = (database, context.database, artifacts, context.sign_outs, context.media, app.server, streams)
    for resource in resources:  # stopped in reverse: streams end before the server
        app.add_resource(resource)
    return app
