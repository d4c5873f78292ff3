"""One full example of every event: a marble run on the detour benchmark, from request to skill.

Every optional field is set, so that the golden files made from the examples pin each field of the contracts.
"""

from typing import Any

from contracts.envelope import Event, answering, deciding, during
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
from contracts.events.plan import PlanApproved, PlanProposed, PlanRejected
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
    WorldRefused,
)
from contracts.events.session import (
    CellCompleted,
    CellRequested,
    ReviewedDesign,
    SessionClosed,
    SessionFailed,
    SessionOpened,
    SessionRequested,
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
from contracts.models.assessment import AssessmentRecord
from contracts.models.conversation import Message, ToolCall, Usage
from contracts.models.design import Finding
from contracts.models.questions.answers import ValidAnswer
from contracts.skills import PinnedSkill, SkillClaim, TrialMember

from tests.contracts import example_values as values
from tests.contracts import worker_examples
from tests.contracts.models import question_examples, quote_examples
from tests.contracts.worker_examples import EventsByClass

REFUSED_TEXT = "VERDICT: REJECT\n\nThe channel ends above the goal.\n"
APPROVED_TEXT = "VERDICT: APPROVE\n\nEvery leg stands on the floor.\n"


def full_examples() -> dict[type[Event], Event]:
    """Return one example of each class, with every field set, each caused by an earlier one."""
    events: dict[type[Event], Event] = {}
    for make_examples in (
        _opening,
        _ending,
        quote_examples.quote,
        _skills,
        _planning,
        _session,
        _cells,
        worker_examples.refusal,
        worker_examples.files,
        worker_examples.preview,
        worker_examples.picture,
        worker_examples.perception,
        worker_examples.search,
        _submission,
        _review,
        worker_examples.film,
        worker_examples.generation,
        question_examples.questions,
        _records,
    ):
        events |= {type(event): event for event in make_examples(events)}
    return {kind: event.model_copy(update={"occurred_at": values.WHEN}) for kind, event in events.items()}


def _opening(_: EventsByClass) -> list[Event]:
    request = EngineeringRequested(
        id=values.RUN,
        run_id=values.RUN,
        kind="engineering",
        role="planner",
        producer="cli",
        assignment=values.ASSIGNMENT,
        budget=values.BUDGET,
        model="offline",
        executor="tool_call",
        continues=values.CONTINUATION,
        skills=(PinnedSkill(for_role="engineer", name="legs-reach-the-floor", version=2),),
        trial=TrialMember(trial_id=values.RUN, arm="proposed"),
    )
    environment = EnvironmentRequested(**deciding(request, "planner", 1), assignment=values.ASSIGNMENT)
    built = EnvironmentBuilt(
        **answering(environment, "cad-worker"), environment=values.ENVIRONMENT, scene=values.SCENE, build_s=0.9
    )
    return [
        request,
        EngineeringQueued(**during(request, "queued", "planner"), ahead=3, slots=8),
        EngineeringStarted(**during(request, "started", "planner"), deadline_s=1800, slots=8),
        CancelRequested(**deciding(request, "planner", 0), reason="no longer needed"),
        environment,
        built,
        values.checked(built),
        WorldRefused(
            **answering(built, "sim-worker"), reason="solves_itself", detail="the ball falls into the goal zone"
        ),
        EnvironmentRefused(
            **answering(environment, "cad-worker"), reason="payload_in_wall", detail="ball starts inside wall"
        ),
    ]


def _ending(events: EventsByClass) -> list[Event]:
    request = events[EngineeringRequested]
    ended = RunSucceeded(
        **answering(request, "planner"),
        delivery=values.DELIVERY,
        bill=values.BILL,
        result=values.RESULT,
        assessment=values.ASSESSMENT,
    )
    learned = SkillLearned(
        **answering(ended, "skill-learner"),
        name="legs-reach-the-floor",
        description="Check that every leg touches the floor.",
        for_role="engineer",
        version=2,
        digest=values.digest("SKILL.md"),
        skill_md=values.blob("SKILL.md", "text/markdown", 700),
        status="proposed",
        base_version=1,
        diff="+- Legs reach the floor.",
        claims=(SkillClaim(text="Legs reach the floor.", evidence=request.id),),
    )
    return [
        ended,
        RunFailed(**answering(request, "planner"), reason="deadline", detail="900 s are over"),
        LearningRequested(**during(ended, "learning", "skill-learner"), failures=3),
        learned,
        SkillUpdated(**during(ended, "update", "skill-learner"), for_role="engineer", skills=(values.SKILL,)),
        SkillRejected(**answering(ended, "skill-learner"), reason="nothing_failed", detail="Every step worked."),
    ]


def _skills(_: EventsByClass) -> list[Event]:
    trial = TrialRequested(
        id=values.RUN,
        run_id=values.RUN,
        role="skill-learner",
        producer="cli",
        kind="trial",
        name="legs-reach-the-floor",
        for_role="engineer",
        version=2,
        base_version=1,
        **dict(values.TRIAL_OPTIONS),
    )
    change = SkillChangeRequested(
        id=values.RUN,
        run_id=values.RUN,
        role="skill-learner",
        producer="cli",
        kind="operations",
        action="import",
        name="legs-reach-the-floor",
        for_role="engineer",
        version=2,
        folder=values.blob("skill.zip", "application/zip", 900),
        guard=values.TRIAL_OPTIONS,
    )
    return [
        trial,
        TrialCompleted(
            **answering(trial, "skill-learner"),
            verdict="adopted",
            detail="it solved more runs",
            figures=values.TRIAL_FIGURES,
        ),
        change,
        SkillChanged(
            **answering(change, "skill-learner"),
            warnings=("scripts/run.py is not run",),
            name="legs-reach-the-floor",
            for_role="engineer",
            version=2,
            status="adopted",
        ),
        SkillChangeRefused(**answering(change, "skill-learner"), reason="malformed", detail="SKILL.md is missing"),
    ]


def _planning(events: EventsByClass) -> list[Event]:
    plan: dict[str, Any] = {
        "assignment": values.ASSIGNMENT,
        "budget": values.BUDGET,
        "model": "offline",
        "environment": values.ENVIRONMENT,
        "plan_md": values.PLAN,
        "todo_md": values.TODO,
        "executor": "tool_call",
        "continues": values.CONTINUATION,
    }
    proposed = PlanProposed(**deciding(events[EnvironmentBuilt], "planner", 2, 0), **plan)
    return [
        proposed,
        PlanApproved(**answering(proposed, "critic"), review_md=APPROVED_TEXT, **plan),
        PlanRejected(**answering(proposed, "critic"), review_md=REFUSED_TEXT),
        WorkAbandoned(**answering(proposed, "critic"), reason="model_failed", detail="three unreadable replies"),
    ]


def _session(events: EventsByClass) -> list[Event]:
    session = SessionRequested(
        **deciding(events[PlanApproved], "engineer", 1),
        assignment=values.ASSIGNMENT,
        environment=values.ENVIRONMENT,
        plan_md=values.PLAN,
        todo_md=values.TODO,
        skills=(values.SKILL,),
        files=values.SUBMISSION.files,
        reviewed=ReviewedDesign(delivery=values.DELIVERY, bill=values.BILL, result=values.RESULT),
    )
    skills = SkillsRequested(**deciding(events[PlanApproved], "engineer", 0))
    opened = SessionOpened(**answering(session, "cad-worker"), ready_s=0.5, files=("script.py", "plan.md"))
    return [
        skills,
        SkillsOffered(**answering(skills, "skill-learner"), skills=(values.SKILL,)),
        session,
        opened,
        SessionFailed(**answering(session, "cad-worker"), reason="kernel_failed", detail="fork: out of memory"),
        SessionClosed(**deciding(opened, "engineer", 9), reason="run_ended"),
    ]


def _cells(events: EventsByClass) -> list[Event]:
    cell = CellRequested(
        **deciding(events[SessionOpened], "engineer", 2),
        purpose="measure",
        code="print(len(legs))\n",
        next_goal="build",
        timeout_s=60,
    )
    return [
        cell,
        CellCompleted(
            **answering(cell, "cad-worker"),
            observation=values.OBSERVATION,
            ending=values.SUBMISSION,
            assessment=AssessmentRecord(assessment=values.ASSESSMENT, fingerprint="ab12"),
            answer=ValidAnswer(kind="choice", value="B"),
        ),
    ]


def _submission(events: EventsByClass) -> list[Event]:
    submitted = DesignSubmitted(
        **deciding(events[CellCompleted], "engineer", 4),
        assignment=values.ASSIGNMENT,
        model="offline",
        environment=values.ENVIRONMENT,
        submission=values.SUBMISSION,
    )
    too_heavy = Finding(rule="over_mass", label="channel-1", detail="2.7 kg, limit 2.5 kg: make the walls thinner")
    valid = DesignValidated(
        **answering(submitted, "cad-worker"),
        assignment=values.ASSIGNMENT,
        model="offline",
        scene=values.SCENE,
        delivery=values.DELIVERY,
        bill=values.BILL,
        replicas=16,
    )
    return [
        submitted,
        valid,
        DesignInvalidated(
            **answering(submitted, "cad-worker"),
            findings=(too_heavy,),
            bill=values.BILL,
            limits=values.LIMITS,
            scene=values.SCENE,
        ),
    ]


def _review(events: EventsByClass) -> list[Event]:
    simulated = DesignSimulated(
        **answering(events[DesignValidated], "sim-worker"),
        assignment=values.ASSIGNMENT,
        model="offline",
        delivery=values.DELIVERY,
        bill=values.BILL,
        result=values.RESULT,
    )
    approved = DesignApproved(
        **answering(simulated, "critic"),
        review_md=APPROVED_TEXT,
        evidence=(values.EVIDENCE,),
        assessment=values.ASSESSMENT,
        delivery=values.DELIVERY,
        bill=values.BILL,
        result=values.RESULT,
    )
    return [
        simulated,
        approved,
        DesignRejected(**answering(simulated, "critic"), review_md=REFUSED_TEXT, evidence=(values.EVIDENCE,)),
    ]


def _records(events: EventsByClass) -> list[Event]:
    opened = events[SessionOpened]
    call = ToolCall(call_id="call-1", name="write_file", arguments_json='{"path": "script.py", "text": ""}')
    called = ModelCalled(
        **deciding(opened, "engineer", 5),
        model="offline",
        step=5,
        prompt_digest=values.digest("prompt"),
        new_messages=(Message(author="tool", text="script.py written", tool_call_id="call-0"),),
        reply=Message(author="assistant", text="", tool_calls=(call,)),
        usage=Usage(input_tokens=1200, output_tokens=80, duration_s=0.01),
    )
    entry = JournalEntryAdded(
        **deciding(opened, "engineer", 6),
        intent="build the legs",
        result="one floats",
        reflection="measured from the wrong floor",
        next_step="lower it",
        number=2,
        about="simulation",
        from_token=1200,
        to_token=1900,
        film_md="Failed: the ball stopped on leg 1.",
        key_frames=("frame-1", "frame-2"),
    )
    abandoned = MessageAbandoned(
        **answering(opened, "chassis"),
        consumer="engineer-session-opened",
        abandoned_subject=opened.full_subject,
        stream_sequence=12,
        reason="exhausted",
        detail="5 deliveries, the last error: TimeoutError",
    )
    return [
        called,
        ReplyLost(
            **during(called, "act lost 1", "engineer"),
            model=called.model,
            step=5,
            attempt=1,
            reason="silence",
            problem="it sent nothing for too long",
            usage=called.usage,
            spent=called.usage,
        ),
        ReplyRejected(**deciding(called, "engineer", 5, 1), problem="No section ## Code.", attempt=1),
        ToolAnswered(
            **deciding(called, "planner", 5, 1),
            tool="view_file",
            arguments_json='{"path": "plan.md"}',
            answer_md="# Plan",
        ),
        entry,
        abandoned,
    ]
