"""The services of a local stack: roles and recorder embedded in this process, workers as child processes."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import catalog.app
import catalog.settings
import critic.app
import critic.settings
import engineer.app
import engineer.settings
import planner.app
import planner.settings
import recorder.app
import recorder.settings
import skill_learner.app
import skill_learner.settings
from chassis.app import App
from chassis.delivery.isolation import Isolation

from local_stack.processes.child_process import ProcessSpec

WORKERS = ("cad-worker", "sim-worker")
EMBEDDED = ("planner", "critic", "engineer", "skill-learner", "catalog", "recorder")
"""The roles, and the recorder, which needs as little memory and time as they do."""


def build_embedded_apps(environment: Mapping[str, str]) -> list[App]:
    """Return the apps of roles and recorder, not started, with the servers that `environment` names."""
    given: dict[str, Any] = {name.lower(): value for name, value in environment.items()}
    apps = [
        planner.app.make_app(planner.settings.Settings(**given)),
        critic.app.make_app(critic.settings.Settings(**given)),
        engineer.app.make_app(engineer.settings.Settings(**given)),
        skill_learner.app.make_app(skill_learner.settings.Settings(**given)),
        catalog.app.make_app(catalog.settings.Settings(**given)),
        recorder.app.make_app(recorder.settings.Settings(**given)),
    ]
    isolation = Isolation()
    for app in apps:
        app.share_isolation(isolation)
    return apps


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
        """Store the current end of its log: later lines are those of the next child."""
        self._log_start = self._log.stat().st_size if self._log.exists() else 0

    def program(self) -> ProcessSpec:
        """Return the process to start."""
        command = (sys.executable, "-m", self.name.replace("-", "_"))
        return ProcessSpec(self.name, command, self.folder, self._log, self.environment, patience_s=self.patience_s)

    def ready(self) -> bool:
        """Return whether it has logged that it is ready: connected, resources open, consumers declared."""
        if not self._log.exists():
            return False
        with self._log.open("rb") as log:
            log.seek(min(self._log_start, self._log.stat().st_size))
            return f"{self.name} is ready".encode() in log.read()

    @property
    def _log(self) -> Path:
        return self.folder / f"{self.name}.log"
