"""Builds the service of a role: consumed events advance the threads of its policy, which publish its decisions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from artifacts.client import Artifacts
from artifacts.port import ArtifactsUnavailableError
from artifacts.settings import S3Settings
from chassis.app import App, Resource
from chassis.background_tasks import PeriodicTask
from chassis.bus import Bus
from chassis.disk_space import DiskSpace
from chassis.errors import DiskSpaceError
from chassis.servers.look_up import AnnouncedServers
from chassis.servers.registry import ServerKind
from chassis.settings import BusSettings
from contracts.envelope import Event, Role
from contracts.registry import ENDINGS, ENGINEERING_ENDS
from opentelemetry.trace import TracerProvider
from store.database import RequiredSchema
from store.errors import StoreError
from store.settings import DatabaseSettings

from agent.loop.checkpoints import CHECKPOINTS_UNAVAILABLE, CheckpointsUnavailableError, PostgresCheckpoints
from agent.loop.role import RolePolicy
from agent.loop.thread import Consumes, RoleThreads
from agent.model.failures import PROVIDER_UNAVAILABLE
from agent.model.role_model import RoleModel
from agent.settings import RoleSettings

SWEEP_EVERY_S = 600.0
"""Interval between sweeps of threads whose run has ended."""


class RoleServiceSettings(BusSettings, S3Settings, DatabaseSettings, RoleSettings):
    """NATS, S3, Postgres and the models."""


@dataclass(frozen=True)
class PolicyContext:
    """Dependencies that a policy may use."""

    bus: Bus
    artifacts: Artifacts
    models: RoleModel
    announced: Callable[[ServerKind], AnnouncedServers]
    """Returns a reader of the registry of servers."""


@dataclass(frozen=True)
class RoleApp:
    """A role's service: more handlers may be added to its app before it starts."""

    app: App
    threads: RoleThreads[Any]
    models: RoleModel
    artifacts: Artifacts


def make_role_app(  # noqa: PLR0913 - what roles differ in
    name: Role,
    make_policy: Callable[[PolicyContext], RolePolicy[Any]],
    settings: RoleServiceSettings,
    consumes: Consumes,
    tracer_provider: TracerProvider | None = None,
    *,
    sends_pictures: bool = False,
    resources: Sequence[Resource] = (),
    ends: Sequence[type[Event]] = ENGINEERING_ENDS,
    forgets_at_end: bool = True,
    begins_with: Sequence[type[Event]] = (),
) -> RoleApp:
    """Build a role's service. Opens nothing.

    `sends_pictures`: its messages may have pictures. `resources` are opened with the app. `ends` end a run's thread.
    `begins_with`: requests of whole runs, which wait while a disk of the servers is almost full.
    `forgets_at_end`: the thread is deleted at its end; if not, the caller subscribes to `ends` and deletes it.
    """
    app = App(name, settings, tracer_provider)
    app.requires_readable_events()
    artifacts = Artifacts(settings)
    models = RoleModel.configured(
        settings,
        artifacts if sends_pictures else None,
        role=name,
        tracing=app.tracing,
        announced=app.announced_servers("model"),
    )
    checkpoints = PostgresCheckpoints(settings.database_url, name, start_s=settings.database_connect_timeout_s)
    threads = RoleThreads(
        make_policy(PolicyContext(app.bus, artifacts, models, app.announced_servers)), models, app.bus, checkpoints
    )
    for resource in (artifacts, RequiredSchema(settings), *resources, checkpoints):
        app.add_resource(resource)
    app.stores_large_fields_in(artifacts)
    app.add_health_check(artifacts.problem)
    app.fails_fast_on(ArtifactsUnavailableError, StoreError, CheckpointsUnavailableError)
    app.retries_on(DiskSpaceError, ArtifactsUnavailableError, *PROVIDER_UNAVAILABLE, *CHECKPOINTS_UNAVAILABLE)
    app.add_resource(PeriodicTask(f"{name}'s sweep of ended threads", lambda: threads.sweep(ends), SWEEP_EVERY_S))
    disk = DiskSpace.of(settings)

    async def begin(event: Event) -> Sequence[Event]:
        disk.require()
        return await threads.consume(event)

    for event_class, role in consumes.items():
        handler = begin if event_class in begins_with else threads.consume
        app.subscribes(event_class, handler, role, settings.role_workers)
    for end in ends if forgets_at_end else ():
        app.subscribes(end, threads.forget, after_end=end not in ENDINGS)
    return RoleApp(app, threads, models, artifacts)
