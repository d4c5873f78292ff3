"""Errors and refusals in the logs of our services and of the servers."""

import re

ERROR = re.compile(
    r"""
      ,\d{3}\ (?:ERROR|CRITICAL)\                       # ours: 2026-11-22 05:26:42,326 ERROR chassis.app: …
    | ^(?P<service>[a-z-]+)-\d+\ +\|\ (?P=service):\    # ours, of a start that failed
    | ^\S+\ +\|\ usage:\                                # ours, of an invalid command line
    | Traceback\ \(most\ recent\ call\ last\)
    | (?:ERROR|FATAL|PANIC):\                           # Postgres: 2026-11-22 05:22:46.138 UTC [48] ERROR:  …
    | \[(?:ERR|FTL)\]\                                  # NATS: [1] 2026/11/22 05:22:44.740024 [ERR] …
    | ^\S+\ +\|\ (?:API|Error|ERROR|FATAL)\b            # MinIO: API: SYSTEM(), then Error: …; at its start: FATAL …
    | ^\S+\ +\|\ [EF]\d{4}\                             # SeaweedFS: E1122 05:22:34.427532 filer.go:819 …
    | [Vv]iolation
    | permission\ denied
    """,
    re.VERBOSE,
)
"""Lines are those of `docker compose logs --no-color`: the container's name, a bar, and its output."""
TERMINAL = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
"""Compose clears a line before it writes one, whether or not there is a terminal; MinIO colours its own."""


def find_errors(logs: str) -> list[str]:
    """Return the lines of all logs that report an error or a refusal."""
    return [line for line in TERMINAL.sub("", logs).splitlines() if ERROR.search(line)]


KILL_OF_POSTGRES = re.compile(
    r"terminating connection due to unexpected postmaster exit$|the database system is starting up"
)
"""What its children log as it is killed, and what a client is answered right after its restart."""


def reports_kill(line: str, killed: str) -> bool:
    """Return whether an error says no more than that a test has killed a server."""
    return killed == "postgres" and KILL_OF_POSTGRES.search(line) is not None
