"""What happened, in words: Markdown for agents and people."""

from collections import Counter

import numpy as np
from contracts.geometry import Vector
from contracts.scene import Scene
from contracts.simulation import Ending, ReplicaResult

from sim_worker.gauges import Readings
from sim_worker.running import NominalRun
from sim_worker.units import millimetres, place_mm

AT_REST_M_S = 0.01
MANY = 12
"""More lines than this are cut short."""
IN_WORDS: dict[Ending, str] = {
    "reached_goal": "reached the goal",
    "missed_goal": "missed the goal",
    "touched_forbid": "touched a forbid zone",
    "left_bounds": "left the bounds",
    "numerical": "gained energy in the simulator (no fault of the design; not counted)",
}


def summarise(scene: Scene, run: NominalRun, replicas: tuple[ReplicaResult, ...], success_rate: float) -> str:
    """Return the story of a simulation; its first line is the verdict."""
    lines = [_verdict(scene, run), "", "## Nominal run", *_story(scene, run)]
    lines += ["", "## Parts touched, in order", *_touches(scene, run.readings)]
    lines += ["", "## Zones, smallest distance to the payload", *_zones(scene, run.readings)]
    if replicas:
        lines += ["", f"## {len(replicas)} jittered replicas", *_replicas(replicas, success_rate)]
    return "\n".join(lines) + "\n"


def _verdict(scene: Scene, run: NominalRun) -> str:
    result = run.result
    when = f"{result.time_s:.2f} s"
    match result.ending:
        case "reached_goal":
            reached_s = result.time_s - scene.hold_s
            return (
                f"**SOLVED**: the payload reached the goal zone after {reached_s:.2f} s and stayed {scene.hold_s:g} s."
            )
        case "missed_goal":
            return (
                f"**FAILED**: the payload was not in touch with the goal zone for {scene.hold_s:g} s within {when}; "
                f"it came as near as {result.closest_goal_mm:.1f} mm and ended at {_place(result.final_mm)}."
            )
        case "touched_forbid":
            return f"**FAILED**: the payload touched the forbid zone `{result.touched}` after {when}."
        case "left_bounds":
            return f"**FAILED**: the payload left the bounds after {when} at {_place(result.final_mm)}."
        case "numerical":
            return (
                f"**NOT JUDGED**: after {when} the payload moved faster ({result.max_speed_m_s:.2f} m/s) than its fall "
                "allows. This is a fault of the simulator, not of the design: give the start more clearance, "
                "do not redesign."
            )


def _story(scene: Scene, run: NominalRun) -> list[str]:
    readings = run.readings
    nearest = int(np.argmin(np.maximum(readings.goal_m, 0.0)))  # where it touches: the first moment
    fastest = int(np.argmax(readings.speed_m_s))
    end_speed = float(readings.speed_m_s[-1])
    lines = [
        f"- released at {_place(scene.payload.start_mm)}",
        f"- fastest: {readings.speed_m_s[fastest]:.2f} m/s after {_moment(readings, fastest)}",
        f"- nearest to the goal zone: {millimetres(max(readings.goal_m[nearest], 0.0)):.1f} mm "
        f"after {_moment(readings, nearest)}",
    ]
    if end_speed < AT_REST_M_S:
        moving = np.flatnonzero(readings.speed_m_s >= AT_REST_M_S)
        since_s = readings.time_s[moving[-1]] if len(moving) else 0.0
        lines.append(f"- at rest since {since_s:.2f} s at {_place(run.result.final_mm)}{_support(scene, readings)}")
    else:
        lines.append(
            f"- at the end, after {run.result.time_s:.2f} s: {_place(run.result.final_mm)}, {end_speed:.2f} m/s"
        )
    return lines


def _support(scene: Scene, readings: Readings) -> str:
    """Name what the payload lies on; a contact flickers at rest, so the last moments count together."""
    touched = np.flatnonzero((readings.touching[-50:] > 0).any(axis=0))
    names = ", ".join(f"`{scene.bodies[body].label}`" for body in touched)
    return f", in contact with {names}" if names else ""


def _touches(scene: Scene, readings: Readings) -> list[str]:
    firsts = [
        (int(np.argmax(column > 0)), body.label)
        for body, column in zip(scene.bodies, readings.touching.T, strict=True)
        if (column > 0).any()
    ]
    lines = [
        f"- {readings.time_s[step]:.2f} s `{label}` at {readings.speed_m_s[step]:.2f} m/s, "
        f"payload at {_place(place_mm(readings.position_m[step]))}"
        for step, label in sorted(firsts)
    ]
    more = [f"- and {len(lines) - MANY} more"] if len(lines) > MANY else []
    return [*lines[:MANY], *more] or ["- none"]


def _zones(scene: Scene, readings: Readings) -> list[str]:
    distances = [("goal", np.maximum(readings.goal_m, 0.0))]
    distances += [
        (f"forbid `{zone.label}`", np.maximum(column, 0.0))
        for zone, column in zip(scene.forbid_zones, readings.forbids_m.T, strict=True)
    ]
    return [
        f"- {name}: {millimetres(gap.min()):.1f} mm after {_moment(readings, int(gap.argmin()))}"
        for name, gap in distances
    ]


def _replicas(replicas: tuple[ReplicaResult, ...], success_rate: float) -> list[str]:
    counts: Counter[Ending] = Counter(replica.ending for replica in replicas)
    zones = Counter(replica.touched for replica in replicas if replica.touched)
    lines = [f"Success rate {success_rate:.0%}."]
    lines += [f"- {count}: {IN_WORDS[ending]}" for ending, count in counts.most_common()]
    lines += [f"- forbid zone `{label}` was touched {count} times" for label, count in zones.most_common()]
    lost = [(place, replica) for place, replica in enumerate(replicas) if replica.ending != "reached_goal"]
    lines += [
        f"- replica {place}: {IN_WORDS[replica.ending]} after {replica.time_s:.2f} s at {_place(replica.final_mm)}"
        for place, replica in lost[:MANY]
    ]
    return lines


def _moment(readings: Readings, step: int) -> str:
    return f"{readings.time_s[step]:.2f} s at {_place(place_mm(readings.position_m[step]))}"


def _place(place: Vector) -> str:
    x, y, z = place
    return f"({x:.0f}, {y:.0f}, {z:.0f}) mm"
