"""The summary of a simulation: Markdown of bounded length for agents and people."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter

import numpy as np
from contracts.criteria import WINDOW_SHARE
from contracts.models.scene import Scene
from contracts.models.simulation import Ending, LoadUse, MotorUse, PartUse, PhysicalEvent, ReplicaResult

from sim_worker.judge.failure_text import format_point
from sim_worker.names import the_payload
from sim_worker.report import goal_text
from sim_worker.report.lost_payload import find_lost_payload
from sim_worker.run.readings import Readings
from sim_worker.units import Floats, millimetres, vector_mm

MAX_LINES = 12
"""Of one kind."""
MAX_EVENTS = 30
LISTED_USE = 0.1
"""Loads and parts below this share of their limits are counted, but the most loaded one is always listed."""
BOUNCE_S = 0.05
ALWAYS_LISTED = frozenset(
    {"released", "decided", "closest_to_goal", "fastest", "at_rest", "overloaded", "penetrated", "motor_stalled"}
)
ENDING_TEXTS: dict[Ending, str] = {
    "reached_goal": "reached the goal",
    "missed_goal": "missed the goal",
    "touched_forbid": "touched a forbid zone",
    "left_bounds": "left the world",
    "overloaded": "was loaded above a rating",
    "diverged": "lost its finite state",
    "penetrated": "shared its space with another solid",
    "no_room": "left no room for the payload's start",
    "numerical": "gained energy in the simulator: counted as not passed",
}
EVENT_TEXTS = {
    "released": "{subject} was released",
    "contact": "{subject} touched `{other}` at {value}",
    "lost_contact": "{subject} left `{other}`",
    "entered_goal": "{subject} entered the goal zone",
    "left_goal": "{subject} left the goal zone",
    "touched_forbid": "`{subject}` touched the forbid zone `{other}`",
    "left_bounds": "{subject} left the world",
    "closest_to_goal": "{subject} was nearest to the goal zone: {value}",
    "fastest": "{subject} was fastest: {value}",
    "joint_at_limit": "joint `{subject}` came to its limit at {value}",
    "motor_stalled": "motor `{subject}` stalled at {value}",
    "overloaded": "`{subject}` was overloaded",
    "penetrated": "`{subject}` shared its space with another solid",
    "at_rest": "{subject} at rest from here on",
    "decided": "decided: {other}",
}


@dataclass(frozen=True)
class ReportData:
    """Everything that a summary is written from."""

    scene: Scene
    nominal: ReplicaResult
    readings: Readings
    """Of the nominal run."""
    events: tuple[PhysicalEvent, ...]
    motors: tuple[MotorUse, ...]
    loads: tuple[LoadUse, ...]
    parts: tuple[PartUse, ...]
    peak_supply_w: float
    replicas: tuple[ReplicaResult, ...]
    success_rate: float
    confidence: tuple[float, float]


def write_summary(data: ReportData) -> str:
    """Return the Markdown; its first line is the verdict."""
    lines = [
        _verdict(data),
        *_station_lines(data.scene),
        "",
        "## What happened in the nominal run",
        *_event_lines(data.events),
    ]
    lines += _goal_lines(data)
    if data.motors:
        lines += ["", "## Motors", *_motor_lines(data)]
    if data.loads:
        lines += ["", "## Loads against ratings", *_load_lines(data.loads)]
    if data.parts:
        lines += ["", "## Parts as beams", *_part_lines(data.parts)]
    if data.replicas:
        lines += ["", f"## {len(data.replicas)} jittered replicas", *_replica_lines(data)]
    return "\n".join(lines) + "\n"


def _goal_lines(data: ReportData) -> list[str]:
    """Return where the payloads were lost, arrived and came near what is forbidden."""
    lines: list[str] = []
    if lost := find_lost_payload(data.scene, data.nominal, data.readings):
        lines += ["", "## Where it was lost", f"- {lost}"]
    if at_success := goal_text.at_success(data.nominal):
        lines += ["", "## At the goal", *at_success]
    if payloads := goal_text.of_payloads(data.nominal):
        lines += ["", "## Payloads at the decision", *payloads]
    if zones := _zone_lines(data.scene, data.readings):
        lines += ["", "## Forbid zones, smallest distance", *zones]
    return lines


def _station_lines(scene: Scene) -> list[str]:
    if not scene.is_station_test:
        return []
    released = ", ".join(
        f"{the_payload(scene, index)} was released at {format_point(payload.start_mm)}"
        for index, payload in enumerate(scene.payloads)
    )
    return [f"This was the test of a station: {released}. It proves nothing about the design."]


def _verdict(data: ReportData) -> str:
    result = data.nominal
    after = f"after {result.time_s:.2f} s"
    cause = result.cause.removeprefix(f"{result.culprit}: ")
    if result.ending == "reached_goal":
        return f"**SOLVED**: {goal_text.solved(result, data.scene)}."
    if result.ending == "numerical":
        return (
            f"**NOT JUDGED**: {after} {result.cause}. It counts as not passed: give the start more clearance or make "
            "the part simpler."
        )
    missed = "the goal was not reached" if data.scene.more_payloads else "the payload did not reach the goal zone"
    failures = {
        "missed_goal": f"{missed}; {result.cause}",
        "touched_forbid": f"the forbid zone `{result.touched}` was touched {after}: {result.cause}",
        "left_bounds": f"`{result.culprit}` left the world {after}: {cause}",
        "penetrated": f"two solids shared their space {after}: {result.cause}",
        "no_room": result.cause,
        "overloaded": f"`{result.culprit}` was loaded above its rating {after}: {cause}",
        "diverged": f"{after} {result.cause}",
    }
    return f"**FAILED**: {failures[result.ending]}."


def _event_lines(events: Sequence[PhysicalEvent]) -> list[str]:
    """Return a line per event; of too many, the first of each kind and pair of bodies before repetitions."""
    others = [event for event in events if not _repeats_entry(event)]
    listed = _most_relevant([event for event in others if not _is_bounce(event, others)])
    omitted = len(others) - len(listed)
    more = [f"- and {omitted} more, in `events`"] if omitted else []
    return [_event_line(event) for event in listed] + more


def _repeats_entry(event: PhysicalEvent) -> bool:
    """Return whether an event only repeats that the payload entered the goal zone."""
    return event.kind == "closest_to_goal" and event.value == 0.0


def _is_bounce(lost: PhysicalEvent, events: Sequence[PhysicalEvent]) -> bool:
    """Return whether an event is the loss of a contact that was just made."""
    pair = (lost.subject, lost.other)
    made_s = [event.time_s for event in events if event.kind == "contact" and (event.subject, event.other) == pair]
    return lost.kind == "lost_contact" and any(0.0 <= lost.time_s - time_s < BOUNCE_S for time_s in made_s)


def _most_relevant(events: Sequence[PhysicalEvent]) -> list[PhysicalEvent]:
    if len(events) <= MAX_EVENTS:
        return list(events)
    seen: set[tuple[str, str, str]] = set()
    ranked: list[tuple[int, int]] = []
    for index, event in enumerate(events):
        key = (event.kind, event.subject, event.other)
        is_first = key not in seen and event.kind != "lost_contact"
        ranked.append((0 if event.kind in ALWAYS_LISTED else 1 if is_first else 2, index))
        seen.add(key)
    return [events[index] for index in sorted(index for _, index in sorted(ranked)[:MAX_EVENTS])]


def _event_line(event: PhysicalEvent) -> str:
    value = "" if event.value is None else f"{event.value:.2f} {event.unit}"
    text = EVENT_TEXTS[event.kind].format(subject=event.subject, other=event.other, value=value)
    return f"- {event.time_s:.2f} s {text}, at {format_point(event.place_mm)}"


def _zone_lines(scene: Scene, readings: Readings) -> list[str]:
    """Return each payload's smallest distance from each forbid zone, and those that moving parts touched."""
    lines = [
        _zone_line(f"{_to_zone(scene, index)} to forbid `{zone.label}`", gap_m, view)
        for index, view in enumerate(readings.payloads)
        for zone, gap_m in zip(scene.payload_forbids, view.forbids_m.T, strict=True)
    ][:MAX_LINES]
    touching = [
        f"- part `{part}` to forbid `{zone}`: touched"
        for (part, zone), gap_m in zip(readings.layout.part_forbid_pairs, readings.part_forbids_m.T, strict=True)
        if np.nanmin(gap_m) <= 0.0
    ]
    return lines + touching[:MAX_LINES]


