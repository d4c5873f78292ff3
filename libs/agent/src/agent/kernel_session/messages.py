"""Messages about a kernel session: observations of cells, and results of file tools."""

from typing import TypeVar

from contracts.events.session import CellCompleted, FileRefused, FileViewed, FileWritten
from contracts.models.conversation import Message
from contracts.models.observation import LintFinding

from agent.context.observation_summary import picture_of, stop_line, summarize_observation
from agent.kernel_session.notes import CellNotes, SessionNotes
from agent.model.messages import user_message

MAX_FINDINGS = 12
"""Lint findings in one message: the first ones mostly cause the rest."""
N = TypeVar("N", bound=CellNotes)


def answer_cell(event: CellCompleted, text: str, notes: N) -> tuple[N, Message]:
    """Return `text` as the message about the newest cell, with its pictures, and the notes after it."""
    observation = event.observation
    short_form = summarize_observation(observation, notes.cell.purpose if notes.cell else "")
    images = tuple(map(picture_of, observation.images))
    message = user_message(text, short_form).model_copy(
        update={"stopped_at_line": stop_line(observation), "images": images}
    )
    return notes.answer_observation(message)


def with_notice(messages: tuple[Message, ...], notice: str) -> tuple[Message, ...]:
    """Return the messages; the newest one ends with the notice."""
    newest = messages[-1]
    return (*messages[:-1], newest.model_copy(update={"text": f"{newest.text}\n\n{notice}"}))


def citable_numbers(notes: SessionNotes) -> str:
    """Return the numbers by which a proof can cite the newest cell and its simulations."""
    cell, last = f"cell {len(notes.cells)}", notes.simulations
    new = notes.cells[-1].simulations
    if not new:
        return cell
    return f"{cell}, simulation {last}" if new == 1 else f"{cell}, simulations {last - new + 1} to {last}"


def file_result(event: FileWritten | FileViewed | FileRefused, tool: str) -> str:
    """Return the result of a file tool as text."""
    match event:
        case FileRefused():
            action = "shown" if tool == "view_file" else "written"
            return f"`{event.path}` was not {action} ({event.reason}): {event.detail}"
        case FileViewed():
            return _numbered_lines(event)
        case FileWritten():
            parts = [f"`{event.path}` is written ({event.size_bytes} bytes)."]
            if event.findings:
                parts.append(_lint_findings(event.findings))
            if event.lint_note:
                parts.append(f"Not checked in full: {event.lint_note}.")
            return "\n\n".join(parts)


def _numbered_lines(event: FileViewed) -> str:
    lines = event.text.splitlines()
    last = event.from_line + len(lines) - 1
    if not lines:
        return f"`{event.path}` is empty."
    head = f"`{event.path}`, lines {event.from_line} to {last} of {event.total_lines}:"
    width = len(str(last))
    body = "\n".join(f"{number:{width}d}| {line}" for number, line in enumerate(lines, start=event.from_line))
    more = f"\n\nContinue with `from_line={last + 1}`." if last < event.total_lines else ""
    return f"{head}\n\n{body}{more}"


def _lint_findings(findings: tuple[LintFinding, ...]) -> str:
    lines = [
        f"- line {each.line}, column {each.column}: {each.message} ({each.tool} {each.rule})"
        for each in findings[:MAX_FINDINGS]
    ]
    if len(findings) > MAX_FINDINGS:
        lines.append(f"- and {len(findings) - MAX_FINDINGS} more")
    return "The check of the text found:\n" + "\n".join(lines)
