"""What stays of an observation once it is old, and the pictures that go with it."""

from contracts.models.conversation import Picture
from contracts.models.observation import CellError, Observation, Recovery, ShownImage
from contracts.text import shortened

_PURPOSE_CHARS, _MESSAGE_CHARS = 120, 160
_MOST_NAMES = 20


def summary_of_observation(observation: Observation, purpose: str) -> str:
    """Return what the cell was for and how it ended; then, a line each, variables, pictures and the kernel's losses."""
    lines = [f"{_line(purpose, _PURPOSE_CHARS)}: {_ending(observation)}"]
    for change in ("new", "changed", "lost"):
        names = [each.name for each in observation.variables if each.change == change]
        if names:
            lines.append(f"{change}: {_listed(names)}")
    if observation.images:
        lines.append(f"showed: {_listed([image_of_step(image).caption for image in observation.images])}")
    if observation.recovery is not None:
        lines.append(_recovered(observation.recovery))
    return "\n".join(lines)


def stopped_at(observation: Observation) -> int | None:
    """Return the line at which the cell stopped, 1-based, or None: it ran through, or never began."""
    if observation.error is None or observation.status not in ("error", "timeout"):
        return None
    return observation.error.line or None


def image_of_step(shown: ShownImage) -> Picture:
    """Return what a cell has shown as a message has it: the id by which it can be shown again is in its caption."""
    caption = f"{shown.id}: {shown.label}" if shown.id else shown.label
    return Picture(caption=caption, artifact=shown.artifact, width_px=shown.width_px, height_px=shown.height_px)


def _ending(observation: Observation) -> str:
    return observation.status if observation.error is None else f"{observation.status}, {_error(observation.error)}"


def _error(error: CellError) -> str:
    place = f" in line {error.line}" if error.line else ""
    return f"{error.type}{place}: {_line(error.message, _MESSAGE_CHARS)}"


def _recovered(recovery: Recovery) -> str:
    gone = [*recovery.lost, *recovery.different]
    return f"the kernel was another one from here on; lost or different: {_listed(gone) if gone else 'nothing'}"


def _line(text: str, chars: int) -> str:
    """Return the text's first line, shortened."""
    return shortened(next(iter(text.strip().splitlines()), ""), chars)


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(f"`{name}`" for name in names[:_MOST_NAMES]) + more
