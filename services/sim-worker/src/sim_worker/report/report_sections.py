"""The parts of a summary: events, zones, motors and loads as lines of Markdown."""

from collections.abc import Sequence

import numpy as np
from contracts.models.scene import Scene
from contracts.models.simulation import LoadUse, MotorUse, PhysicalEvent

from sim_worker.report.failure_text import said
from sim_worker.report.report_data import ReportData
from sim_worker.run.readings import Readings
from sim_worker.units import Floats, millimetres, place_mm

MANY = 12
"""More lines of one kind than this are cut short."""
MOST_EVENTS = 30
BOUNCE_S = 0.05
NOT_CUT = frozenset({"released", "decided", "closest_to_goal", "fastest", "at_rest", "overloaded", "motor_stalled"})
IN_WORDS = {
    "released": "{subject} was released",
    "contact": "{subject} touched `{other}` at {value}",
    "lost_contact": "{subject} left `{other}`",
    "entered_goal": "{subject} entered the goal zone",
    "left_goal": "{subject} left the goal zone",
    "touched_forbid": "`{subject}` touched the forbid zone `{other}`",
    "left_bounds": "{subject} left the bounds",
    "closest_to_goal": "{subject} was nearest to the goal zone: {value}",
    "fastest": "{subject} was fastest: {value}",
    "joint_at_limit": "joint `{subject}` came to its limit at {value}",
    "motor_stalled": "motor `{subject}` stalled at {value}",
    "overloaded": "`{subject}` was overloaded",
    "at_rest": "{subject} at rest from here on",
    "decided": "decided: {other}",
}


def story_lines(events: Sequence[PhysicalEvent]) -> list[str]:
    """Return a line per event, the first of each pair of bodies before what repeats itself."""
    kept = _worth_telling([event for event in events if not _is_bounce(event, events)])
    left_out = len(events) - len(kept)
    more = [f"- and {left_out} more, in `events`"] if left_out else []
    return [_line(event) for event in kept] + more


def zone_lines(scene: Scene, readings: Readings) -> list[str]:
    """Return how near the payload came to each zone, and where a moving part came near a forbid zone."""
    lines = [_zone("payload to the goal zone", readings.goal_m, readings)]
    forbids = list(zip(scene.forbid_zones, readings.forbids_m.T, strict=True))
    lines += [_zone(f"payload to forbid `{zone.label}`", gap_m, readings) for zone, gap_m in forbids[:MANY]]
    touching = [
        f"- part `{part}` to forbid `{zone}`: touched"
        for (part, zone), gap_m in zip(readings.gauges.part_forbid_pairs, readings.part_forbids_m.T, strict=True)
        if np.nanmin(gap_m) <= 0.0
    ]
    return lines + touching[:MANY]


def motor_lines(account: ReportData) -> list[str]:
    """Return what each motor gave, against its data sheet, and what all drew."""
    thermal_s = {drive.label: drive.thermal_limit_s for drive in account.scene.drives}
    lines = [_motor_line(motor, thermal_s[motor.label]) for motor in account.motors[:MANY]]
    limit_w = account.scene.supply_limit_w
    limit = f" of {limit_w:.3g} W" if limit_w is not None else ""
    return [*lines, f"- all motors of the design together drew at most {account.peak_supply_w:.3g} W{limit}"]


def _motor_line(motor: MotorUse, thermal_s: float) -> str:
    share = motor.peak_torque_n_m / motor.stall_torque_n_m
    return (
        f"- `{motor.label}`: peak {motor.peak_torque_n_m:.3g} N m, {share:.0%} of its stall torque "
        f"{motor.stall_torque_n_m:.3g} N m; above its continuous {motor.continuous_torque_n_m:.3g} N m for at most "
        f"{motor.longest_overload_s:.2f} s of {thermal_s:g} s; peak {motor.peak_power_w:.3g} W, "
        f"mean {motor.mean_power_w:.3g} W"
    )


def load_lines(loads: Sequence[LoadUse]) -> list[str]:
    """Return what bore the most, measured against its rating, first."""
    most = sorted(loads, key=_used, reverse=True)
    lines = [
        f"- `{load.label}`: {_of(load.peak_force_n, load.max_force_n, 'N')}, "
        f"{_of(load.peak_moment_n_m, load.max_moment_n_m, 'N m')}"
        for load in most[:MANY]
    ]
    return lines + ([f"- and {len(most) - MANY} more, less loaded"] if len(most) > MANY else [])


def _is_bounce(lost: PhysicalEvent, events: Sequence[PhysicalEvent]) -> bool:
    """Return whether a contact was lost as soon as it was made: that it was made says enough."""
    pair = (lost.subject, lost.other)
    made_s = [event.time_s for event in events if event.kind == "contact" and (event.subject, event.other) == pair]
    return lost.kind == "lost_contact" and any(0.0 <= lost.time_s - time_s < BOUNCE_S for time_s in made_s)


def _worth_telling(events: Sequence[PhysicalEvent]) -> list[PhysicalEvent]:
    if len(events) <= MOST_EVENTS:
        return list(events)
    seen: set[tuple[str, str, str]] = set()
    ranked: list[tuple[int, int]] = []
    for place, event in enumerate(events):
        what = (event.kind, event.subject, event.other)
        is_first = what not in seen and event.kind != "lost_contact"
        ranked.append((0 if event.kind in NOT_CUT else 1 if is_first else 2, place))
        seen.add(what)
    return [events[place] for _, place in sorted(sorted(ranked)[:MOST_EVENTS], key=_second)]


def _second(ranked: tuple[int, int]) -> int:
    return ranked[1]


def _line(event: PhysicalEvent) -> str:
    value = "" if event.value is None else f"{event.value:.2f} {event.unit}"
    told = IN_WORDS[event.kind].format(subject=event.subject, other=event.other, value=value)
    return f"- {event.time_s:.2f} s {told}, at {said(event.place_mm)}"


def _zone(name: str, gap_m: Floats, readings: Readings) -> str:
    nearest = int(np.argmin(np.maximum(gap_m, 0.0)))  # where it touches: the first moment
    place = said(place_mm(readings.position_m[nearest]))
    gap_mm = millimetres(max(gap_m[nearest], 0.0))
    return f"- {name}: {gap_mm:.1f} mm after {readings.time_s[nearest]:.2f} s at {place}"


def _of(borne: float, limit: float | None, unit: str) -> str:
    return f"{borne:.3g} {unit}" + (f" of {limit:.3g} {unit} ({borne / limit:.0%})" if limit is not None else "")


def _used(load: LoadUse) -> float:
    force = load.peak_force_n / load.max_force_n if load.max_force_n else 0.0
    moment = load.peak_moment_n_m / load.max_moment_n_m if load.max_moment_n_m else 0.0
    return max(force, moment)
