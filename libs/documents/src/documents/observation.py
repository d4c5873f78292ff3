"""How an observation reads to an agent: Markdown, at most 6 kB."""

from contracts.models.observation import CellError, Observation, Variable
from contracts.text import shortened

from documents.recovery import recovery_markdown

MAX_BYTES = 6000
_QUIET_OUTPUT = (1200, 2600)
"""First and last characters of the output that are shown when the cell ran through."""
_OUTPUT_BESIDE_ERROR = (700, 1600)
_MESSAGE_CHARS, _TRACEBACK_CHARS = 900, 700
_MAX_VARIABLES, _SUMMARY_CHARS = 12, 130
_MAX_IMAGES, _LABEL_CHARS = 10, 160
_FEW_TOOL_CALLS = 20

_HEADLINES = {
    "ok": "The cell ran",
    "error": "The cell stopped with an error",
    "timeout": "The cell took too long and was interrupted; variables are kept",
    "killed": "The cell took its kernel with it, and another one was started",
    "refused": "The cell was refused and did not run",
}


def observation_markdown(observation: Observation) -> str:
    """Return what the agent should know of a cell: status, output, error and variables."""
    sections = [f"**{_HEADLINES[observation.status]}** ({observation.elapsed_s:.2f} s)."]
    if observation.recovery is not None:
        sections.append(recovery_markdown(observation.recovery))
    if observation.images or observation.images_refused:
        sections.append(_images(observation))
    if observation.output:
        sections.append(_output(observation))
    if observation.error is not None:
        sections.append(_error(observation.error))
    if observation.put_back:
        lines = [f"- {shortened(each, _MESSAGE_CHARS)}" for each in observation.put_back]
        sections.append("### Documents put back\n" + "\n".join(lines))
    if observation.variables:
        sections.append(_variables(observation.variables))
    if observation.tool_calls_left is not None and observation.tool_calls_left <= _FEW_TOOL_CALLS:
        sections.append(f"{observation.tool_calls_left} tool calls were left to this cell; use fewer, or more cells.")
    return _bounded("\n\n".join(sections) + "\n")


def _images(observation: Observation) -> str:
    """Name the pictures that go with the observation."""
    left = "" if observation.images_left is None else f" (the session may show {observation.images_left} more)"
    lines = [
        f"- {number}. `{_in_quotes(image.label)}`, {image.width_px} x {image.height_px} pixels"
        + (f', `recall("{_in_quotes(image.id)}")`' if image.id else "")
        for number, image in enumerate(observation.images[:_MAX_IMAGES], 1)
    ]
    lines += [f"- not shown: {_in_quotes(each)}" for each in observation.images_refused[:_MAX_IMAGES]]
    return f"### Pictures{left}\n" + "\n".join(lines)


def _in_quotes(text: str) -> str:
    """Return words of the agent's that neither end a line nor a quotation."""
    return shortened(" ".join(text.replace("`", "'").split()), _LABEL_CHARS)


def _fenced(text: str) -> str:
    """Return the text in a fence that it cannot close itself."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}text\n{text.rstrip()}\n{fence}"


def _output(observation: Observation) -> str:
    head, tail = _QUIET_OUTPUT if observation.error is None else _OUTPUT_BESIDE_ERROR
    shown = shortened(observation.output, head, tail)
    return f"### Output{_length(observation, shown)}\n{_fenced(shown)}"


def _length(observation: Observation, shown: str) -> str:
    """Return how much there is in truth, if not all of it is shown, and where the rest is."""
    if len(shown) >= observation.output_chars:
        return ""
    full = observation.full_output
    kept = (
        f"; the full text is kept with the run, as artifact `{full.sha256[:12]}`; print the part you need"
        if full
        else ""
    )
    return f" ({observation.output_chars} characters in all{kept})"


def _error(error: CellError) -> str:
    place = f" in line {error.line} of the cell" if error.line else ""
    text = f"### Error\n`{error.type}`{place}: {shortened(error.message, _MESSAGE_CHARS)}"
    if error.traceback:
        text += f"\n\n{_fenced(shortened(error.traceback, 0, _TRACEBACK_CHARS))}"
    return text


def _variables(variables: tuple[Variable, ...]) -> str:
    lines = [
        f"- `{each.name}` ({each.change}, {each.type}): {shortened(each.summary, _SUMMARY_CHARS)}"
        for each in variables[:_MAX_VARIABLES]
    ]
    if len(variables) > _MAX_VARIABLES:
        lines.append(f"- and {len(variables) - _MAX_VARIABLES} more")
    return "### Variables\n" + "\n".join(lines)


def _bounded(text: str) -> str:
    data = text.encode()
    if len(data) <= MAX_BYTES:
        return text
    return data[: MAX_BYTES - 40].decode("utf-8", "ignore") + "\n… (observation cut here)\n"
