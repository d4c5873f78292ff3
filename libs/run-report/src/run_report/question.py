"""The account of a question about images: what was shown, and the answer or why there is none."""

from collections.abc import Sequence

from contracts.envelope import Event
from contracts.events.question import QuestionAnswered, QuestionAsked, QuestionFailed
from contracts.events.session import CellCompleted, CellRequested
from contracts.models.artifact import ArtifactRef
from contracts.models.questions.frames import FrameRef
from contracts.text import counted, one_line, spaced
from pydantic import TypeAdapter

from run_report.account import Outcome, RunAccount, Section, effort_text, file_name
from run_report.blocks import Figures, Prose

TITLE_CHARS = 160
End = QuestionAnswered | QuestionFailed
_JSON = TypeAdapter(dict[str, object])


def question_account(request: QuestionAsked, events: Sequence[Event]) -> RunAccount:
    """Return the account of a question's run."""
    end = next((event for event in events if isinstance(event, QuestionAnswered | QuestionFailed)), None)
    frames = request.question.frames
    kind = "video" if request.question.metadata.is_video else "images"
    code = [f"# cell {number}: {each.purpose}\n{each.code.rstrip()}\n" for number, each in enumerate(_cells(events), 1)]
    return RunAccount(
        events=events,
        name=file_name(request.run_id, "question", "-".join(request.question.text.split()[:6])),
        title=one_line(request.question.text, TITLE_CHARS),
        outcome=_outcome(end),
        is_open=end is None,
        facts=_facts(request, end),
        requested=_requested(request, events, end),
        sections=_sections(request),
        stored={
            **{f"{kind}/{number:02d}{_suffix(each)}": each.picture for number, each in enumerate(frames)},
            **_shown(events),
        },
        written={"answer.json": _answer_json(request, end), **({"cells.py": "\n".join(code)} if code else {})},
    )


def _outcome(end: End | None) -> Outcome:
    match end:
        case QuestionAnswered(answer=answer, ending=ending):
            last = "" if ending == "returned" else " (the last valid one before a limit)"
            return Outcome("answer", "good", f"{answer.value}{last}")
        case QuestionFailed(detail=detail, is_refusal=True):
            return Outcome("no answer", "bad", f"refused: {detail}")
        case QuestionFailed(reason=reason, detail=detail):
            return Outcome("no answer", "bad", f"{spaced(reason)}: {detail}")
        case None:
            return Outcome("in work", "note")


def _facts(request: QuestionAsked, end: End | None) -> list[tuple[str, str]]:
    seen, frames = request.question.metadata, request.question.frames
    what = counted(len(frames), "image")
    if seen.is_video:
        duration = "" if seen.duration_s is None else f" of {seen.duration_s:.1f} s"
        chosen = ", where it changes" if seen.frame_choice == "key" else ""
        what = f"{counted(len(frames), 'frame')} of a video{duration}{chosen}"
    steps = [("steps", str(end.steps))] if isinstance(end, QuestionAnswered) else []
    return [("shown", what), ("expected", spaced(request.question.answer.kind)), *steps]


def _requested(request: QuestionAsked, events: Sequence[Event], end: End | None) -> list[tuple[str, str]]:
    vision = "" if request.vision_model is None else f", vision {request.vision_model}"
    return [
        ("model", f"{request.model}{vision}, {spaced(request.executor)}"),
        ("limits", f"{counted(request.limits.max_steps, 'step')}, {request.limits.deadline_s:g} s"),
        ("effort", effort_text(events, end)),
        ("started", f"{request.occurred_at:%Y-%m-%d %H:%M} UTC"),
        ("run", str(request.run_id)),
    ]


def _sections(request: QuestionAsked) -> list[Section]:
    question = request.question
    whole = [Prose(question.text, "The whole question")] if len(question.text) > TITLE_CHARS else []
    notes = [Prose(question.metadata.notes, "Notes on the images")] if question.metadata.notes else []
    figures = tuple((frame.picture, _caption(frame)) for frame in question.frames)
    return [*whole, Figures(figures, "What was shown"), *notes]


def _caption(frame: FrameRef) -> str:
    when = "" if frame.time_s is None else f", {frame.time_s:.2f} s"
    return f"frame {frame.frame_index}{when}" + (f", {frame.reason}" if frame.reason else "")


def _suffix(frame: FrameRef) -> str:
    return ".jpg" if frame.picture.media_type == "image/jpeg" else ".png"


def _shown(events: Sequence[Event]) -> dict[str, ArtifactRef]:
    """Return the pictures that cells showed."""
    images = [each for event in events if isinstance(event, CellCompleted) for each in event.observation.images]
    return {f"shown/{number:02d}.png": each.artifact for number, each in enumerate(images)}


def _cells(events: Sequence[Event]) -> list[CellRequested]:
    return [event for event in events if isinstance(event, CellRequested)]


def _answer_json(request: QuestionAsked, end: End | None) -> str:
    values: dict[str, object] = {"question": request.question.text, "model": request.model, "outcome": "in work"}
    if isinstance(end, QuestionAnswered):
        values |= {"outcome": "answered", "answer": end.answer.value, "ending": end.ending}
    elif isinstance(end, QuestionFailed):
        why = {"reason": "refused" if end.is_refusal else end.reason, "detail": end.detail}
        values |= {"outcome": "no answer", **why}
    return _JSON.dump_json(values, indent=2).decode() + "\n"
