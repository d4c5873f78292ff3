"""What exactly was judged at the goal, and what became of the payload afterwards, in words."""

from collections import Counter
from collections.abc import Sequence

from contracts.models.scene import Scene
from contracts.models.simulation import Aftermath, ReplicaResult

from sim_worker.judge.failure_text import AFTERMATH_S, format_point
from sim_worker.names import payload_index, the_payload

AFTERMATH_TEXTS: dict[Aftermath, str] = {
    "unknown": "nothing was recorded",
    "stayed": "the payload stayed",
    "left_goal": "the payload left the goal zone",
    "touched_forbid": "a forbid zone was touched",
    "left_bounds": "something left the world",
    "overloaded": "something was loaded above a rating",
    "penetrated": "something moved into something solid",
    "diverged": "the state stopped being finite",
    "numerical": "the simulator failed",
}


def solved(result: ReplicaResult, scene: Scene) -> str:
    """Return what the payload did, in the terms of the benchmark's goal rule."""
    since = f"after {result.time_s - scene.hold_s:.2f} s"
    for_hold = f" for {scene.hold_s:g} s without a break" if scene.hold_s else ""
    name, was = the_payload(scene, payload_index(scene, result.payload)), "was"
    if scene.more_payloads and scene.must_arrive == "all":
        name, was = f"all {len(scene.payloads)} payloads", "were"
    match scene.goal_rule:
        case "touch":
            kept = f" and stayed in contact with it{for_hold}" if scene.hold_s else ""
            return f"{name} touched the goal zone {since}{kept}"
        case "inside":
            return f"{name} {was} entirely inside the goal zone {since}{for_hold}"
        case "at_rest":
            return f"{name} touched the goal zone at rest {since}{for_hold}"


def at_success(result: ReplicaResult) -> list[str]:
    """Return where the payload was when the run was decided, and what happened next; nothing for a failure."""
    if result.ending != "reached_goal" or result.goal_distance_mm is None or result.goal_center_distance_mm is None:
        return []
    name = f"the payload {result.payload}" if result.payload else "the payload"
    outside_mm, center_mm = result.goal_distance_mm, result.goal_center_distance_mm
    lies = "inside the goal zone" if outside_mm == 0.0 else f"{outside_mm:.1f} mm outside the goal zone"
    lines = [
        f"- after {result.time_s:.2f} s {name}'s centre was {lies}, {center_mm:.1f} mm from the zone's centre, at "
        f"{format_point(result.final_mm)}"
    ]
    if result.aftermath == "stayed":
        return [*lines, f"- {AFTERMATH_S:g} s later it still touched the goal zone"]
    if result.aftermath == "unknown":
        return lines
    return [
        *lines,
        f"- not judged: within the next {AFTERMATH_S:g} s {AFTERMATH_TEXTS[result.aftermath]}: "
        f"{result.aftermath_cause}",
    ]


def of_payloads(result: ReplicaResult) -> list[str]:
    """Return a line for each of several payloads: where it ended, and how near it came."""
    lines: list[str] = []
    for each in result.payloads:
        arrived = "in the goal" if each.has_arrived else f"{each.goal_distance_mm:.1f} mm from the goal zone"
        lost = "" if each.lost_s is None else f"; lost after {each.lost_s:.2f} s: {each.lost_cause}"
        lines.append(
            f"- `{each.label}`: {arrived} at {format_point(each.final_mm)}, nearest {each.closest_goal_mm:.1f} mm, "
            f"fastest {each.max_speed_m_s:.2f} m/s{lost}"
        )
    return lines


def of_replicas(replicas: Sequence[ReplicaResult]) -> list[str]:
    """Return a line for each kind of aftermath among the successful replicas, and one for displacements that shrank."""
    found: Counter[Aftermath] = Counter(each.aftermath for each in replicas if each.ending == "reached_goal")
    lines = [
        f"- in {count} of those that reached the goal, {AFTERMATH_TEXTS[kind]} within the next {AFTERMATH_S:g} s"
        for kind, count in found.most_common()
        if kind not in {"unknown", "stayed"}
    ]
    shrunk = [each.jitter_share for each in replicas if each.jitter_share < 1.0]
    if shrunk:
        lines.append(
            f"- {len(shrunk)} start nearer to the nominal position than drawn, at {min(shrunk):.0%} of the "
            "displacement or more: solids of the benchmark are that close"
        )
    return lines
