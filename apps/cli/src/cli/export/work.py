"""What a run did and what came of it: its row, its events, cells and designs."""

import io
import zipfile
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import TypeVar

from artifacts.port import ArtifactError, ArtifactStore
from contracts.envelope import Event, outcome_id
from contracts.events.conversation import ModelCalled
from contracts.events.design import (
    DesignApproved,
    DesignInvalidated,
    DesignRejected,
    DesignSimulated,
    DesignSubmitted,
    DesignValidated,
)
from contracts.events.plan import PlanApproved
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from contracts.events.session import CellCompleted, CellRequested
from contracts.models.artifact import ArtifactRef
from contracts.models.conversation import Usage

from cli.export.rows import (
    CellRow,
    ChatMessage,
    DesignOutcome,
    DesignRow,
    LogRow,
    PreferenceRow,
    RunOutcome,
    RunRow,
)

SCRIPT = "script.py"
E = TypeVar("E", bound=Event)


def run_row(events: Sequence[Event], requested: EngineeringRequested) -> RunRow:
    """Return the row of a run."""
    end = next((event for event in events if isinstance(event, RunSucceeded | RunFailed)), None)
    solved = end if isinstance(end, RunSucceeded) else None
    calls = [event.usage for event in events if isinstance(event, ModelCalled)]
    variant, limits = requested.assignment.variant, requested.assignment.limits
    price = None if solved is None else solved.bill.unit_price_usd
    mass = None if solved is None else solved.bill.mass_kg
    return RunRow(
        run_id=requested.run_id,
        benchmark=variant.benchmark,
        seed=variant.seed,
        level=variant.level,
        executor=requested.executor,
        model=requested.model,
        quantity=requested.assignment.quantity,
        started_at=requested.occurred_at,
        ended_at=None if end is None else end.occurred_at,
        outcome=_outcome(end),
        reason=end.reason if isinstance(end, RunFailed) else "",
        detail=end.detail if isinstance(end, RunFailed) else "",
        reward=reward_of(events),
        success_rate=None if solved is None else solved.result.success_rate,
        unit_price_usd=price,
        mass_kg=mass,
        parts=None if solved is None else solved.bill.part_count,
        price_share=_share(price, limits.max_unit_price_usd),
        mass_share=_share(mass, limits.max_mass_kg),
        model_calls=len(calls),
        input_tokens=sum(each.input_tokens for each in calls),
        output_tokens=sum(each.output_tokens for each in calls),
        cost_usd=_cost(calls),
    )


def reward_of(events: Sequence[Event]) -> float | None:
    """Return 1 if physics proved the delivered design, 0 if the run ended without one, None while it goes on."""
    end = next((event for event in events if isinstance(event, RunSucceeded | RunFailed)), None)
    return None if end is None else float(isinstance(end, RunSucceeded) and end.result.is_proven)


def event_rows(events: Sequence[Event]) -> Iterable[LogRow]:
    """Yield every event."""
    for number, event in enumerate(events, start=1):
        yield LogRow(
            run_id=event.run_id,
            number=number,
            id=event.id,
            type=event.type,
            role=event.role,
            producer=event.producer,
            causation_id=event.causation_id,
            occurred_at=event.occurred_at,
            body=event.model_dump_json(),
        )


def cell_rows(events: Sequence[Event]) -> Iterable[CellRow]:
    """Yield every cell with its outcome."""
    completed = {event.id: event for event in events if isinstance(event, CellCompleted)}
    numbers: dict[str, int] = {}
    for cell in events:
        if not isinstance(cell, CellRequested):
            continue
        numbers[cell.role] = numbers.get(cell.role, 0) + 1
        done = completed.get(outcome_id(cell.id))
        observation = None if done is None else done.observation
        error = None if observation is None else observation.error
        yield CellRow(
            run_id=cell.run_id,
            role=cell.role,
            number=numbers[cell.role],
            purpose=cell.purpose,
            code=cell.code,
            status="unfinished" if observation is None else observation.status,
            output="" if observation is None else observation.output,
            error="" if error is None else f"{error.type}: {error.message}",
            error_line=None if error is None else error.line,
            elapsed_s=None if observation is None else observation.elapsed_s,
            simulations=0 if done is None else done.simulations,
        )


