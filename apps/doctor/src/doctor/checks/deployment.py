"""Checks of a deployment from outside: streams, services that read, consumers that are left over, and probes."""

import asyncio
import re
from collections.abc import Sequence
from http import HTTPStatus
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

from chassis.administration.inspection import BusState, ConsumerState
from chassis.subjects import STREAM, SubscriptionMode
from local_stack.service_apps import build_apps

from doctor.check import Check, CheckFailure, failed, passed
from doctor.checks.schema import MIGRATE
from doctor.target import Target

PROBE_S = 10.0
SHOWN = 3
THREAD = re.compile(rf"-{SubscriptionMode.SERVE_THREAD.value}-[0-9a-f]{{8}}-")
"""In the name of a consumer of one thread, which the server removes after an hour without a reader."""


def check_streams(bus: BusState) -> Check:
    """Check that the streams beside the log exist: attempts, advisories, leases."""
    if bus.missing_streams:
        what = f"{len(bus.missing_streams)} streams are missing: services cannot count attempts or take leases"
        return failed("schema", "other streams", what, MIGRATE, ", ".join(bus.missing_streams))
    return passed("schema", "other streams", "attempts, advisories and leases")


def check_services(target: Target, bus: BusState) -> Check:
    """Check that a process of every service reads its consumers."""
    failures: list[CheckFailure] = []
    lines: list[str] = []
    found = bus.consumers or {}
    for app in build_apps(target.environment):
        own = [found[each.durable] for each in app.planned_consumers if each.durable in found]
        if own and not any(each.readers for each in own):
            failures.append(_silent_service(app.name, own))
        elif own:
            lines.append(f"{app.name} {max(each.readers for each in own)}")
    if failures:
        return Check(group="consumers", name="services", failures=tuple(failures))
    return passed("consumers", "services", f"open requests for work: {', '.join(lines)}")


def _silent_service(name: str, consumers: Sequence[ConsumerState]) -> CheckFailure:
    waiting = sum(each.behind for each in consumers)
    fix = (
        f"look why its pods or containers do not run (`kubectl describe pod -l app.kubernetes.io/name={name}`, "
        f"`docker compose logs {name}`); work waits and is not lost"
    )
    return CheckFailure(what=f"no process of {name} reads", measured=f"{waiting} messages wait", fix=fix)


def check_left_over(target: Target, bus: BusState) -> Check:
    """Check that no durable consumer exists that no service of this version declares.

    One is left by an older version: it holds nothing back, as the stream keeps its messages anyway, but its lag is
    reported and may scale what does not exist any more.
    """
    planned = {each.durable for app in build_apps(target.environment) for each in app.planned_consumers}
    stale = sorted(
        durable
        for durable, state in (bus.consumers or {}).items()
        if durable not in planned and not THREAD.search(durable) and not state.readers
    )
    if not stale:
        return passed("consumers", "left over", "none")
    shown = ", ".join(stale[:SHOWN]) + (f" and {len(stale) - SHOWN} more" if len(stale) > SHOWN else "")
    fix = f"once no older version runs: `nats consumer rm {STREAM} {stale[0]}`"
    what = f"{len(stale)} durable consumers are not read and not declared by this version"
    return failed("consumers", "left over", what, fix, shown)


async def check_probes(urls: Sequence[str]) -> list[Check]:
    """Ask each service's `/ready`; see `chassis.observability.health_server`."""
    return list(await asyncio.gather(*(asyncio.to_thread(_check_probe, url) for url in urls)))


def _check_probe(url: str) -> Check:
    address = f"{url.rstrip('/')}/ready" if not urlsplit(url).path.strip("/") else url
    name = urlsplit(url).netloc
    try:
        with urlopen(address, timeout=PROBE_S):  # noqa: S310 - the operator's own address
            return passed("services", name, "ready")
    except HTTPError as error:
        lines = error.read().decode(errors="replace").splitlines() or [str(error)]
        if error.code != HTTPStatus.SERVICE_UNAVAILABLE:
            fix = "give the address of a service's health, `http://HOST:8421` by HEALTH_PORT"
            return failed("services", name, f"{address} is not a probe", fix, f"status {error.code}")
        fix = "read the service's log; what its servers lack is named above"
        failures = tuple(CheckFailure(what="the service is not ready", measured=line, fix=fix) for line in lines)
        return Check(group="services", name=name, failures=failures)
    except (URLError, OSError) as error:
        reason = str(getattr(error, "reason", error))
        fix = "start the service, set its HEALTH_PORT, or let this machine reach it (`kubectl port-forward`)"
        return failed("services", name, "the service does not answer", fix, reason)
