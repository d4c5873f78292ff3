"""Checks of the stream's consumers: whether they are as the services declare them, and whether they keep up."""

from chassis.administration.inspection import BusState, ConsumerState, consumer_problems
from chassis.app import App
from chassis.subjects import recording_durable_name
from contracts.settings import COMMAND
from local_stack.errors import START_HINT
from local_stack.service_apps import build_apps

from doctor.check import Check, CheckFailure, failed, passed
from doctor.target import Target

LAG_LIMIT = 1000
"""Messages that a consumer may be behind before it counts as slow."""
RECORDER = recording_durable_name("recorder")


def check_consumers(target: Target, bus: BusState) -> Check:
    """Check that every consumer that a service declares exists, with the declared configuration."""
    if not bus.consumers:
        return passed("consumers", "wiring", "no service has joined yet")
    failures = [each for app in build_apps(target.environment) for each in _differences(target, bus, app)]
    if failures:
        return Check(group="consumers", name="wiring", failures=tuple(failures))
    return passed("consumers", "wiring", f"{len(bus.consumers)} consumers, as the services declare them")


def _differences(target: Target, bus: BusState, app: App) -> list[CheckFailure]:
    """Return the problems of one service's consumers; a service without any has not joined, which is one problem."""
    problems = consumer_problems(bus, [app])
    planned = {each.durable for each in app.planned_consumers}
    if planned and not planned & set(bus.consumers or {}):
        what = f"{app.name} has not joined: none of its consumers exists"
        return [CheckFailure(what=what, fix=_service_advice(target, app.name))]
    return [
        CheckFailure(what=f"consumer {durable} {problem}", fix=_declare_advice(target, durable))
        for durable, problem in problems.items()
    ]


def check_progress(before: BusState, after: BusState, interval_s: float) -> Check:
    """Check that no consumer is stuck while messages wait; the two states are `interval_s` seconds apart."""
    failures: list[CheckFailure] = []
    earlier = before.consumers or {}
    for durable, now in (after.consumers or {}).items():
        then = earlier.get(durable)
        if durable != RECORDER and then is not None and (failure := _standstill(durable, then, now, interval_s)):
            failures.append(failure)
    if failures:
        return Check(group="consumers", name="progress", failures=tuple(failures))
    return passed("consumers", "progress", f"{_behind(after)} messages in progress")


def check_recorder(target: Target, before: BusState, after: BusState) -> Check:
    """Check that the recorder runs and keeps up with the stream."""
    now, then = (after.consumers or {}).get(RECORDER), (before.consumers or {}).get(RECORDER)
    if now is None or then is None:
        return passed("consumers", "recorder", "has not joined yet")
    measured = f"{now.behind} events are not in Postgres yet"
    advice = _service_advice(target, "recorder")
    if now.behind and not now.readers and now.acked_up_to == then.acked_up_to:
        return failed("consumers", "recorder", "the recorder is not running", advice, measured)
    if now.behind > LAG_LIMIT and now.behind >= then.behind:
        fix = f"reduce the load on Postgres' disk; {advice}"
        return failed("consumers", "recorder", "the recorder falls behind", fix, measured)
    return passed("consumers", "recorder", measured if now.behind else "all events are in Postgres")


def is_behind(bus: BusState) -> bool:
    """Return whether any consumer is behind, so that a second look is worth its time."""
    return _behind(bus) > 0


def _behind(bus: BusState) -> int:
    return sum(each.behind for each in (bus.consumers or {}).values())


def _standstill(durable: str, then: ConsumerState, now: ConsumerState, interval_s: float) -> CheckFailure | None:
    moved = now.acked_up_to > then.acked_up_to or now.in_flight != then.in_flight
    if now.waiting and not now.readers and not moved and not now.in_flight:
        measured = f"{now.waiting} messages wait"
        fix = f"start the services: `{COMMAND} up` ({START_HINT}); if they run, read their logs"
        return CheckFailure(what=f"no service reads consumer {durable}", measured=measured, fix=fix)
    if now.waiting > LAG_LIMIT and now.waiting >= then.waiting:
        measured = f"{now.waiting} messages wait, {now.waiting - then.waiting} more than {interval_s:g} s before"
        fix = "run more workers of that service (`python -m`, on any machine), and look in its log for what is slow"
        return CheckFailure(what=f"consumer {durable} falls behind", measured=measured, fix=fix)
    return None


def _declare_advice(target: Target, durable: str) -> str:
    if target.origin == "running":
        return "wait ten seconds, its service declares it again; if not, stop the running millwright and start it again"
    return f"start its service ({START_HINT}), or restart it: it declares {durable} again and skips what is answered"


def _service_advice(target: Target, service: str) -> str:
    if target.origin == "running":
        return f"read {target.settings.millwright_data / 'logs'}; stop the running millwright and start it again"
    return f"start the {service}: `{COMMAND} up`, or `python -m {service.replace('-', '_')}` ({START_HINT})"
