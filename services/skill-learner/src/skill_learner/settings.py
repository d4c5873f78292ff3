"""Settings of the skill-learner's service."""

from typing import Annotated, Literal

from agent.role_app import RoleServiceSettings
from contracts.envelope import Role
from pydantic import BaseModel, BeforeValidator, Field, PositiveInt, field_validator
from pydantic_settings import NoDecode

READERS: tuple[Role, ...] = ("planner", "engineer", "critic")
"""Roles that are offered skills."""


def _roles_by_role(text: object) -> object:
    """Parse `critic=engineer+planner,planner=engineer`; other values than text are left to pydantic."""
    if not isinstance(text, str):
        return text
    pairs = [pair.partition("=") for pair in text.replace(" ", "").split(",") if pair]
    if missing := [role for role, _, others in pairs if not others]:
        raise ValueError(f"{missing[0]!r} has no roles: write e.g. critic=engineer")
    return {role: tuple(others.split("+")) for role, _, others in pairs}


class LearningLimits(BaseModel):
    """When the learner is woken, and how much it reads."""

    min_lessons: PositiveInt = 1
    min_repeats: PositiveInt = 2
    min_failed_runs: PositiveInt = 3
    reading_tokens: PositiveInt = 32_000
    max_calls: PositiveInt = 20


class TrialLimits(BaseModel):
    """What a trial that begins by itself may cost."""

    begin_by_themselves: bool = False
    most_pairs: PositiveInt = 24
    at_once: PositiveInt = 2
    smallest_gain: float = Field(default=0.25, gt=0.0, le=1.0)


class Settings(RoleServiceSettings):
    """NATS, S3, Postgres and the models; which role may use which skills; when the learner works, and trials."""

    skills_access: Annotated[dict[Role, tuple[Role, ...]], NoDecode, BeforeValidator(_roles_by_role)] = Field(
        default_factory=dict[Role, tuple[Role, ...]]
    )
    """The roles whose skills a role may use besides its own. In the environment: `critic=engineer+planner`."""
    skills_at_most: PositiveInt = 50
    """Skills offered to one role: the latest learned. Each takes a line of every prompt."""
    skills_min_lessons: PositiveInt = 1
    """Failures that a run must have resolved before it is read."""
    skills_min_repeats: PositiveInt = 2
    """How often a failure must occur in a failed run before it counts."""
    skills_min_failed_runs: PositiveInt = 3
    """After so many failed runs of one benchmark in a row the newest is read, and after as many more the next one."""
    skills_reading_tokens: PositiveInt = 32_000
    """What the learner may read of one run."""
    skills_max_calls: PositiveInt = 20
    """Model calls of the learner for one run."""
    skills_trials: Literal["asked", "automatic"] = "asked"
    """`automatic`: each proposed version is tried at once, on the user's account; else `millwright skills trial`."""
    skills_trial_pairs: PositiveInt = 24
    """Pairs of runs that a trial may take at most."""

    @field_validator("skills_access")
    @classmethod
    def _require_readers(cls, access: dict[Role, tuple[Role, ...]]) -> dict[Role, tuple[Role, ...]]:
        """Refuse what would have no effect: roles that read no skills, and skills of roles that have none."""
        named = {*access, *(role for others in access.values() for role in others)}
        if wrong := sorted(named - set(READERS)):
            raise ValueError(f"the {wrong[0]} has no learned skills and reads none; name {', '.join(READERS)}")
        return access

    @property
    def learning(self) -> LearningLimits:
        """When the learner is woken, and how much it reads."""
        return LearningLimits(
            min_lessons=self.skills_min_lessons,
            min_repeats=self.skills_min_repeats,
            min_failed_runs=self.skills_min_failed_runs,
            reading_tokens=self.skills_reading_tokens,
            max_calls=self.skills_max_calls,
        )

    @property
    def trials(self) -> TrialLimits:
        """What trials that begin by themselves may cost."""
        return TrialLimits(begin_by_themselves=self.skills_trials == "automatic", most_pairs=self.skills_trial_pairs)
