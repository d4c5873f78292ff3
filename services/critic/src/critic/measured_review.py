"""The review of a design that the simulation has not proven: what was measured, without an opinion."""

from collections import Counter
from collections.abc import Iterator

from contracts.models.simulation import ReplicaResult, SimulationResult

MAX_LINES = 10
"""Of causes, and of loads."""
_CAUSE_CHARS = 300


def measured_review(result: SimulationResult) -> str:
    """Return the findings as a list: verdict, successful replicas, how the others ended, loads above their limits."""
    return "\n".join(f"- {line}" for line in (*_verdict(result), *_failures(result), *_loads(result)))


def _verdict(result: SimulationResult) -> Iterator[str]:
    yield f"Physics has not proven this design: it is {result.verdict} and {result.stability}, not solved and stable."
    if result.nominal.ending != "reached_goal":
        yield f"The nominal run {_ended(result.nominal)}{_because(result.nominal)}"
    if result.replicas:
        reached = sum(replica.ending == "reached_goal" for replica in result.replicas)
        yield f"{reached} of {len(result.replicas)} jittered replicas reached the goal; 90 % are needed."


def _failures(result: SimulationResult) -> Iterator[str]:
    """Yield each kind of failure with its number of replicas, the most frequent first, and the cause of its first."""
    failed = [replica for replica in result.replicas if replica.ending != "reached_goal"]
    first = {_ended(replica): replica for replica in reversed(failed)}
    for ended, count in Counter(map(_ended, failed)).most_common(MAX_LINES):
        which = "replica" if count == 1 else "replicas"
        yield f"{count} {which} {ended}{_because(first[ended], 'the first: ' if count > 1 else '')}"


def _ended(replica: ReplicaResult) -> str:
    """Return how a replica ended, and which body or zone it concerns, if any."""
    ending = f"ended as {replica.ending.replace('_', ' ')}"
    concerned = " and ".join(f"`{label}`" for label in (replica.culprit, replica.touched) if label)
    return f"{ending} with {concerned}" if concerned else ending


def _because(replica: ReplicaResult, which: str = "") -> str:
    cause = " ".join(replica.cause.split())[:_CAUSE_CHARS].rstrip(".")
    return f": {which}{cause}." if cause else "."


def _loads(result: SimulationResult) -> Iterator[str]:
    uses = (*result.loads, *result.parts)
    above = [(use.label, ratio) for use in uses if (ratio := use.load_ratio) is not None and ratio > 1.0]
    for label, ratio in sorted(above, key=lambda each: -each[1])[:MAX_LINES]:
        yield f"`{label}` bears {ratio:.0%} of its limit."
    for motor in [each for each in result.motors if each.longest_overload_s > 0.0][:MAX_LINES]:
        yield (
            f"Motor `{motor.label}` was above its continuous torque of {motor.continuous_torque_n_m:.3g} N m for "
            f"{motor.longest_overload_s:.1f} s, at most at {motor.peak_torque_n_m:.3g} N m."
        )
