"""The report of a question: one HTML file of at most 5 MB with its images, cells and answers, that needs no network.

Everything that a model, a kernel or a user wrote is escaped; the page has no script, and its policy allows none.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from uuid import UUID

from artifacts.port import ArtifactStore
from contracts.envelope import Event
from contracts.events.conversation import ModelCalled
from contracts.events.question import LookCompleted, LookFailed, QuestionAnswered, QuestionAsked, QuestionFailed
from contracts.events.session import CellCompleted, CellRequested
from contracts.models.artifact import ArtifactRef, Sha256
from contracts.models.questions.frames import FrameRef
from contracts.text import shortened
from documents.event_lines.event_line import spaced

from run_report.budget import REPORT_BYTES, FileRoom
from run_report.pictures import EmbeddedPicture, PictureAlbum

_HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Question</title>
<style>
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}
pre{background:#8881;padding:.8rem;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere}
pre.output{background:#1e1e1e;color:#eee}
figure{display:inline-block;margin:.4rem;vertical-align:top}
figcaption{font-size:.8rem;max-width:18rem}
img{max-width:min(18rem,100%);height:auto;border:1px solid #8886}
section{border-top:1px solid #8886;margin-top:1.2rem}
.answer{background:#2a92;padding:.6rem}
.failed{background:#d332;padding:.6rem}
</style></head><body>
"""


TEXT_CHARS = 20_000
"""Of one text."""
TEXTS_CHARS = 500_000
"""Of all texts together: an escaped character may take six bytes."""


async def question_html(events: Sequence[Event], artifacts: ArtifactStore) -> str:
    """Return the report of a question's run, with all pictures that can be fetched and fit."""
    room = (REPORT_BYTES - len(_page(events, _Figures({}, FileRoom(0))).encode())) // 2
    album = PictureAlbum(artifacts, FileRoom(room))
    found = [(ref, await album.picture(ref, caption)) for ref, caption in _pictures_of(events)]
    pictures = {ref.sha256: picture for ref, picture in found if picture is not None}
    return _page(events, _Figures(pictures, FileRoom(room)))


@dataclass
class _Figures:
    """Pictures by digest, and the room for showing some again; what is missing is named by its caption."""

    pictures: Mapping[Sha256, EmbeddedPicture]
    room: FileRoom
    shown: set[Sha256] = field(default_factory=set[Sha256])

    def __call__(self, ref: ArtifactRef, caption: str) -> str:
        picture, text = self.pictures.get(ref.sha256), escape(caption)
        if picture is None:
            why = "left out: not readable, or the file would be too large"
            return f"<figure><figcaption>{text} ({why})</figcaption></figure>"
        if ref.sha256 in self.shown and not self.room.takes("picture", len(picture.url)):
            return f"<figure><figcaption>{text} (shown above)</figcaption></figure>"
        self.shown.add(ref.sha256)
        size = f'width="{picture.width_px}" height="{picture.height_px}"'
        return f'<figure><img alt="{text}" src="{picture.url}" {size}><figcaption>{text}</figcaption></figure>'


def _page(events: Sequence[Event], figures: _Figures) -> str:
    """Return the page."""
    cells = [event.id for event in events if isinstance(event, CellRequested)]
    texts = sum(isinstance(event, ModelCalled | CellRequested | CellCompleted | LookCompleted) for event in events)
    short = _Texts(min(TEXT_CHARS, TEXTS_CHARS // max(1, texts)))
    parts = [_section(event, cells, figures, short) for event in events]
    return "\n".join([_HEAD, *filter(None, parts), "</body></html>\n"])


@dataclass(frozen=True)
class _Texts:
    """Escapes texts, and leaves out the middle of long ones."""

    most_chars: int

    def __call__(self, text: str) -> str:
        tail = self.most_chars // 4
        return escape(shortened(text, self.most_chars - tail, tail))


def _section(event: Event, cells: Sequence[UUID], figures: _Figures, short: _Texts) -> str:
    """Return what the page has of one event; empty for most."""
    match event:
        case QuestionAsked():
            return _question(event, figures)
        case ModelCalled() | CellRequested():
            return _action(event, cells, short)
        case CellCompleted():
            return _observation(event, figures, short)
        case LookCompleted() | LookFailed() | QuestionAnswered() | QuestionFailed():
            return _outcome(event)
        case _:
            return ""


def _action(event: ModelCalled | CellRequested, cells: Sequence[UUID], short: _Texts) -> str:
    if isinstance(event, CellRequested):
        number, purpose = cells.index(event.id) + 1, escape(event.purpose)
        return f"<section><h2>Cell {number}</h2><p>{purpose}</p><pre>{short(event.code)}</pre></section>"
    reply = short(event.reply.text)
    return f"<section><h2>Reply of step {event.step}</h2><pre>{reply}</pre></section>" if reply else ""


def _outcome(event: LookCompleted | LookFailed | QuestionAnswered | QuestionFailed) -> str:
    match event:
        case LookCompleted():
            return f"<p>The vision model {escape(event.model)}:</p><pre>{escape(event.text)}</pre>"
        case LookFailed():
            return f"<p>No look: {escape(event.detail)}</p>"
        case QuestionAnswered():
            ending = "" if event.ending == "returned" else " (the last valid one)"
            return f'<p class="answer">Answer: <b>{escape(str(event.answer.value))}</b>{ending}</p>'
        case QuestionFailed():
            why = "refused" if event.is_refusal else spaced(event.reason)
            return f'<p class="failed">No answer, {escape(why)}: {escape(event.detail)}</p>'


def _question(asked: QuestionAsked, figures: _Figures) -> str:
    frames = "".join(figures(frame.picture, _frame_caption(frame)) for frame in asked.question.frames)
    return (
        f"<h1>{escape(asked.question.text)}</h1>\n<p>Model {escape(asked.model)}, executor {escape(asked.executor)}, "
        f"run {asked.run_id}</p>\n<div>{frames}</div>"
    )


def _observation(completed: CellCompleted, figures: _Figures, short: _Texts) -> str:
    seen = completed.observation
    parts = [f"<p>{escape(seen.status)}, {seen.elapsed_s:.2f} s</p>"]
    if seen.recovery is not None:
        parts.append(f"<p>{escape(seen.recovery.why)}: {seen.recovery.replayed_cells} cells ran again</p>")
    if seen.output:
        parts.append(f'<pre class="output">{short(seen.output)}</pre>')
    if seen.error is not None:
        parts.append(f'<pre class="output">{escape(seen.error.type)}: {short(seen.error.message)}</pre>')
    parts += [figures(image.artifact, image.label) for image in seen.images]
    if seen.variables:
        rows = "".join(f"<li><code>{escape(each.name)}</code>: {escape(each.summary)}</li>" for each in seen.variables)
        parts.append(f"<ul>{rows}</ul>")
    return "".join(parts)


def _frame_caption(frame: FrameRef) -> str:
    return f"frame {frame.frame_index}" + ("" if frame.time_s is None else f", {frame.time_s:.2f} s")


def _pictures_of(events: Sequence[Event]) -> list[tuple[ArtifactRef, str]]:
    """Return the pictures with their captions, those that cells showed first."""
    cells = [event for event in events if isinstance(event, CellCompleted)]
    shown = [(each.artifact, each.label) for event in cells for each in event.observation.images]
    asked = [frame for event in events if isinstance(event, QuestionAsked) for frame in event.question.frames]
    return [*shown, *((frame.picture, _frame_caption(frame)) for frame in asked)]
