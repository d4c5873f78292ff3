"""The registry of all event classes, and how a stored message is parsed."""

from contracts.envelope import Event, Request
from contracts.events import (
    benchmark,
    catalog,
    conversation,
    dead_letters,
    design,
    perception,
    plan,
    question,
    quote,
    rendering,
    run,
    session,
    simulation,
    skill,
)

EVENTS: tuple[type[Event], ...] = (
    run.EngineeringRequested,
    run.EngineeringQueued,
    run.EngineeringStarted,
    run.EnvironmentRequested,
    run.EnvironmentBuilt,
    run.EnvironmentRefused,
    run.WorldChecked,
    run.WorldRefused,
    plan.PlanProposed,
    plan.PlanApproved,
    plan.PlanRejected,
    skill.SkillsRequested,
    skill.SkillsOffered,
    session.SessionRequested,
    session.SessionOpened,
    session.SessionFailed,
    session.CellRequested,
    session.CellCompleted,
    session.FileWriteRequested,
    session.FileEditRequested,
    session.FileWritten,
    session.FileViewRequested,
    session.FileViewed,
    session.FileRefused,
    simulation.SimulationRequested,
    simulation.SimulationCompleted,
    simulation.SimulationFailed,
    rendering.RenderRequested,
    rendering.RenderCompleted,
    rendering.RenderFailed,
    perception.PerceptionRequested,
    perception.PerceptionCompleted,
    perception.PerceptionFailed,
    catalog.CatalogSearchRequested,
    catalog.CatalogQueried,
    catalog.CatalogSearched,
    catalog.CatalogSearchFailed,
    conversation.JournalEntryAdded,
    plan.PlanRefused,
    plan.RefusalUpheld,
    plan.RefusalDenied,
    design.DesignSubmitted,
    design.DesignValidated,
    design.DesignInvalidated,
    design.DesignSimulated,
    design.DesignApproved,
    design.DesignRejected,
    simulation.FilmRequested,
    simulation.FilmCompleted,
    simulation.FilmFailed,
    run.RunSucceeded,
    run.RunFailed,
    session.SessionClosed,
    skill.LearningRequested,
    skill.SkillLearned,
    skill.SkillRejected,
    skill.SkillUpdated,
    benchmark.BenchmarkRequested,
    benchmark.BenchmarkPlanProposed,
    benchmark.BenchmarkPlanApproved,
    benchmark.BenchmarkPlanRejected,
    benchmark.BenchmarkSessionRequested,
    benchmark.CertificationRequested,
    benchmark.CertificationCompleted,
    benchmark.BenchmarkDrafted,
    benchmark.DraftBuilt,
    benchmark.DraftRefused,
    benchmark.DraftCertified,
    benchmark.DraftApproved,
    benchmark.DraftRejected,
    benchmark.BenchmarkPublished,
    benchmark.GenerationFailed,
    question.QuestionAsked,
    question.QuestionSessionRequested,
    question.LookRequested,
    question.LookCompleted,
    question.LookFailed,
    question.QuestionAnswered,
    question.QuestionFailed,
    quote.QuoteRequested,
    quote.QuoteCompleted,
    skill.TrialRequested,
    skill.TrialCompleted,
    skill.SkillChangeRequested,
    skill.SkillChanged,
    skill.SkillChangeRefused,
    run.CancelRequested,
    conversation.ModelCalled,
    conversation.ReplyLost,
    conversation.ReplyRejected,
    conversation.ToolAnswered,
    dead_letters.WorkAbandoned,
    dead_letters.MessageAbandoned,
)
"""Every event class, in the order of a run, then of those of a benchmark, a question, a trial and a change; at the end
those of any time."""

OPENINGS: tuple[type[Request], ...] = (
    run.EngineeringRequested,
    benchmark.BenchmarkRequested,
    question.QuestionAsked,
    quote.QuoteRequested,
    skill.TrialRequested,
    skill.SkillChangeRequested,
)
"""A run begins when one of these is stored."""
ENGINEERING_ENDS: tuple[type[Event], ...] = (run.RunSucceeded, run.RunFailed)
"""Those of a run of engineering."""
BENCHMARK_ENDS: tuple[type[Event], ...] = (benchmark.BenchmarkPublished, benchmark.GenerationFailed)
"""Those of the run of a benchmark."""
QUESTION_ENDS: tuple[type[Event], ...] = (question.QuestionAnswered, question.QuestionFailed)
"""Those of the run of a question."""
ENDINGS: tuple[type[Event], ...] = (
    *ENGINEERING_ENDS,
    *BENCHMARK_ENDS,
    *QUESTION_ENDS,
    quote.QuoteCompleted,
    skill.TrialCompleted,
    skill.SkillChanged,
    skill.SkillChangeRefused,
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