def _to_zone(scene: Scene, index: int) -> str:
    return f"payload `{scene.payloads[index].label}`" if scene.more_payloads else "payload"


def _zone_line(name: str, gap_m: Floats, readings: Readings) -> str:
    nearest = int(np.argmin(np.maximum(gap_m, 0.0)))  # the first moment if it touches
    point = format_point(vector_mm(readings.position_m[nearest]))
    gap_mm = millimetres(max(gap_m[nearest], 0.0))
    return f"- {name}: {gap_mm:.1f} mm after {readings.time_s[nearest]:.2f} s at {point}"


def _motor_lines(data: ReportData) -> list[str]:
    """Return the use of each motor against its data sheet, and the peak power of all."""
    thermal_s = {drive.label: drive.thermal_limit_s for drive in data.scene.drives}
    lines = [_motor_line(motor, thermal_s[motor.label]) for motor in data.motors[:MAX_LINES]]
    limit_w = data.scene.supply_limit_w
    limit = f" of {limit_w:.3g} W" if limit_w is not None else ""
    return [*lines, f"- all motors of the design together drew at most {data.peak_supply_w:.3g} W{limit}"]


def _motor_line(motor: MotorUse, thermal_s: float) -> str:
    share = motor.peak_torque_n_m / motor.stall_torque_n_m
    peak = f"peak {motor.peak_torque_n_m:.3g} N m{_when(motor.peak_torque_s)}"
    power = f"peak {motor.peak_power_w:.3g} W{_when(motor.peak_power_s)}"
    return (
        f"- `{motor.label}`: {peak}, {share:.0%} of its stall torque "
        f"{motor.stall_torque_n_m:.3g} N m; within any {WINDOW_SHARE * thermal_s:g} s above its continuous "
        f"{motor.continuous_torque_n_m:.3g} N m for {motor.overload_s:.2f} s of {thermal_s:g} s, above half its stall "
        f"torque for {motor.near_stall_s:.2f} s; {power}, mean {motor.mean_power_w:.3g} W"
    )


