"""Requests of trials: of a version that was just proposed, if trials begin by themselves."""

from uuid import UUID, uuid5

from contracts.envelope import opening
from contracts.events.skill import SkillLearned, TrialOptions, TrialRequested

from skill_learner.lessons import find_lessons, find_repeated
from skill_learner.record.run_record import RunSource
from skill_learner.settings import TrialLimits

TARGET_CHARS = 120


class TrialPlans:
    """Plans the trials of proposed versions."""

    def __init__(self, limits: TrialLimits) -> None:
        self._limits = limits

    def after(self, learned: SkillLearned, record: RunSource) -> tuple[TrialRequested, ...]:
        """Return the request of a trial on the benchmark of the run, with its model; none if users begin trials."""
        if not self._limits.begin_by_themselves:
            return ()
        request = record.opening
        options = TrialOptions(
            benchmarks=(request.assignment.variant.benchmark,),
            model=request.model,
            budget=request.budget,
            target=target_of(learned, record),
            most_pairs=self._limits.most_pairs,
            at_once=self._limits.at_once,
            smallest_gain=self._limits.smallest_gain,
        )
        trial_id = trial_id_of(learned.name, learned.version, "proposed")
        return (trial_request(trial_id, learned.version, learned, options, "skill-learner"),)


def trial_request(
    trial_id: UUID, version: int, skill: SkillLearned, options: TrialOptions, producer: str
) -> TrialRequested:
    """Return the request that opens a trial."""
    return TrialRequested(
        **opening(trial_id, "trial", "skill-learner", producer),
        name=skill.name,
        for_role=skill.for_role,
        version=version,
        base_version=skill.base_version,
        **dict(options),
    )


def trial_id_of(name: str, version: int, why: str) -> UUID:
    """Return the id of the trial that begins by itself: the same when the same message is handled again."""
    return uuid5(UUID(int=0), f"trial of {name} v{version}: {why}")


def target_of(learned: SkillLearned, record: RunSource) -> str:
    """Return the text of the failure that the claims are about; empty if they name none."""
    proven = {claim.evidence for claim in learned.claims}
    lessons = (*find_lessons(record.events), *find_repeated(record.events, 2))
    about = [each for each in lessons if proven & {each.failed_by, each.proven_by}]
    costliest = max(about, key=lambda each: (each.times, each.steps_lost), default=None)
    return "" if costliest is None else costliest.failed[:TARGET_CHARS]
