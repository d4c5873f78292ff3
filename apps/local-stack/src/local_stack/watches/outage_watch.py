"""Outage watch: probes the servers all the time, and reports to the user when one is unavailable and when it is back.

A probe asks one question in the server's own protocol, without a login, over a connection of its own. A connection
alone proves nothing: the kernel accepts it for a process that hangs.
"""

import asyncio
import http.client
import socket
import struct
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from chassis.background_tasks import run_until_failure

from local_stack.errors import UserError
from local_stack.server_access import address

PROBE_TIMEOUT_S = 1.0
PROBE_INTERVAL_S = 0.5
OUTAGE_PROBE_INTERVAL_S = 0.2
FIRST_REPORT_S = 2.0
"""A server that dies and is restarted is back before that."""
SECOND_REPORT_S = 30.0
"""Further reports follow after twice as long each."""
POSTGRES_SSL_REQUEST = struct.pack("!ii", 8, 80877103)
"""Answered by one letter, before any login."""
NAMES = {"NATS_URL": "NATS", "DATABASE_URL": "Postgres", "S3_ENDPOINT": "S3"}

Probe = Callable[[], bool]


class OutageWatch:
    """Probes each server in a thread of the watch's own: all other threads may be waiting for a server."""

    def __init__(self, probes: Mapping[str, Probe], report: Callable[[str], None], give_up_after_s: float) -> None:
        """`probes` has the servers by the names that users know; an outage of `give_up_after_s` ends the command."""
        self._probes = probes
        self._report = report
        self._give_up_after_s = give_up_after_s
        self._unavailable_since_s: dict[str, float] = {}

    @property
    def waiting(self) -> str | None:
        """The reported outages for a status line; None when all servers answer."""
        if not self._unavailable_since_s:
            return None
        now = time.monotonic()
        return ", ".join(
            f"waiting for {name} ({now - since:.0f} s)" for name, since in self._unavailable_since_s.items()
        )

    async def watch(self) -> None:
        """Run for ever; raise `UserError` when an outage lasts too long."""
        threads = ThreadPoolExecutor(max_workers=max(1, len(self._probes)), thread_name_prefix="outages")
        watches = (self._watch_one(name, probe, threads) for name, probe in self._probes.items())
        try:
            await run_until_failure(*watches, asyncio.Event().wait())  # for ever even without servers
        finally:
            threads.shutdown(wait=False, cancel_futures=True)

    async def _watch_one(self, name: str, probe: Probe, threads: ThreadPoolExecutor) -> None:
        while True:
            began_s = time.monotonic()
            if not await _answers(probe, threads):
                await self._wait_out(name, probe, threads, began_s)
            await asyncio.sleep(PROBE_INTERVAL_S)

    async def _wait_out(self, name: str, probe: Probe, threads: ThreadPoolExecutor, since_s: float) -> None:
        """Return when the server answers again."""
        next_report_s = FIRST_REPORT_S
        while not await _answers(probe, threads):
            outage_s = time.monotonic() - since_s
            if outage_s >= self._give_up_after_s:
                raise UserError(
                    f"{name} has not answered for {outage_s:.0f} s: start it, then run the command again; completed "
                    "work is kept. MILLWRIGHT_OUTAGE_S sets how long an outage may last"
                )
            if outage_s >= next_report_s:
                self._unavailable_since_s[name] = since_s
                self._report(f"{name} has not answered for {outage_s:.0f} s; the run waits and resumes by itself")
                next_report_s = max(SECOND_REPORT_S, 2 * next_report_s)
            await asyncio.sleep(OUTAGE_PROBE_INTERVAL_S)
        if self._unavailable_since_s.pop(name, None) is not None:
            self._report(f"{name} is back after {time.monotonic() - since_s:.0f} s")


async def _answers(probe: Probe, threads: ThreadPoolExecutor) -> bool:
    return await asyncio.get_running_loop().run_in_executor(threads, probe)


def probes_of(environment: Mapping[str, str], timeout_s: float = PROBE_TIMEOUT_S) -> dict[str, Probe]:
    """Return a probe of each server that `environment` names, by the name that users know."""
    probes = {"NATS_URL": _nats_answers, "DATABASE_URL": _postgres_answers, "S3_ENDPOINT": _s3_answers}
    return {
        NAMES[variable]: partial(probe, *address(variable, environment[variable]), timeout_s)
        for variable, probe in probes.items()
        if variable in environment
    }


def _nats_answers(host: str, port: int, timeout_s: float) -> bool:
    return _first_byte(host, port, timeout_s, b"") == b"I"  # of INFO


def _postgres_answers(host: str, port: int, timeout_s: float) -> bool:
    return _first_byte(host, port, timeout_s, POSTGRES_SSL_REQUEST) in {b"S", b"N"}


def _s3_answers(host: str, port: int, timeout_s: float) -> bool:
    """Count every answer below 500; a server that speaks HTTPS sends a malformed one, which counts too."""
    connection = http.client.HTTPConnection(host, port, timeout=timeout_s)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status < http.HTTPStatus.INTERNAL_SERVER_ERROR
    except http.client.BadStatusLine as error:
        return not isinstance(error, http.client.RemoteDisconnected)
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _first_byte(host: str, port: int, timeout_s: float, question: bytes) -> bytes:
    """Return the first byte of the server's answer; empty when it cannot be reached or does not answer in time."""
    try:
        with socket.create_connection((host, port), timeout_s) as connection:
            connection.sendall(question)
            return connection.recv(1)
    except OSError:
        return b""
