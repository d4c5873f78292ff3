"""What counts as an error in the logs of containers. Needs no engine."""

import pytest

from tests.deploy.containers.log_errors import find_errors, reports_kill

ERRORS = [
    "planner-1        | 2026-11-22 05:26:42,326 ERROR chassis.delivery.dead_letter: planner abandons mw.plan",
    "cad-worker-2     | 2026-11-22 05:26:42,326 CRITICAL chassis.app: no space is left",
    "skill-learner-1  | skill-learner: the bus at nats:4222 does not answer; start it",
    "migrate-1        | usage: millwright [-h] COMMAND ...",
    "sim-worker-1     | Traceback (most recent call last):",
    "postgres-1       | 2026-11-22 05:22:46.138 UTC [48] ERROR:  permission denied for schema log",
    "postgres-1       | 2026-11-22 05:22:46.138 UTC [49] ERROR:  deadlock detected",
    'postgres-1       | 2026-11-22 05:22:46.138 UTC [50] FATAL:  password authentication failed for user "critic"',
    "postgres-1       | 2026-11-22 05:22:46.138 UTC [51] PANIC:  could not write to file",
    "nats-1           | [1] 2026/11/22 05:22:44.740024 [ERR] 172.18.0.9:40122 - cid:7 - authentication error",
    "nats-1           | [1] 2026/11/22 05:22:44.740024 [FTL] cannot listen",
    "minio-1          | API: SYSTEM()",
    "minio-1          | Error: unable to write (*errors.errorString)",
    "minio-1          | FATAL Unable to validate credentials inherited from the shell environment",
    "minio-1          | ERROR Unable to initialize backend: errno 524",
    "minio-1          | E1122 05:22:34.427532 filer_server.go:819 no space left",
]
USUAL = [
    "planner-1   | 2026-11-22 05:26:42,313 INFO chassis.app: planner is ready",
    "critic-1    | 2026-11-22 05:30:37,707 WARNING chassis.critic: Connection broken with UnexpectedEOF()",
    "migrate-1   | the database is at version 0004",
    "migrate-1   | database users: catalog, cli, critic, engineer, gateway, planner, recorder, skill-learner",
    'postgres-1  | 2026-11-22 05:22:46.126 UTC [45] LOG:  listening on IPv4 address "0.0.0.0", port 5432',
    "nats-1      | [1] 2026/11/22 05:22:44.740024 [WRN] Plaintext passwords detected, use nkeys or bcrypt",
    "minio-1     | INFO: Formatting 1st pool, 1 set(s), 1 drives per set.",
    "minio-1     | S3-API: http://172.18.0.2:9000",
    "minio-1     | W1122 05:22:34.427532 admin.go:819 Anyone who can reach port 33646",
]


@pytest.mark.parametrize("line", ERRORS)
def test_error_line_of_any_container_is_found(line: str) -> None:
    assert find_errors(f"{USUAL[0]}\n{line}\n") == [line]


def test_usual_lines_are_no_errors() -> None:
    assert find_errors("\n".join(USUAL)) == []


def test_terminal_colors_do_not_hide_an_error() -> None:
    line = "minio-1  | API: SYSTEM()"
    assert find_errors(f"\x1b[2K\x1b[31m{line}\x1b[0m\n") == [line]


def test_errors_that_a_kill_of_postgres_causes_are_its_own_alone() -> None:
    at = "postgres-1  | 2026-11-25 18:22:46.138 UTC [50] FATAL:  "
    exit_seen = f"{at}terminating connection due to unexpected postmaster exit"
    too_early = f"{at}the database system is starting up"
    assert find_errors(f"{exit_seen}\n{too_early}") == [exit_seen, too_early]
    assert reports_kill(exit_seen, "postgres")
    assert reports_kill(too_early, "postgres")
    assert not reports_kill(exit_seen, "nats")
    assert not reports_kill(f"{at}terminating connection due to administrator command", "postgres")
