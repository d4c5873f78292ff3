"""Observations as agents read them: Markdown of at most 8,000 characters."""

import re
from collections.abc import Sequence

from contracts.models.observation import CellError, Observation, Recovery, Variable
from contracts.text import shortened

from documents.excerpt import excerpt, without_repetitions
from documents.markdown import fenced, inline_or_fenced, one_line

MAX_CHARS = 8000
_MIN_OUTPUT_CHARS = 2000
"""Of the output, however long everything else is."""
_MESSAGE_CHARS, _TRACEBACK_CHARS = 1500, 700
_OUTPUT_FRAME_CHARS = 180
"""Of heading and fence around the output."""
_MAX_VARIABLES, _SUMMARY_CHARS = 12, 130
_MAX_IMAGES, _LABEL_CHARS = 10, 160
_FEW_TOOL_CALLS = 20
_NAMES_CHARS, _REMARK_CHARS, _MAX_REMARKS = 300, 220, 4

_HEADLINES = {
    "ok": "The cell ran",
    "error": "The cell stopped with an error",
    "timeout": "The cell exceeded its time limit and was interrupted; variables are kept",
    "killed": "The cell killed its kernel, and a new one was started",
    "refused": "The cell was refused and did not run",
}


def observation_markdown(observation: Observation) -> str:
    """Return status, recovery, images, output, error, restored documents and variables of a cell."""
    before = [f"**{_HEADLINES[observation.status]}** ({observation.elapsed_s:.2f} s)."]
    if observation.recovery is not None:
        before.append(_recovery(observation.recovery))
    if observation.images or observation.images_refused:
        before.append(_images(observation))
    after = _after_output(observation)
    others = sum(len(section) + 2 for section in (*before, *after))
    output = [_output(observation, max(_MIN_OUTPUT_CHARS, MAX_CHARS - others))] if observation.output else []
    return _bounded("\n\n".join([*before, *output, *after]) + "\n")


def _after_output(observation: Observation) -> list[str]:
    sections: list[str] = []
    if observation.error is not None:
        sections.append(_error(observation.error, observation.output))
    if observation.put_back:
        lines = [f"- {shortened(each, _MESSAGE_CHARS)}" for each in observation.put_back]
        sections.append("### Documents restored\n" + "\n".join(lines))
    if observation.variables:
        sections.append(_variables(observation.variables))
    if observation.tool_calls_left is not None and observation.tool_calls_left <= _FEW_TOOL_CALLS:
        sections.append(f"This cell had {observation.tool_calls_left} tool calls left; use fewer, or more cells.")
    return sections


def _recovery(recovery: Recovery) -> str:
    """Describe how a kernel was brought to the state of an earlier one, and what is not as before."""
    cells = recovery.replayed_cells
    replayed = "No cell was" if not cells else "1 cell was" if cells == 1 else f"{cells} cells were"
    title = "The kernel of the earlier run" if recovery.is_fork else "The kernel was lost and recovered"
    lines = [
        f"### {title}\n{recovery.why[:1].upper()}{recovery.why[1:]}. {replayed} replayed "
        f"in a new kernel ({recovery.elapsed_s:.2f} s), with the recorded replies of the tools."
    ]
    lines += [
        f"- {title}: {shortened(_quoted(names), _NAMES_CHARS)}"
        for title, names in (
            ("files restored", recovery.files),
            ("variables unchanged", recovery.restored),
            ("variables that are **different**", recovery.different),
            ("variables that are **lost**", recovery.lost),
        )
        if names
    ]
    lines += [f"- {shortened(remark, _REMARK_CHARS)}" for remark in recovery.remarks[:_MAX_REMARKS]]
    return "\n".join(lines)


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _images(observation: Observation) -> str:
    """List the images that are sent with the observation, and those that were refused."""
    left = "" if observation.images_left is None else f" (the session may show {observation.images_left} more)"
    lines = [
        f"- {number}. `{_label(image.label)}`, {image.width_px} x {image.height_px} pixels"
        + (f', `recall("{_label(image.id)}")`' if image.id else "")
        for number, image in enumerate(observation.images[:_MAX_IMAGES], 1)
    ]
    refused = observation.images_refused[:_MAX_IMAGES]
    lines += [f"- not shown: {_label(reason)}" for reason in refused]
    return f"### Pictures{left}\n" + "\n".join(lines)


def _label(text: str) -> str:
    """Return text of the agent's on one line without backticks, so that it cannot leave a code span."""
    return shortened(one_line(text.replace("`", "'")), _LABEL_CHARS)


def _output(observation: Observation, max_chars: int) -> str:
    text = without_repetitions(observation.output)
    shown = excerpt(text, max_chars - _OUTPUT_FRAME_CHARS)
    is_whole = shown == text and len(observation.output) >= observation.output_chars
    return f"### Output{'' if is_whole else _full_length(observation)}\n{fenced(shown)}"


def _full_length(observation: Observation) -> str:
    """Return the length of shortened output, and where all of it is stored."""
    full = observation.full_output
    stored = f"; the full text is artifact `{full.sha256[:12]}` of the run; print the part you need" if full else ""
    return f" ({observation.output_chars} characters in total{stored})"


def _error(error: CellError, output: str) -> str:
    """Return type, place and message of the error, and the lines of code that led to it.

    A message of several lines is fenced: code chooses it, and it must not open a section.
    """
    line = f" in line {error.line} of the cell" if error.line else ""
    message = excerpt(without_repetitions(error.message, output), _MESSAGE_CHARS).rstrip()
    text = f"### Error\n`{error.type}`{line}:{inline_or_fenced(message)}"
    if frames := _frames(error):
        text += f"\n\n{fenced(shortened(frames, 0, _TRACEBACK_CHARS))}"
    return text


def _frames(error: CellError) -> str:
    """Return the traceback without the message at its end, which is shown already."""
    last = re.compile(rf"^(?:\w+\.)*{re.escape(error.type)}(?::|$)", re.MULTILINE)
    message = last.search(error.traceback)
    return error.traceback if message is None or not error.type else error.traceback[: message.start()].rstrip()


def _variables(variables: tuple[Variable, ...]) -> str:
    """Return a line for each variable, and the names of functions, whose code the reader has written."""
    functions = [each.name for each in variables if each.type == "function" and each.change != "lost"]
    others = [each for each in variables if each.name not in functions]
    lines = [
        f"- `{each.name}` ({each.change}, {each.type}): {shortened(one_line(each.summary), _SUMMARY_CHARS)}"
        for each in others[:_MAX_VARIABLES]
    ]
    if len(others) > _MAX_VARIABLES:
        lines.append(f"- and {len(others) - _MAX_VARIABLES} more")
    if functions:
        lines.append(f"- functions: {shortened(_quoted(functions), _NAMES_CHARS)}")
    return "### Variables\n" + "\n".join(lines)


def _bounded(text: str) -> str:
    if len(text) <= MAX_CHARS:
        return text
    whole = text[: MAX_CHARS - 40]
    return whole[: whole.rfind("\n")] + "\n… (observation cut here)\n"
