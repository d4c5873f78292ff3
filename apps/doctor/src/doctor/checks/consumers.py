"""Who reads the stream, and how far they are."""

from chassis.app import App
from chassis.observability.inspection import BusState, ConsumerState, unlike_planned
from chassis.observability.lag import records_name
from local_stack.containers import BRING_UP
from local_stack.service_apps import build_apps

from doctor.check import Check, CheckFailure, passed
from doctor.target import Target

LAG_LIMIT = 1000
"""Messages that a reader may be behind without anybody calling it slow."""
RECORDER = records_name("recorder")


def check_consumers(patient: Target, bus: BusState) -> Check:
    """Every consumer that the services' wiring plans is there, as planned."""
    if not bus.consumers:
        return passed("consumers", "wiring", "no service has joined yet")
    findings = [each for app in build_apps(patient.environment) for each in _unlike(patient, bus, app)]
    if findings:
        return Check(group="consumers", name="wiring", failures=tuple(findings))
    return passed("consumers", "wiring", f"{len(bus.consumers)} consumers, as the services plan them")


def _unlike(patient: Target, bus: BusState, app: App) -> list[CheckFailure]:
    """Return what is wrong with one service's consumers; who has none has not joined, which is one thing."""
    problems = unlike_planned(bus, [app])
    planned = {each.durable_name for each in app.planned_consumers}
    if planned and not planned & set(bus.consumers or {}):
        what = f"{app.name} has not joined: none of its consumers is there"
        return [CheckFailure(what=what, fix=_look_into(patient, app.name))]
    return [
        CheckFailure(what=f"consumer {durable} {problem}", fix=_declare_again(patient, durable))
        for durable, problem in problems.items()
    ]


def check_progress(before: BusState, after: BusState, apart_s: float) -> Check:
    """Nobody stands still in front of work. The two looks are `apart_s` seconds apart."""
    findings: list[CheckFailure] = []
    earlier = before.consumers or {}
    for durable, now in (after.consumers or {}).items():
        then = earlier.get(durable)
        if durable != RECORDER and then is not None and (finding := _standstill(durable, then, now, apart_s)):
            findings.append(finding)
    if findings:
        return Check(group="consumers", name="progress", failures=tuple(findings))
    return passed("consumers", "progress", f"{_behind(after)} messages in work")


def check_recorder(patient: Target, before: BusState, after: BusState) -> Check:
    """Postgres has what the stream has, or soon will."""
    now, then = (after.consumers or {}).get(RECORDER), (before.consumers or {}).get(RECORDER)
    if now is None or then is None:
        return passed("consumers", "recorder", "has not joined yet")
    measured = f"{now.behind} events are not in Postgres yet"
    if now.behind and not now.readers and now.acked_up_to == then.acked_up_to:
        what = "nobody records"
        return Check(
            group="consumers",
            name="recorder",
            failures=(CheckFailure(what=what, measured=measured, fix=_look_into(patient, "recorder")),),
        )
    if now.behind > LAG_LIMIT and now.behind >= then.behind:
        mend = f"relieve Postgres' disk; {_look_into(patient, 'recorder')}"
        finding = CheckFailure(what="the recorder falls behind", measured=measured, fix=mend)
        return Check(group="consumers", name="recorder", failures=(finding,))
    return passed("consumers", "recorder", measured if now.behind else "all events are in Postgres")


def needs_second_look(bus: BusState) -> bool:
    """Tell whether anybody is behind: only then is it worth the wait."""
    return _behind(bus) > 0


def _behind(bus: BusState) -> int:
    return sum(each.behind for each in (bus.consumers or {}).values())


def _standstill(durable: str, then: ConsumerState, now: ConsumerState, apart_s: float) -> CheckFailure | None:
    moved = now.acked_up_to > then.acked_up_to or now.in_hand != then.in_hand
    if now.waiting and not now.readers and not moved and not now.in_hand:
        measured = f"{now.waiting} messages wait"
        mend = f"start the services: `millwright up` ({BRING_UP}); if they run, read their logs"
        return CheckFailure(what=f"nobody reads consumer {durable}", measured=measured, fix=mend)
    if now.waiting > LAG_LIMIT and now.waiting >= then.waiting:
        measured = f"{now.waiting} messages wait, {now.waiting - then.waiting} more than {apart_s:g} s before"
        mend = "run more workers of that service (`python -m`, on any machine), and see its log for what is slow"
        return CheckFailure(what=f"consumer {durable} falls behind", measured=measured, fix=mend)
    return None


def _declare_again(patient: Target, durable: str) -> str:
    if patient.origin == "up":
        return (
            "wait ten seconds, its service declares it anew; if not, end the millwright that is up and start it again"
        )
    return f"start its service ({BRING_UP}), or start it again: it declares {durable} anew and skips what is answered"


def _look_into(patient: Target, service: str) -> str:
    if patient.origin == "up":
        return f"read {patient.settings.millwright_data / 'logs'}; end the millwright that is up and start it again"
    return f"start the {service}: `millwright up`, or `python -m {service.replace('-', '_')}` ({BRING_UP})"
