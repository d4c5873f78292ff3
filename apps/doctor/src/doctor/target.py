"""The servers that are checked: external ones, those of a millwright that is running, or none yet."""

from dataclasses import dataclass
from typing import Literal

from local_stack.data_folder import read_state
from local_stack.errors import START_HINT
from local_stack.settings import CliSettings

Origin = Literal["external", "running", "none"]
LOGS = {"NATS_URL": "nats-server.log", "DATABASE_URL": "postgres.log", "S3_ENDPOINT": "seaweedfs.log"}


@dataclass(frozen=True)
class Target:
    """The servers to check, and how they were found."""

    settings: CliSettings
    origin: Origin
    environment: dict[str, str]
    """The variables that name the servers; empty when there are none."""

    def restart_advice(self, variable: str) -> str:
        """Return the fix for a server that does not work."""
        if self.origin == "running":
            log = self.settings.millwright_data / "logs" / LOGS[variable]
            return f"the running millwright restarts it; if that fails, stop millwright, read {log}, and start again"
        return f"start it ({START_HINT}), correct {variable}, or unset all server variables to start local servers"

    def login_advice(self, credentials: str) -> str:
        """Return the fix for a server that refuses these credentials."""
        if self.origin == "running":
            secrets = self.settings.millwright_data / "secrets.json"
            return f"stop the running millwright and start it again: its servers take the passwords from {secrets}"
        return f"set {credentials} to what the server expects ({START_HINT} again, after a change in deploy/.env)"


def find_target(settings: CliSettings) -> Target:
    """Return the servers to check; raise `UserError` when the environment names only some of the external ones."""
    external = settings.external_servers()
    if external is not None:
        return Target(settings, "external", external)
    try:
        state = read_state(settings.millwright_data)
    except OSError:  # reported by the check of the folder's lock
        state = None
    if state is not None:
        return Target(settings, "running", state.environment)
    return Target(settings, "none", {})
