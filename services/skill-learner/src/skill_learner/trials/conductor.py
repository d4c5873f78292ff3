"""Conducts trials: requests pairs of runs, and completes a trial as soon as its figures decide.

Every step follows from what is stored, so that a step that is done twice, by another process or after a crash, changes
nothing: runs have derived ids, and the outcome that was stored first counts.
"""

from collections.abc import Sequence
from uuid import UUID

from artifacts.port import ArtifactStore
from chassis.bus import Bus
from contracts.envelope import Event, answering
from contracts.events.run import CancelRequested, EngineeringRequested, RunFailed, RunSucceeded
from contracts.events.skill import TrialCompleted, TrialRequested
from contracts.skills import PinnedSkill, SkillStatus, TrialFigures
from store.skills.trials import SkillTrials, StoredTrial, TrialRun
from store.skills.versions import Skills

from skill_learner.lessons import count_failures
from skill_learner.notices import notices
from skill_learner.settings import READERS
from skill_learner.trials.figures import ARMS, STATUS_OF, TrialEnd, complete_pairs, decide, figures_of, guarded
from skill_learner.trials.trial_runs import pair_of, request_of

_BROKEN_RUNS = {"benchmark_invalid", "session_failed", "model_failed", "abandoned", "cancelled"}
"""Reasons of failures that say nothing about a skill."""


class TrialConductor:
    """Begins trials and carries them on."""

    def __init__(self, bus: Bus, artifacts: ArtifactStore, skills: Skills, trials: SkillTrials) -> None:
        self._bus = bus
        self._artifacts = artifacts
        self._skills = skills
        self._trials = trials

    async def begin(self, request: TrialRequested) -> Sequence[Event]:
        """Pin the skills of all runs, and request the first pairs."""
        version = await self._skills.version(request.name, request.version)
        pinned = [
            PinnedSkill(for_role=role, name=skill.name, version=skill.version)
            for role in READERS
            for skill in await self._skills.newest(role)
            if (role, skill.name) != (request.for_role, request.name)
        ]
        trial = await self._trials.begin(request, pinned)
        if version is None or version.for_role != request.for_role:
            detail = f"there is no version {request.version} of {request.name} for the {request.for_role}"
            return [_completed(request, TrialEnd("parked", detail), figures_of([], has_target=False))]
        return await self._carry_on(trial)

    async def on_run_end(self, end: RunSucceeded | RunFailed, opening: EngineeringRequested) -> Sequence[Event]:
        """Store how a run of a trial ended, and return what follows: further runs, or the end of the trial."""
        assert opening.trial is not None
        trial = await self._trials.find(opening.trial.trial_id)
        if trial is None:
            return []
        if isinstance(end, RunFailed) and end.reason in _BROKEN_RUNS:
            detail = f"run {end.run_id} failed for a reason of its own ({end.reason}): {end.detail[:300]}"
            return await self._complete(trial, TrialEnd("parked", detail))
        await self._trials.add_run(await self._run_of(end, opening, trial))
        return await self._carry_on(trial)

    async def cancel(self, cancellation: CancelRequested) -> Sequence[Event]:
        """End a trial that a user cancels; runs in flight end by themselves and are not counted."""
        trial = await self._trials.find(cancellation.run_id)
        return [] if trial is None else await self._complete(trial, TrialEnd("parked", cancellation.reason))

    async def _run_of(
        self, end: RunSucceeded | RunFailed, opening: EngineeringRequested, trial: StoredTrial
    ) -> TrialRun:
        assert opening.trial is not None
        history = await self._bus.history(end.run_id)
        failures, target_failures = count_failures(history, trial.request.target)
        arm = opening.trial.arm
        return TrialRun(
            run_id=end.run_id,
            trial_id=opening.trial.trial_id,
            pair=pair_of(opening.trial.trial_id, end.run_id, arm, trial.request.most_pairs),
            arm=arm,
            is_solved=isinstance(end, RunSucceeded) and end.result.is_proven,
            failures=failures,
            target_failures=target_failures,
        )

    async def _carry_on(self, trial: StoredTrial) -> Sequence[Event]:
        if trial.outcome is not None:
            return await self._with_notices(trial.outcome, trial)
        request = trial.request
        pairs = complete_pairs(await self._trials.runs(request.run_id))
        decided = decide(figures_of(pairs, has_target=bool(request.target)), request)
        if decided is not None:
            return await self._complete(trial, decided)
        wanted = range(len(pairs), min(len(pairs) + request.at_once, request.most_pairs))
        return [await request_of(trial, pair, arm, self._artifacts) for pair in wanted for arm in ARMS]

    async def _complete(self, trial: StoredTrial, decided: TrialEnd) -> Sequence[Event]:
        """Store outcome and status together; return the outcome with notices to the runs that keep an older version."""
        figures = await self._figures(trial.request.run_id, has_target=bool(trial.request.target))
        version = await self._skills.version(trial.request.name, trial.request.version)
        status: SkillStatus = STATUS_OF[decided.verdict]
        if version is not None and version.status == "adopted" and trial.outcome is None:
            decided, status = guarded(decided, figures, retires=trial.request.retires)
        stored = await self._trials.complete(_completed(trial.request, decided, figures), status)
        return await self._with_notices(stored, trial)

    async def _with_notices(self, outcome: TrialCompleted, trial: StoredTrial) -> Sequence[Event]:
        version = await self._skills.version(trial.request.name, trial.request.version)
        if outcome.verdict != "adopted" or version is None or version.status != "adopted":
            return [outcome]
        return [outcome, *await notices(self._skills, version, outcome)]

    async def _figures(self, trial_id: UUID, *, has_target: bool) -> TrialFigures:
        return figures_of(complete_pairs(await self._trials.runs(trial_id)), has_target=has_target)


def _completed(request: TrialRequested, decided: TrialEnd, figures: TrialFigures) -> TrialCompleted:
    return TrialCompleted(
        **answering(request, "skill-learner"), verdict=decided.verdict, detail=decided.detail, figures=figures
    )