def _when(time_s: float | None) -> str:
    return "" if time_s is None else f" at {time_s:.2f} s"


def _load_lines(loads: Sequence[LoadUse]) -> list[str]:
    """Return the loads, highest utilisation first."""
    uses = sorted(((_utilisation(load), _load_line(load)) for load in loads), key=itemgetter(0), reverse=True)
    return _most_used(uses)


def _load_line(load: LoadUse) -> str:
    force = _with_limit(load.peak_force_n, load.max_force_n, "N")
    if load.peak_use is None:
        return f"- `{load.label}`: {force}, {_with_limit(load.peak_moment_n_m, load.max_moment_n_m, 'N m')}"
    return f"- `{load.label}`: {force}, {load.peak_moment_n_m:.3g} N m; together {load.peak_use:.0%} of its glued face"


def _part_lines(parts: Sequence[PartUse]) -> list[str]:
    """Return stress, compression and deflection of the parts, highest use first."""
    uses = [
        (
            part.load_ratio,
            f"- `{part.label}` of {part.material_id}: {_with_limit(part.peak_stress_mpa, part.max_stress_mpa, 'MPa')}"
            f"{_safety(part)}{_slack(part)}",
        )
        for part in parts
    ]
    return _most_used(sorted(uses, key=itemgetter(0), reverse=True))


