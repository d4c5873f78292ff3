"""What the end of a run means: for its trial, for failures in a row, and for what it was offered."""

from collections.abc import Sequence
from uuid import uuid5

from chassis.bus import Bus
from contracts.envelope import Event, caused_by
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from contracts.events.skill import LearningRequested
from store.skills.trials import SkillTrials
from store.skills.versions import Skills

from skill_learner.trials.conductor import TrialConductor

_FAILURES_OF_WORK = {
    "plan_rejected",
    "design_rejected",
    "refused",
    "steps_exhausted",
    "tokens_exhausted",
    "money_exhausted",
    "deadline",
    "single_pass_failed",
}
"""Reasons that may be lessons; the others are of machines, models or users."""


class RunEnds:
    """Handles the ends of all runs."""

    def __init__(
        self, bus: Bus, skills: Skills, trials: SkillTrials, conductor: TrialConductor, min_failed_runs: int
    ) -> None:
        self._bus = bus
        self._skills = skills
        self._trials = trials
        self._conductor = conductor
        self._min_failed_runs = min_failed_runs

    async def on_end(self, end: RunSucceeded | RunFailed) -> Sequence[Event]:
        """Carry the run's trial on; else request that the newest of too many failed runs is read."""
        await self._skills.forget_offers(end.run_id)
        opening = await self._bus.latest(EngineeringRequested, end.run_id)
        if opening is None:
            return []
        if opening.trial is not None:
            return await self._conductor.on_run_end(end, opening)
        benchmark = opening.assignment.variant.benchmark
        if isinstance(end, RunSucceeded):
            await self._trials.forget_failures(benchmark)
            return []
        if end.reason not in _FAILURES_OF_WORK:
            return []
        failures = await self._trials.count_failure(end.run_id, benchmark)
        return [] if failures % self._min_failed_runs else [_learning(end, failures)]


def _learning(end: RunFailed, failures: int) -> LearningRequested:
    return LearningRequested(
        **caused_by(end, uuid5(end.id, "learning"), "skill-learner", "skill-learner"),
        failures=failures,
    )
