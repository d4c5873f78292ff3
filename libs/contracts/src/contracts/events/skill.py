"""Events about skills: learned from runs, tried before they are adopted, changed by users, offered to roles."""

from typing import ClassVar, Literal

from pydantic import Field, PositiveInt

from contracts.envelope import Event, Request, Role
from contracts.event_line import EventLine
from contracts.model import Model
from contracts.models.artifact import ArtifactRef, Sha256
from contracts.models.benchmark import Budget
from contracts.models.label import Label
from contracts.outcomes import FailureOutcome
from contracts.skills import OfferedSkill, SkillClaim, SkillStatus, TrialFigures, TrialVerdict
from contracts.text import counted, spaced


class SkillLearned(Event):
    """A change to a skill was learned from a run in which something failed and was then resolved."""

    name: str
    """Folder name of the skill, in kebab-case."""
    description: str
    for_role: Role
    version: PositiveInt
    digest: Sha256
    """Digest of SKILL.md."""
    skill_md: ArtifactRef
    status: SkillStatus = "adopted"
    """`adopted` in logs older than this field; since then `proposed`: a trial decides."""
    base_version: PositiveInt | None = None
    """The version that was changed; None: the skill is new."""
    diff: str = ""
    """The change of SKILL.md as a unified diff."""
    claims: tuple[SkillClaim, ...] = ()

    def line(self) -> EventLine:
        verb = "skill learned" if self.status == "adopted" else f"skill {self.status}"
        return EventLine(f"{verb}: {self.name} v{self.version}, {self.description}", "success")


SkillRejectionReason = Literal[
    "not_proven", "nothing_failed", "not_resolved", "already_known", "malformed", "in_trial", "nothing_proposed"
]


class SkillRejected(Event):
    """No skill was learned from the run."""

    schema_version: Literal[1, 2] = 2  # pyright: ignore[reportIncompatibleVariableOverride] - wider on purpose
    """2: also for runs of a trial, and runs that taught nothing; 1: without these reasons."""
    reason: SkillRejectionReason
    """`in_trial`: the run belongs to a trial. `nothing_proposed`: the learner read the run and proposed no change."""
    detail: str

    def line(self) -> EventLine:
        return EventLine(f"no skill learned ({spaced(self.reason)}): {self.detail}", "detail")


class LearningRequested(Request):
    """A run is read for what was unknown: runs of its benchmark failed again and again, or a skill is evolved."""

    publishers: ClassVar = ("skill-learner", "cli")
    owner: ClassVar = "skill-learner"
    outcomes: ClassVar = (SkillLearned, SkillRejected)

    failures: PositiveInt
    """Runs of this benchmark that failed since the last one that succeeded."""
    skill: str = ""
    """The skill to change, whose version the run pins; empty: the skill-learner chooses one."""

    def line(self) -> EventLine:
        if self.skill:
            return EventLine(f"the run is read for a change of the skill {self.skill}", "info")
        return EventLine(f"{counted(self.failures, 'run')} failed in a row: the last one is read for lessons", "info")


class SkillsOffered(Event):
    """The skills that the role may use."""

    skills: tuple[OfferedSkill, ...]

    def line(self) -> EventLine:
        names = ", ".join(f"{each.name} v{each.version}" for each in self.skills)
        return EventLine(f"skills offered: {names or 'none yet'}", "info" if self.skills else "detail")


class SkillsRequested(Request):
    """A role requests the skills learned for it."""

    publishers: ClassVar = ("planner", "engineer", "critic")
    owner: ClassVar = "skill-learner"
    outcomes: ClassVar = (SkillsOffered,)

    def line(self) -> EventLine:
        return EventLine(f"skills requested for {self.role}", "detail")


class SkillUpdated(Event):
    """Versions of skills were adopted that are newer than those of this run, which keeps its own."""

    publishers: ClassVar = ("skill-learner",)
    unconsumed: ClassVar = "cad-worker looks for it after each cell"

    for_role: Role
    skills: tuple[OfferedSkill, ...]

    def line(self) -> EventLine:
        names = ", ".join(f"{each.name} v{each.version}" for each in self.skills)
        return EventLine(f"adopted for later runs of the {self.for_role}: {names}; this run keeps its own", "detail")


