"""The registry of all event classes, and how a stored message is parsed."""

from contracts.envelope import Event, Request
from contracts.events.benchmark import (
    BenchmarkDrafted,
    BenchmarkPlanApproved,
    BenchmarkPlanProposed,
    BenchmarkPlanRejected,
    BenchmarkPublished,
    BenchmarkRequested,
    BenchmarkSessionRequested,
    CertificationCompleted,
    CertificationRequested,
    DraftApproved,
    DraftBuilt,
    DraftCertified,
    DraftRefused,
    DraftRejected,
    GenerationFailed,
)
from contracts.events.catalog import CatalogQueried, CatalogSearched, CatalogSearchFailed, CatalogSearchRequested
from contracts.events.conversation import JournalEntryAdded, ModelCalled, ReplyLost, ReplyRejected, ToolAnswered
from contracts.events.dead_letters import MessageAbandoned, WorkAbandoned
from contracts.events.design import (
    DesignApproved,
    DesignInvalidated,
    DesignRejected,
    DesignSimulated,
    DesignSubmitted,
    DesignValidated,
)
from contracts.events.perception import PerceptionCompleted, PerceptionFailed, PerceptionRequested
from contracts.events.plan import PlanApproved, PlanProposed, PlanRefused, PlanRejected, RefusalDenied, RefusalUpheld
from contracts.events.question import (
    LookCompleted,
    LookFailed,
    LookRequested,
    QuestionAnswered,
    QuestionAsked,
    QuestionFailed,
    QuestionSessionRequested,
)
from contracts.events.quote import QuoteCompleted, QuoteRequested
from contracts.events.rendering import RenderCompleted, RenderFailed, RenderRequested
from contracts.events.run import (
    CancelRequested,
    EngineeringQueued,
    EngineeringRequested,
    EngineeringStarted,
    EnvironmentBuilt,
    EnvironmentRefused,
    EnvironmentRequested,
    RunFailed,
    RunSucceeded,
    WorldChecked,
    WorldRefused,
)
from contracts.events.session import (
    CellCompleted,
    CellRequested,
    FileEditRequested,
    FileRefused,
    FileViewed,
    FileViewRequested,
    FileWriteRequested,
    FileWritten,
    SessionClosed,
    SessionFailed,
    SessionOpened,
    SessionRequested,
)
from contracts.events.simulation import (
    FilmCompleted,
    FilmFailed,
    FilmRequested,
    SimulationCompleted,
    SimulationFailed,
    SimulationRequested,
)
from contracts.events.skill import (
    LearningRequested,
    SkillChanged,
    SkillChangeRefused,
    SkillChangeRequested,
    SkillLearned,
    SkillRejected,
    SkillsOffered,
    SkillsRequested,
    SkillUpdated,
    TrialCompleted,
    TrialRequested,
)

EVENTS: tuple[type[Event], ...] = (
    EngineeringRequested,
    EngineeringQueued,
    EngineeringStarted,
    EnvironmentRequested,
    EnvironmentBuilt,
    EnvironmentRefused,
    WorldChecked,
    WorldRefused,
    PlanProposed,
    PlanApproved,
    PlanRejected,
    SkillsRequested,
    SkillsOffered,
    SessionRequested,
    SessionOpened,
    SessionFailed,
    CellRequested,
    CellCompleted,
    FileWriteRequested,
    FileEditRequested,
    FileWritten,
    FileViewRequested,
    FileViewed,
    FileRefused,
    SimulationRequested,
    SimulationCompleted,
    SimulationFailed,
    RenderRequested,
    RenderCompleted,
    RenderFailed,
    PerceptionRequested,
    PerceptionCompleted,
    PerceptionFailed,
    CatalogSearchRequested,
    CatalogQueried,
    CatalogSearched,
    CatalogSearchFailed,
    JournalEntryAdded,
    PlanRefused,
    RefusalUpheld,
    RefusalDenied,
    DesignSubmitted,
    DesignValidated,
    DesignInvalidated,
    DesignSimulated,
    DesignApproved,
    DesignRejected,
    FilmRequested,
    FilmCompleted,
    FilmFailed,
    RunSucceeded,
    RunFailed,
    SessionClosed,
    LearningRequested,
    SkillLearned,
    SkillRejected,
    SkillUpdated,
    BenchmarkRequested,
    BenchmarkPlanProposed,
    BenchmarkPlanApproved,
    BenchmarkPlanRejected,
    BenchmarkSessionRequested,
    CertificationRequested,
    CertificationCompleted,
    BenchmarkDrafted,
    DraftBuilt,
    DraftRefused,
    DraftCertified,
    DraftApproved,
    DraftRejected,
    BenchmarkPublished,
    GenerationFailed,
    QuestionAsked,
    QuestionSessionRequested,
    LookRequested,
    LookCompleted,
    LookFailed,
    QuestionAnswered,
    QuestionFailed,
    QuoteRequested,
    QuoteCompleted,
    TrialRequested,
    TrialCompleted,
    SkillChangeRequested,
    SkillChanged,
    SkillChangeRefused,
    CancelRequested,
    ModelCalled,
    ReplyLost,
    ReplyRejected,
    ToolAnswered,
    WorkAbandoned,
    MessageAbandoned,
)
"""Every event class, in the order of a run, then of those of a benchmark, a question, a trial and a change; at the end
those of any time."""

OPENINGS: tuple[type[Request], ...] = (
    EngineeringRequested,
    BenchmarkRequested,
    QuestionAsked,
    QuoteRequested,
    TrialRequested,
    SkillChangeRequested,
)
"""A run begins when one of these is stored."""
ENGINEERING_ENDS: tuple[type[Event], ...] = (RunSucceeded, RunFailed)
"""Those of a run of engineering."""
BENCHMARK_ENDS: tuple[type[Event], ...] = (BenchmarkPublished, GenerationFailed)
"""Those of the run of a benchmark."""
QUESTION_ENDS: tuple[type[Event], ...] = (QuestionAnswered, QuestionFailed)
"""Those of the run of a question."""
ENDINGS: tuple[type[Event], ...] = (
    *ENGINEERING_ENDS,
    *BENCHMARK_ENDS,
    *QUESTION_ENDS,
    QuoteCompleted,
    TrialCompleted,
    SkillChanged,
    SkillChangeRefused,
)
"""A run has ended when one of these is stored."""

REQUESTS: tuple[type[Request], ...] = tuple(event for event in EVENTS if issubclass(event, Request))

BY_SUBJECT: dict[str, type[Event]] = {event.subject: event for event in EVENTS}


class UnknownSubjectError(ValueError):
    """No event class has this subject."""


def class_at(subject: str) -> type[Event]:
    """Return the event class of a full subject; raise `UnknownSubjectError` if there is none."""
    stem = ".".join(subject.split(".")[:3])
    if stem not in BY_SUBJECT:
        raise UnknownSubjectError(f"no event has the subject {stem}")
    return BY_SUBJECT[stem]


def parse(subject: str, data: bytes) -> Event:
    """Parse an event from its subject and its JSON; raise `UnknownSubjectError` or pydantic's `ValidationError`."""
    return class_at(subject).model_validate_json(data)