async def design_rows(events: Sequence[Event], artifacts: ArtifactStore) -> AsyncIterator[DesignRow]:
    """Yield every submission with what came of it."""
    submissions = [event for event in events if isinstance(event, DesignSubmitted)]
    for number, submitted in enumerate(submissions, start=1):
        validated = _answer(events, submitted, DesignValidated)
        simulated = None if validated is None else _answer(events, validated, DesignSimulated)
        review = None if simulated is None else _answer(events, simulated, DesignApproved, DesignRejected)
        invalid = _answer(events, submitted, DesignInvalidated) or (
            None if validated is None else _answer(events, validated, DesignInvalidated)
        )
        bill = validated.bill if validated is not None else None if invalid is None else invalid.bill
        yield DesignRow(
            run_id=submitted.run_id,
            number=number,
            digest=submitted.submission.digest,
            outcome=_fate(invalid, review),
            problems=_problems(invalid, review),
            verdict="" if simulated is None else simulated.result.verdict,
            stability="" if simulated is None else simulated.result.stability,
            success_rate=None if simulated is None else simulated.result.success_rate,
            unit_price_usd=None if bill is None else bill.unit_price_usd,
            mass_kg=None if bill is None else bill.mass_kg,
            parts=None if bill is None else bill.part_count,
            script=await _script(submitted.submission.files, artifacts),
        )


def design_preferences(
    events: Sequence[Event], designs: Sequence[DesignRow], opening: Sequence[ChatMessage]
) -> Iterable[PreferenceRow]:
    """Yield each refused submission beside the approved one; `opening` is what the engineer was asked."""
    approved = next((each for each in designs if each.outcome == "approved"), None)
    if approved is None or approved.script is None or not any(isinstance(each, PlanApproved) for each in events):
        return
    for worse in designs:
        if worse.outcome in {"invalid", "rejected"} and worse.script is not None and worse.script != approved.script:
            yield PreferenceRow(
                run_id=worse.run_id,
                role="engineer",
                kind="design",
                prompt=tuple(opening),
                chosen=approved.script,
                rejected=worse.script,
                reason="\n".join(worse.problems),
            )


def _outcome(end: RunSucceeded | RunFailed | None) -> RunOutcome:
    match end:
        case None:
            return "running"
        case RunSucceeded(result=result):
            return "succeeded" if result.is_proven else "not_proven"
        case RunFailed():
            return "failed"


def _fate(invalid: DesignInvalidated | None, review: Event | None) -> DesignOutcome:
    if invalid is not None:
        return "invalid"
    if isinstance(review, DesignApproved):
        return "approved"
    return "rejected" if isinstance(review, DesignRejected) else "open"


def _problems(invalid: DesignInvalidated | None, review: Event | None) -> tuple[str, ...]:
    if invalid is not None:
        return tuple(
            f"{each.rule} {each.label}: {each.detail}" for each in invalid.findings if each.severity == "error"
        )
    return (review.review_md,) if isinstance(review, DesignRejected) else ()


def _answer(events: Sequence[Event], request: Event, *classes: type[E]) -> E | None:
    wanted = outcome_id(request.id)
    return next((event for event in events if event.id == wanted and isinstance(event, classes)), None)


async def _script(files: ArtifactRef, artifacts: ArtifactStore) -> str | None:
    try:
        archive = zipfile.ZipFile(io.BytesIO(await artifacts.get(files)))
    except ArtifactError:
        return None
    return archive.read(SCRIPT).decode(errors="replace") if SCRIPT in archive.namelist() else None


def _share(value: float | None, limit: float | None) -> float | None:
    return None if value is None or limit is None else value / limit


def _cost(calls: Iterable[Usage]) -> float | None:
    costs = [each.cost_usd for each in calls]
    known = [each for each in costs if each is not None]
    return sum(known) if len(known) == len(costs) else None