class TrialCompleted(Event):
    """A version was tried against the one before it, and the figures decided about it."""

    unconsumed: ClassVar = "shows the user what a trial decided; the skill-learner has stored it with the version"
    ends: ClassVar = "trial"

    verdict: TrialVerdict
    """`parked`: the budget ended before the figures could tell. `rolled_back`: it was adopted, and is no more."""
    detail: str
    figures: TrialFigures

    def line(self) -> EventLine:
        figures = self.figures
        solved = f"solved {figures.current.solved} before and {figures.proposed.solved} after of {figures.pairs}"
        severity = "success" if self.verdict == "adopted" else "failure" if self.verdict == "rolled_back" else "info"
        return EventLine(f"skill {spaced(self.verdict)}: {self.detail}; {solved}", severity)


class TrialOptions(Model):
    """What the runs of a trial have in common, and when it ends."""

    benchmarks: tuple[Label, ...] = Field(min_length=1)
    model: str
    budget: Budget = Budget()
    """Of each run."""
    target: str = ""
    """The text of the failure that the change is about; empty: only solved runs count."""
    most_pairs: PositiveInt = 24
    at_once: PositiveInt = 2
    """Pairs of runs in flight together."""
    smallest_gain: float = Field(default=0.25, gt=0.0, le=1.0)
    """A trial ends early once the gain is certainly smaller than this."""
    retires: bool = False
    """Whether an adopted version is taken back as soon as such a gain is excluded: a later model may not need it."""


class TrialRequested(TrialOptions, Request):
    """A version of a skill is tried on held-out seeds against the current one. Opens the trial, a run of its own."""

    publishers: ClassVar = ("cli", "skill-learner")
    opens_run: ClassVar = True
    owner: ClassVar = "skill-learner"
    outcomes: ClassVar = (TrialCompleted,)

    name: str
    for_role: Role
    version: PositiveInt
    base_version: PositiveInt | None = None
    """What it is compared with; None: no version of this skill."""

    def line(self) -> EventLine:
        base = "no version of it" if self.base_version is None else f"v{self.base_version}"
        pairs = f"at most {counted(self.most_pairs, 'pair')} on {', '.join(self.benchmarks)}, model {self.model}"
        return EventLine(f"trial of {self.name} v{self.version} against {base}: {pairs}")


class SkillChanged(Event):
    """A user's change of a skill was made."""

    unconsumed: ClassVar = "shows the user what was changed"
    ends: ClassVar = "operations"

    name: str
    for_role: Role
    version: PositiveInt
    status: SkillStatus
    warnings: tuple[str, ...] = ()
    """What is inert in the version, such as instructions that no role follows."""

    def line(self) -> EventLine:
        warnings = "".join(f"; without effect: {each}" for each in self.warnings)
        return EventLine(f"skill {self.name} v{self.version} is {self.status}{warnings}", "success")


SkillChangeRefusalReason = Literal["unknown", "malformed", "conflict"]


class SkillChangeRefused(FailureOutcome[SkillChangeRefusalReason]):
    """A user's change of a skill was refused."""

    unconsumed: ClassVar = "shows the user why nothing was changed"
    ends: ClassVar = "operations"
    summary: ClassVar = "skill not changed"


class SkillChangeRequested(Request):
    """A user adopts or reverts a version of a skill, or imports a folder as a new version. A run of its own."""

    publishers: ClassVar = ("cli",)
    opens_run: ClassVar = True
    owner: ClassVar = "skill-learner"
    outcomes: ClassVar = (SkillChanged, SkillChangeRefused)

    action: Literal["adopt", "revert", "import"]
    name: str = ""
    """Of the skill; an imported folder has its own."""
    for_role: Role
    version: PositiveInt | None = None
    """To adopt or to revert: named, so that the request means the same whenever, and however often, it is handled."""
    folder: ArtifactRef | None = None
    """To import: zip of the folder, as it is."""
    guard: TrialOptions | None = None
    """To adopt: try the version against the one before it afterwards, which rolls a regression back. None: no trial."""

    def line(self) -> EventLine:
        version = "" if self.version is None else f" v{self.version}"
        return EventLine(f"{self.action} of skill {self.name or 'from a folder'}{version} for the {self.for_role}")
