"""The report of a question: one HTML file with its images, cells and answers, that needs no network.

Everything that a model, a kernel or a user wrote is escaped; the page has no script, and its policy allows none.
"""

import asyncio
from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from uuid import UUID

from artifacts.port import ArtifactError, ArtifactStore
from contracts.envelope import Event
from contracts.events.conversation import ModelCalled
from contracts.events.question import LookCompleted, LookFailed, QuestionAnswered, QuestionAsked, QuestionFailed
from contracts.events.session import CellCompleted, CellRequested
from contracts.models.artifact import ArtifactRef, Sha256
from documents.event_lines.event_line import spaced

_HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>Question</title>
<style>
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}
pre{background:#f4f4f4;padding:.8rem;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere}
pre.output{background:#1e1e1e;color:#eee}
figure{display:inline-block;margin:.4rem;vertical-align:top}
figcaption{font-size:.8rem;max-width:18rem}
img{max-width:18rem;border:1px solid #ccc}
section{border-top:1px solid #ddd;margin-top:1.2rem}
.answer{background:#e3f4e3;padding:.6rem}
.failed{background:#f8dede;padding:.6rem}
</style></head><body>
"""


async def write_report(events: Sequence[Event], artifacts: ArtifactStore, path: Path) -> Path:
    """Write the report of a question's run, with all pictures that can be fetched, and return its path."""
    pictures: dict[Sha256, bytes] = {}
    for ref in _pictures_of(events):
        try:
            pictures[ref.sha256] = await artifacts.get(ref)
        except ArtifactError:
            continue
    text = report_html(events, pictures)
    await asyncio.to_thread(path.parent.mkdir, parents=True, exist_ok=True)
    await asyncio.to_thread(path.write_text, text, "utf-8")
    return path


def report_html(events: Sequence[Event], pictures: Mapping[Sha256, bytes]) -> str:
    """Return the page; `pictures` has bytes by digest, and a missing one is named by its caption."""
    cells = [event.id for event in events if isinstance(event, CellRequested)]
    parts = [_section(event, cells, pictures) for event in events]
    return "\n".join([_HEAD, *filter(None, parts), "</body></html>\n"])


def _section(event: Event, cells: Sequence[UUID], pictures: Mapping[Sha256, bytes]) -> str:
    """Return what the page has of one event; empty for most."""
    match event:
        case QuestionAsked():
            return _question(event, pictures)
        case ModelCalled() | CellRequested():
            return _action(event, cells)
        case CellCompleted():
            return _observation(event, pictures)
        case LookCompleted() | LookFailed() | QuestionAnswered() | QuestionFailed():
            return _outcome(event)
        case _:
            return ""


def _action(event: ModelCalled | CellRequested, cells: Sequence[UUID]) -> str:
    if isinstance(event, CellRequested):
        number, purpose = cells.index(event.id) + 1, escape(event.purpose)
        return f"<section><h2>Cell {number}</h2><p>{purpose}</p><pre>{escape(event.code)}</pre></section>"
    reply = escape(event.reply.text)
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


def _question(asked: QuestionAsked, pictures: Mapping[Sha256, bytes]) -> str:
    frames = "".join(_figure(frame.picture, f"frame {frame.frame_index}", pictures) for frame in asked.question.frames)
    return (
        f"<h1>{escape(asked.question.text)}</h1>\n<p>Model {escape(asked.model)}, executor {escape(asked.executor)}, "
        f"run {asked.run_id}</p>\n<div>{frames}</div>"
    )


def _observation(completed: CellCompleted, pictures: Mapping[Sha256, bytes]) -> str:
    seen = completed.observation
    parts = [f"<p>{escape(seen.status)}, {seen.elapsed_s:.2f} s</p>"]
    if seen.recovery is not None:
        parts.append(f"<p>{escape(seen.recovery.why)}: {seen.recovery.replayed_cells} cells ran again</p>")
    if seen.output:
        parts.append(f'<pre class="output">{escape(seen.output)}</pre>')
    if seen.error is not None:
        parts.append(f'<pre class="output">{escape(seen.error.type)}: {escape(seen.error.message)}</pre>')
    parts += [_figure(image.artifact, image.label, pictures) for image in seen.images]
    if seen.variables:
        rows = "".join(f"<li><code>{escape(each.name)}</code>: {escape(each.summary)}</li>" for each in seen.variables)
        parts.append(f"<ul>{rows}</ul>")
    return "".join(parts)


def _figure(ref: ArtifactRef, caption: str, pictures: Mapping[Sha256, bytes]) -> str:
    data = pictures.get(ref.sha256)
    source = "" if data is None else f"data:image/png;base64,{b64encode(data).decode()}"
    image = f'<img alt="{escape(caption)}" src="{source}">' if source else ""
    return f"<figure>{image}<figcaption>{escape(caption)}</figcaption></figure>"


def _pictures_of(events: Sequence[Event]) -> list[ArtifactRef]:
    asked = [frame.picture for event in events if isinstance(event, QuestionAsked) for frame in event.question.frames]
    shown = [each.artifact for event in events if isinstance(event, CellCompleted) for each in event.observation.images]
    return [*asked, *shown]