def _slack(part: PartUse) -> str:
    """Return what a part bears of its buckling load and how far it bends, if that is not next to nothing."""
    buckling = f", {part.peak_buckling:.0%} of its buckling load" if part.peak_buckling >= LISTED_USE else ""
    if part.peak_deflection_mm < LISTED_USE * part.max_deflection_mm:
        return buckling
    return f"{buckling}, bent by {_with_limit(part.peak_deflection_mm, part.max_deflection_mm, 'mm')}"


def _safety(part: PartUse) -> str:
    if part.safety_factor is None:
        return ""
    by = " by finite elements" if part.is_by_solid else ""
    problem = f" (finite elements gave no answer: {part.solid_problem})" if part.solid_problem else ""
    tired = f", {part.peak_fatigue:.0%} of what it bears in every cycle" if part.peak_fatigue else ""
    return f", factor of safety {_figure(part.safety_factor)}{by}{problem}{tired}{_creep(part)}"


def _creep(part: PartUse) -> str:
    if not part.creeps_at_mpa:
        return ""
    return f" (warning: it bears {_figure(part.creeps_at_mpa)} MPa all the time, under which plastic creeps for years)"


def _most_used(uses: Sequence[tuple[float, str]]) -> list[str]:
    """Return the lines of the highest uses, which come first, and how many others there are."""
    above = sum(use >= LISTED_USE for use, _ in uses)
    count = min(max(above, 1), MAX_LINES, len(uses))
    bound = "less loaded" if above > count else f"each below {LISTED_USE:.0%}"
    more = [f"- and {len(uses) - count} more, {bound}"] if len(uses) > count else []
    return [*(line for _, line in uses[:count]), *more]


def _with_limit(load: float, limit: float | None, unit: str) -> str:
    share = f" of {_figure(limit)} {unit} ({load / limit:.0%})" if limit is not None else ""
    return f"{_figure(load)} {unit}{share}"


def _figure(value: float) -> str:
    """Return three digits, and of larger numbers all before the point."""
    return f"{value:.0f}" if abs(value) >= 1000.0 else f"{value:.3g}"


def _utilisation(load: LoadUse) -> float:
    if load.peak_use is not None:
        return load.peak_use
    force = load.peak_force_n / load.max_force_n if load.max_force_n else 0.0
    moment = load.peak_moment_n_m / load.max_moment_n_m if load.max_moment_n_m else 0.0
    return max(force, moment)


def _replica_lines(data: ReportData) -> list[str]:
    replicas, (low, high) = data.replicas, data.confidence
    endings: Counter[Ending] = Counter(replica.ending for replica in replicas)
    lines = [f"Success rate {data.success_rate:.0%}, with 95 % confidence between {low:.0%} and {high:.0%}."]
    lines += [f"- {count}: {ENDING_TEXTS[ending]}" for ending, count in endings.most_common()]
    lines += goal_text.of_replicas(replicas)
    culprits = Counter(_culprit(replica) for replica in replicas if replica.culprit)
    lines += [f"- {culprit} {count} times" for culprit, count in culprits.most_common(MAX_LINES)]
    failed = [(index, replica) for index, replica in enumerate(replicas) if replica.ending != "reached_goal"]
    lines += [
        f"- replica {index} after {replica.time_s:.2f} s: {replica.cause}" for index, replica in failed[:MAX_LINES]
    ]
    return [*lines, *([f"- and {len(failed) - MAX_LINES} more"] if len(failed) > MAX_LINES else [])]


def _culprit(replica: ReplicaResult) -> str:
    touched = f" `{replica.touched}`" if replica.touched else ""
    return f"`{replica.culprit}` {ENDING_TEXTS[replica.ending]}{touched}"
