"""Figures of a trial, and the decision that follows from them. Pure."""

from collections.abc import Sequence
from typing import NamedTuple

from contracts.events.skill import TrialRequested
from contracts.skills import ArmFigures, SkillStatus, TrialArm, TrialFigures, TrialVerdict
from store.skills.trials import TrialRun

from skill_learner.trials.statistics import estimate

CONFIDENCE = 0.95
"""Of the decision; two measures share the error."""
STATUS_OF: dict[TrialVerdict, SkillStatus] = {
    "adopted": "adopted",
    "rejected": "rejected",
    "parked": "parked",
    "rolled_back": "reverted",
}


class Pair(NamedTuple):
    """Two runs on equal benchmark and seed."""

    current: TrialRun
    proposed: TrialRun

    @property
    def solved(self) -> float:
        """The proposed version solved it and the current one did not: 1; the reverse: -1."""
        return float(self.proposed.is_solved) - float(self.current.is_solved)

    @property
    def avoided(self) -> float:
        """Both solved it, or neither, and the proposed one had fewer target failures: 1; more: -1."""
        fewer = self.current.target_failures - self.proposed.target_failures
        return 0.0 if self.solved or not fewer else float(fewer > 0) - float(fewer < 0)


class TrialEnd(NamedTuple):
    """The end of a trial."""

    verdict: TrialVerdict
    detail: str


def complete_pairs(runs: Sequence[TrialRun]) -> list[Pair]:
    """Return the pairs up to the first one that lacks a run.

    Later ones wait: which runs end early depends on how they end.
    """
    by_place = {(run.pair, run.arm): run for run in runs}
    pairs: list[Pair] = []
    while (len(pairs), "current") in by_place and (len(pairs), "proposed") in by_place:
        number = len(pairs)
        pairs.append(Pair(by_place[number, "current"], by_place[number, "proposed"]))
    return pairs


def figures_of(pairs: Sequence[Pair], *, has_target: bool) -> TrialFigures:
    """Return what these pairs say."""
    confidence = 1.0 - (1.0 - CONFIDENCE) / (2 if has_target else 1)
    return TrialFigures(
        pairs=len(pairs),
        current=_arm([pair.current for pair in pairs]),
        proposed=_arm([pair.proposed for pair in pairs]),
        solved=estimate([pair.solved for pair in pairs], confidence),
        avoided=estimate([pair.avoided for pair in pairs], confidence),
    )


def decide(figures: TrialFigures, request: TrialRequested) -> TrialEnd | None:
    """Return the end of the trial, or None if another pair is needed.

    Harm decides first; then a gain of solved runs, or fewer target failures at no fewer solved runs; then that no gain
    worth its tokens is possible any more; then the budget.
    """
    solved, avoided = figures.solved, figures.avoided
    has_target = bool(request.target)
    if solved.high < 0.0:
        return TrialEnd("rejected", f"it solves fewer runs: {_interval(solved.low, solved.high)}")
    if solved.low > 0.0:
        return TrialEnd("adopted", f"it solves more runs: {_interval(solved.low, solved.high)}")
    is_no_worse = figures.proposed.solved >= figures.current.solved
    if has_target and avoided.low > 0.0 and is_no_worse:
        return TrialEnd("adopted", f"it avoids the failure: {_interval(avoided.low, avoided.high)}")
    gain = max(solved.high, avoided.high if has_target else -1.0)
    if gain < request.smallest_gain:
        return TrialEnd("rejected", f"a gain of {request.smallest_gain:g} is excluded: at most {gain:.2f}")
    if figures.pairs >= request.most_pairs:
        return TrialEnd("parked", f"{figures.pairs} pairs could not tell: {_interval(solved.low, solved.high)}")
    return None


def guarded(decided: TrialEnd, figures: TrialFigures, *, retires: bool) -> tuple[TrialEnd, SkillStatus]:
    """Return the end of the trial of a version that is adopted already: only harm takes it back.

    If it shall be retired, so does that it brings no gain.
    """
    if figures.solved.high < 0.0 or (retires and decided.verdict == "rejected"):
        return TrialEnd("rolled_back", decided.detail), "reverted"
    return (decided if decided.verdict == "adopted" else TrialEnd("parked", decided.detail)), "adopted"


def _arm(runs: Sequence[TrialRun]) -> ArmFigures:
    count = max(len(runs), 1)
    return ArmFigures(
        runs=len(runs),
        solved=sum(run.is_solved for run in runs),
        failures_per_run=sum(run.failures for run in runs) / count,
        target_failures_per_run=sum(run.target_failures for run in runs) / count,
    )


def _interval(low: float, high: float) -> str:
    return f"difference of {low:+.2f} to {high:+.2f}"


ARMS: tuple[TrialArm, TrialArm] = ("current", "proposed")
