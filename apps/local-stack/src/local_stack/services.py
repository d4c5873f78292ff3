"""The services of a local stack: roles, recorder and gateway embedded in this process, workers as child processes."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import benchmark_generator.app
import benchmark_generator.settings
import catalog.app
import catalog.settings
import critic.app
import critic.settings
import engineer.app
import engineer.settings
import gateway.app
import gateway.settings
import planner.app
import planner.settings
import recorder.app
import recorder.settings
import skill_learner.app
import skill_learner.settings
import spatial_agent.app
import spatial_agent.settings
from chassis.app import App
from chassis.delivery.isolation import Isolation

from local_stack.database_users import with_own_login
from local_stack.processes.child_process import ProcessSpec

WORKERS = ("cad-worker", "sim-worker", "perception-worker")
EMBEDDED = (
    "planner",
    "critic",
    "engineer",
    "skill-learner",
    "catalog",
    "benchmark-generator",
    "spatial-agent",
    "recorder",
)
"""The roles, and the recorder, which needs as little memory and time as they do."""
GATEWAY = "gateway"
"""Runs in a stack that others join, embedded as well."""
PORT = "GATEWAY_PORT"
GATEWAY_PORT: int = gateway.settings.Settings.model_fields["gateway_port"].default
"""Where the API listens, unless PORT is set or another process is there."""


def metrics_ports(first: int | None) -> dict[str, str]:
    """Return the port of each service's metrics, in the order workers, roles, recorder, gateway."""
    names = (*WORKERS, *EMBEDDED, GATEWAY)
    return {} if first is None else {name: str(first + place) for place, name in enumerate(names)}


def build_embedded_apps(
    environment: Mapping[str, str],
    database_passwords: Mapping[str, str] | None = None,
    *,
    with_gateway: bool = False,
    ports: Mapping[str, str] | None = None,
) -> list[App]:
    """Return the apps of roles, recorder and perhaps gateway, not started, with the servers of `environment`.

    `ports`: where each serves its metrics.
    """

    def given(service: str) -> dict[str, Any]:
        own = with_own_login(environment, service, database_passwords or {})
        if ports:
            own["METRICS_PORT"] = ports[service]
        return {name.lower(): value for name, value in own.items()}

    apps = [
        planner.app.make_app(planner.settings.Settings(**given("planner"))),
        critic.app.make_app(critic.settings.Settings(**given("critic"))),
        engineer.app.make_app(engineer.settings.Settings(**given("engineer"))),
        skill_learner.app.make_app(skill_learner.settings.Settings(**given("skill-learner"))),
        catalog.app.make_app(catalog.settings.Settings(**given("catalog"))),
        benchmark_generator.app.make_app(benchmark_generator.settings.Settings(**given("benchmark-generator"))),
        spatial_agent.app.make_app(spatial_agent.settings.Settings(**given("spatial-agent"))),
        recorder.app.make_app(recorder.settings.Settings(**given("recorder"))),
    ]
    if with_gateway:
        apps.append(gateway.app.make_app(gateway.settings.Settings(**given(GATEWAY))))
    isolation = Isolation()
    for app in apps:
        app.share_isolation(isolation)
    return apps


def gateway_url(apps: Sequence[App], environment: Mapping[str, str]) -> str:
    """Return the address of the API: of the embedded gateway, else of one that is a process of its own."""
    embedded = [app.url for app in apps if isinstance(app, gateway.app.GatewayApp)]
    if embedded:
        return embedded[0]
    given: dict[str, Any] = {name.lower(): value for name, value in environment.items()}
    settings = gateway.settings.Settings(**given)
    return f"http://{settings.gateway_host}:{settings.gateway_port}"


@dataclass
class ServiceProcess:
    """A service as a child process: `python -m cad_worker`."""

    name: str
    environment: Mapping[str, str] = field(repr=False)
    folder: Path
    """Holds its log and is its working directory."""
    patience_s: float = 2.0
    _log_start: int = 0

    def prepare(self) -> None:
        """Store the current end of its log: later lines are those of the next child. Forget the last one's health."""
        self._log_start = self._log.stat().st_size if self._log.exists() else 0
        self.health_file.unlink(missing_ok=True)

    def program(self) -> ProcessSpec:
        """Return the process to start."""
        command = (sys.executable, "-m", self.name.replace("-", "_"))
        environment = {**self.environment, "HEALTH_FILE": str(self.health_file)}
        return ProcessSpec(self.name, command, self.folder, self._log, environment, patience_s=self.patience_s)

    def ready(self) -> bool:
        """Return whether it has logged that it is ready: connected, resources open, consumers declared."""
        if not self._log.exists():
            return False
        with self._log.open("rb") as log:
            log.seek(min(self._log_start, self._log.stat().st_size))
            return f"{self.name} is ready".encode() in log.read()

    @property
    def health_file(self) -> Path:
        """Where it writes its problems, from when it is ready."""
        return self.folder / f"{self.name}.health"

    @property
    def _log(self) -> Path:
        return self.folder / f"{self.name}.log"
