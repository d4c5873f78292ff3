"""What happened, in words: Markdown for agents and people. Its length is bounded."""

from collections import Counter

from contracts.models.simulation import Ending, ReplicaResult

from sim_worker.report.failure_text import said
from sim_worker.report.report_data import ReportData
from sim_worker.report.report_sections import MANY, load_lines, motor_lines, story_lines, zone_lines

IN_WORDS: dict[Ending, str] = {
    "reached_goal": "reached the goal",
    "missed_goal": "missed the goal",
    "touched_forbid": "touched a forbid zone",
    "left_bounds": "left the bounds",
    "overloaded": "was loaded above a rating",
    "diverged": "lost its finite state",
    "numerical": "gained energy in the simulator (no fault of the design; not counted)",
}


def summarise(account: ReportData) -> str:
    """Return the story of a simulation; its first line is the verdict."""
    lines = [_verdict(account), "", "## What happened in the nominal run", *story_lines(account.events)]
    lines += ["", "## Zones, smallest distance", *zone_lines(account.scene, account.readings)]
    if account.motors:
        lines += ["", "## Motors", *motor_lines(account)]
    if account.loads:
        lines += ["", "## Loads against ratings", *load_lines(account.loads)]
    if account.replicas:
        lines += ["", f"## {len(account.replicas)} jittered replicas", *_replicas(account)]
    return "\n".join(lines) + "\n"


def _verdict(account: ReportData) -> str:
    result, hold_s = account.nominal, account.scene.hold_s
    when = f"{result.time_s:.2f} s"
    if result.ending == "reached_goal":
        stayed = f" and stayed {hold_s:g} s" if hold_s else ""
        return f"**SOLVED**: the payload reached the goal zone after {result.time_s - hold_s:.2f} s{stayed}."
    if result.ending == "numerical":
        return (
            f"**NOT JUDGED**: after {when} {result.cause}. Give the start more clearance or make it simpler; "
            "do not redesign for this."
        )
    told = {
        "missed_goal": f"the payload did not reach the goal zone; {result.cause}",
        "touched_forbid": f"the forbid zone `{result.touched}` was touched after {when}: {result.cause}",
        "left_bounds": f"the payload left the bounds after {when} at {said(result.final_mm)}: {result.cause}",
        "overloaded": f"`{result.culprit}` was loaded above its rating after {when}: {result.cause}",
        "diverged": f"after {when} {result.cause}",
    }
    return f"**FAILED**: {told[result.ending]}."


def _replicas(account: ReportData) -> list[str]:
    replicas, (low, high) = account.replicas, account.confidence
    counts: Counter[Ending] = Counter(replica.ending for replica in replicas)
    lines = [f"Success rate {account.success_rate:.0%}; the true one lies between {low:.0%} and {high:.0%} (95 %)."]
    lines += [f"- {count}: {IN_WORDS[ending]}" for ending, count in counts.most_common()]
    whose = Counter(_what(replica) for replica in replicas if replica.culprit)
    lines += [f"- {what} {count} times" for what, count in whose.most_common(MANY)]
    lost = [(place, replica) for place, replica in enumerate(replicas) if replica.ending != "reached_goal"]
    lines += [f"- replica {place} after {replica.time_s:.2f} s: {replica.cause}" for place, replica in lost[:MANY]]
    return [*lines, *([f"- and {len(lost) - MANY} more"] if len(lost) > MANY else [])]


def _what(replica: ReplicaResult) -> str:
    touched = f" `{replica.touched}`" if replica.touched else ""
    return f"`{replica.culprit}` {IN_WORDS[replica.ending]}{touched}"
