"""Which servers are looked at: those that the environment names, those of a millwright that is up, or none yet."""

from dataclasses import dataclass
from typing import Literal

from local_stack.containers import BRING_UP
from local_stack.settings import CliSettings
from local_stack.state import read_state

Origin = Literal["named", "up", "none"]
LOGS = {"NATS_URL": "nats-server.log", "DATABASE_URL": "postgres.log", "S3_ENDPOINT": "seaweedfs.log"}


@dataclass(frozen=True)
class Target:
    """What is examined."""

    settings: CliSettings
    origin: Origin
    environment: dict[str, str]
    """The variables by which to join the servers; empty when there are none yet."""

    def start_again(self, variable: str) -> str:
        """Return the mend for a server that does not work."""
        if self.origin == "up":
            log = self.settings.millwright_data / "logs" / LOGS[variable]
            return f"the millwright that is up starts it again; if it does not, end that one, read {log}, start anew"
        return (
            f"start it ({BRING_UP}), set {variable} to where it is, or unset all variables of servers to have our own "
            "started"
        )

    def let_in(self, keys: str) -> str:
        """Return the mend for a server that does not let us in by these keys."""
        if self.origin == "up":
            return f"end the millwright that is up and start it anew: its servers take the passwords of {self._secrets}"
        return f"set {keys} to what the server knows ({BRING_UP} again, after a change in deploy/.env)"

    @property
    def _secrets(self) -> str:
        return str(self.settings.millwright_data / "secrets.json")


def find_target(surroundings: CliSettings) -> Target:
    """Return whom to examine; raise `CannotGoOnError` when the environment names servers by halves."""
    named = surroundings.external_servers()
    if named is not None:
        return Target(surroundings, "named", named)
    try:
        state = read_state(surroundings.millwright_data)
    except OSError:  # told by the check of the folder's holder
        state = None
    if state is not None:
        return Target(surroundings, "up", state.environment)
    return Target(surroundings, "none", {})
