"""Skills in events: versions that a role is offered, claims of a proposal with their evidence, figures of a trial."""

from typing import Literal
from uuid import UUID

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveInt

from contracts.envelope import Role
from contracts.model import Model
from contracts.models.artifact import ArtifactRef

SkillStatus = Literal["proposed", "adopted", "rejected", "parked", "reverted"]
"""Of a version: `proposed` until a trial or a user decides; `parked`: its trial could not tell; `reverted`: adopted
once, and taken back. Of the adopted versions of a skill the one that was adopted last is offered."""


class OfferedSkill(Model):
    """A skill by name and description; its text is read on demand from skills/NAME/SKILL.md."""

    name: str
    """Folder name, in kebab-case."""
    description: str
    version: PositiveInt
    skill_md: ArtifactRef
    files: ArtifactRef | None = None
    """Zip of the other files of the skill's folder, such as references/NAME.md; None: there are none."""


class PinnedSkill(Model):
    """The version of one role's skill that a run is offered, whatever is adopted meanwhile."""

    for_role: Role
    name: str
    version: PositiveInt


class SkillClaim(Model):
    """One sentence that a proposal adds to a skill, and the event that proves it."""

    text: str
    evidence: UUID
    """Of an event of the run from which the skill was learned."""


TrialArm = Literal["current", "proposed"]
TrialVerdict = Literal["adopted", "rejected", "parked", "rolled_back"]


class TrialMember(Model):
    """The place of a run in a trial."""

    trial_id: UUID
    arm: TrialArm


class Estimate(Model):
    """The mean of paired differences, proposed minus current, with an interval that holds at every stop."""

    mean: float
    low: float
    high: float
    confidence: float


class ArmFigures(Model):
    """What the runs of one arm did."""

    runs: NonNegativeInt
    solved: NonNegativeInt
    failures_per_run: NonNegativeFloat
    """Failed cells, previews and submissions."""
    target_failures_per_run: NonNegativeFloat
    """Of these, the failures that the change is about."""


class TrialFigures(Model):
    """The result of a trial: both arms, and what the pairs of equal benchmark and seed say about their difference."""

    pairs: NonNegativeInt
    current: ArmFigures
    proposed: ArmFigures
    solved: Estimate
    """Difference of the shares of solved runs."""
    avoided: Estimate
    """Of pairs in which both arms solved equally: how much more often the proposed one had fewer target failures."""
