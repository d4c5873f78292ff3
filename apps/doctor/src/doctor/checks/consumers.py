"""Who reads the stream, and how far they are."""

from chassis.app import App
from chassis.observability.inspection import BusState, ConsumerState, consumer_problems
from chassis.stream.subjects import recording_durable_name
from local_stack.containers import BRING_UP
from local_stack.service_apps import build_apps

from doctor.check import Check, Finding, passed
from doctor.target import Target

LAGGING = 1000
"""Messages that a reader may be behind without anybody calling it slow."""
RECORDER = recording_durable_name("recorder")


def check_consumers(patient: Target, bus: BusState) -> Check:
    """Every consumer that the services' wiring plans is there, as planned."""
    if not bus.consumers:
        return passed("consumers", "wiring", "no service has joined yet")
    findings = [each for app in build_apps(patient.environment) for each in _unlike(patient, bus, app)]
    if findings:
        return Check(group="consumers", name="wiring", findings=tuple(findings))
    return passed("consumers", "wiring", f"{len(bus.consumers)} consumers, as the services plan them")


def _unlike(patient: Target, bus: BusState, app: App) -> list[Finding]:
    """Return what is wrong with one service's consumers; who has none has not joined, which is one thing."""
    problems = consumer_problems(bus, [app])
    planned = {each.durable for each in app.planned_consumers}
    if planned and not planned & set(bus.consumers or {}):
        what = f"{app.name} has not joined: none of its consumers is there"
        return [Finding(what=what, mend=_look_into(patient, app.name))]
    return [
        Finding(what=f"consumer {durable} {problem}", mend=_declare_again(patient, durable))
        for durable, problem in problems.items()
    ]


def check_progress(before: BusState, after: BusState, apart_s: float) -> Check:
    """Nobody stands still in front of work. The two looks are `apart_s` seconds apart."""
    findings: list[Finding] = []
    earlier = before.consumers or {}
    for durable, now in (after.consumers or {}).items():
        then = earlier.get(durable)
        if durable != RECORDER and then is not None and (finding := _standstill(durable, then, now, apart_s)):
            findings.append(finding)
    if findings:
        return Check(group="consumers", name="progress", findings=tuple(findings))
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
            findings=(Finding(what=what, measured=measured, mend=_look_into(patient, "recorder")),),
        )
    if now.behind > LAGGING and now.behind >= then.behind:
        mend = f"relieve Postgres' disk; {_look_into(patient, 'recorder')}"
        finding = Finding(what="the recorder falls behind", measured=measured, mend=mend)
        return Check(group="consumers", name="recorder", findings=(finding,))
    return passed("consumers", "recorder", measured if now.behind else "all events are in Postgres")


def needs_second_look(bus: BusState) -> bool:
    """Tell whether anybody is behind: only then is it worth the wait."""
    return _behind(bus) > 0


def _behind(bus: BusState) -> int:
    return sum(each.behind for each in (bus.consumers or {}).values())


def _standstill(durable: str, then: ConsumerState, now: ConsumerState, apart_s: float) -> Finding | None:
    moved = now.acked_up_to > then.acked_up_to or now.in_flight != then.in_flight
    if now.waiting and not now.readers and not moved and not now.in_flight:
        measured = f"{now.waiting} messages wait"
        mend = f"start the services: `millwright up` ({BRING_UP}); if they run, read their logs"
        return Finding(what=f"nobody reads consumer {durable}", measured=measured, mend=mend)
    if now.waiting > LAGGING and now.waiting >= then.waiting:
        measured = f"{now.waiting} messages wait, {now.waiting - then.waiting} more than {apart_s:g} s before"
        mend = "run more workers of that service (`python -m`, on any machine), and see its log for what is slow"
        return Finding(what=f"consumer {durable} falls behind", measured=measured, mend=mend)
    return None


def _declare_again(patient: Target, durable: str) -> str:
    if patient.origin == "up":
        return (
            "wait ten seconds, its service declares it anew; if not, end the millwright that is up and start it again"
        )
    return f"start its service ({BRING_UP}), or start it again: it declares {durable} anew and skips what is answered"


def _look_into(patient: Target, service: str) -> str:
    if patient.origin == "up":
        return f"read {patient.surroundings.millwright_data / 'logs'}; end the millwright that is up and start it again"
    return f"start the {service}: `millwright up`, or `python -m {service.replace('-', '_')}` ({BRING_UP})"
